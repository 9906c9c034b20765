"""What every keeper of files keeps to, and what the one on disk promises beyond."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.errors import AttachmentNotFound, BlobCorrupt, StoreUnavailable
from core.keys import BankKey
from core.ports.blobs import Blobs, UnclaimedFile
from service.adapters.local_blobs import CHUNK, NOTE, PART, LocalBlobs
from service.adapters.memory_blobs import MemoryBlobs
from service.adapters.store.postgres_store import PostgresStore
from tests.support import changes as a
from tests.support.postgres import empty_database

OTHERS = ((a.KEY, "u2"), (a.key("other"), "u1"), (a.key("bank-1", "other"), "u1"))
CONTENT = "图片 image ".encode() * 50_000


@pytest.fixture(params=["memory", "local", pytest.param("postgres", marks=pytest.mark.slow)])
async def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Blobs]:
    match request.param:
        case "memory":
            yield MemoryBlobs()
        case "local":
            yield LocalBlobs(tmp_path / "blobs")
        case _:
            store = await PostgresStore.open(empty_database())
            yield store.blobs
            await store.close()


async def chunks(content: bytes, size: int = 10_000) -> AsyncIterator[bytes]:
    for start in range(0, len(content), size):
        yield content[start : start + size]


async def read(
    blobs: Blobs,
    uri: str,
    offset: int = 0,
    limit: int | None = None,
    *,
    key: BankKey = a.KEY,
    uid: str = "u1",
) -> bytes:
    return b"".join([chunk async for chunk in blobs.read(key, uid, uri, offset, limit)])


def files_under(root: Path) -> list[Path]:
    """Without the notes that say for whom they were put."""
    return sorted(path for path in root.rglob("*") if path.is_file() and path.suffix != NOTE)


def entries_of(root: Path) -> list[Path]:
    return list(root.iterdir())


async def test_a_file_is_read_back_as_it_was_put(blobs: Blobs) -> None:
    uri, size = await blobs.put(a.KEY, "u1", "photo", chunks(CONTENT))

    assert size == len(CONTENT)
    assert await read(blobs, uri) == CONTENT


async def test_an_empty_file_is_a_file(blobs: Blobs) -> None:
    uri, size = await blobs.put(a.KEY, "u1", "empty", chunks(b""))

    assert size == 0
    assert await read(blobs, uri) == b""


@pytest.mark.parametrize(
    ("offset", "limit"),
    [
        (0, 1),
        (1, None),
        (CHUNK - 1, 2),
        (700_000, 10),
        (len(CONTENT) - 1, 5),
        (len(CONTENT), None),
        (10**9, 5),
        (3, 0),
    ],
)
async def test_a_part_is_read_by_offset_and_limit(blobs: Blobs, offset: int, limit: int | None) -> None:
    uri, _ = await blobs.put(a.KEY, "u1", "photo", chunks(CONTENT))

    end = len(CONTENT) if limit is None else offset + limit

    assert await read(blobs, uri, offset, limit) == CONTENT[offset:end]


async def test_the_same_attachment_put_twice_is_two_files(blobs: Blobs) -> None:
    first, _ = await blobs.put(a.KEY, "u1", "photo", chunks(b"one"))
    second, _ = await blobs.put(a.KEY, "u1", "photo", chunks(b"two"))

    assert (await read(blobs, first), await read(blobs, second)) == (b"one", b"two")


@pytest.mark.parametrize(("key", "uid"), OTHERS)
async def test_a_uri_is_not_found_under_the_name_of_another(blobs: Blobs, key: BankKey, uid: str) -> None:
    """Of a later bank of the same name too, and of a bank of another tenant."""
    uri, _ = await blobs.put(a.KEY, "u1", "photo", chunks(b"one"))

    with pytest.raises(AttachmentNotFound):
        await read(blobs, uri, key=key, uid=uid)


async def test_a_uri_says_nothing_of_whose_it_is(blobs: Blobs) -> None:
    uri, _ = await blobs.put(a.KEY, "secret-uid", "秘密.png", chunks(b"x"))

    assert uri.startswith("blob:")
    assert not [word for word in (a.KEY.tenant, a.KEY.bank_id, "secret", "秘密") if word in uri]


@pytest.mark.parametrize(
    "uri",
    [
        "blob:unknown",
        "blob:../../etc/passwd",
        "/etc/passwd",
        "file:///etc/passwd",
        "",
        "blob:",
        "blob:/etc/passwd",
    ],
)
async def test_a_uri_that_was_never_given_is_not_found(blobs: Blobs, uri: str) -> None:
    with pytest.raises(AttachmentNotFound):
        await read(blobs, uri)


async def test_purging_a_bank_removes_its_files_only(blobs: Blobs) -> None:
    gone = [(await blobs.put(a.KEY, "u1", name, chunks(b"gone")))[0] for name in ("x", "y")]
    kept = {owner: (await blobs.put(*owner, "x", chunks(b"kept")))[0] for owner in OTHERS}

    assert await blobs.delete_all(a.KEY, "u1") == 2

    for uri in gone:
        with pytest.raises(AttachmentNotFound):
            await read(blobs, uri)
    for (key, uid), uri in kept.items():
        assert await read(blobs, uri, key=key, uid=uid) == b"kept"


async def test_purging_what_is_gone_removes_nothing(blobs: Blobs) -> None:
    await blobs.put(a.KEY, "u1", "x", chunks(b"x"))
    await blobs.delete_all(a.KEY, "u1")

    assert await blobs.delete_all(a.KEY, "u1") == 0


async def test_files_put_at_once_do_not_disturb_each_other(blobs: Blobs) -> None:
    contents = [bytes([number]) * 5_000 for number in range(20)]

    put = await asyncio.gather(*(blobs.put(a.KEY, "u1", "x", chunks(content, 100)) for content in contents))

    assert [await read(blobs, uri) for uri, _ in put] == contents


class Broken(Exception):
    """The client's stream ended in an error."""


async def breaking() -> AsyncIterator[bytes]:
    yield b"the first half"
    raise Broken


async def test_nothing_remains_of_a_put_that_fails(blobs: Blobs) -> None:
    with pytest.raises(Broken):
        await blobs.put(a.KEY, "u1", "x", breaking())

    assert await blobs.delete_all(a.KEY, "u1") == 0


# ---- what nobody claims ----

LATER = datetime.now(UTC) + timedelta(days=2)


async def swept(blobs: Blobs, before: datetime = LATER, named: str = "") -> tuple[int, list[UnclaimedFile]]:
    """How many files were removed, and which it asked about; the URI `named` is named."""
    asked: list[UnclaimedFile] = []

    async def is_named(file: UnclaimedFile) -> bool:
        asked.append(file)
        return file.uri == named

    return await blobs.sweep(before, is_named), asked


async def test_an_old_file_that_is_neither_claimed_nor_named_is_removed(blobs: Blobs) -> None:
    uri, _ = await blobs.put(a.KEY, "u1", "照片", chunks(b"x"))

    removed, asked = await swept(blobs)

    whose = {"kind": "bank", "name": a.KEY.name, "uid": "u1"}
    assert asked == [UnclaimedFile(tenant=a.KEY.tenant, **whose, attachment_id="照片", uri=uri)]
    assert removed == 1
    with pytest.raises(AttachmentNotFound):
        await read(blobs, uri)
    assert await swept(blobs) == (0, [])


async def test_what_is_claimed_is_left_alone(blobs: Blobs) -> None:
    uri, _ = await blobs.put(a.KEY, "u1", "x", chunks(b"x"))
    await blobs.claim(uri)
    await blobs.claim(uri)

    assert await swept(blobs) == (0, [])
    assert await read(blobs, uri) == b"x"


async def test_what_is_named_after_all_is_claimed(blobs: Blobs) -> None:
    uri, _ = await blobs.put(a.KEY, "u1", "x", chunks(b"x"))

    assert (await swept(blobs, named=uri))[0] == 0

    assert await swept(blobs) == (0, [])
    assert await read(blobs, uri) == b"x"


async def test_a_young_file_is_left_alone(blobs: Blobs) -> None:
    uri, _ = await blobs.put(a.KEY, "u1", "x", chunks(b"x"))

    assert await swept(blobs, datetime.now(UTC) - timedelta(hours=1)) == (0, [])
    assert await read(blobs, uri) == b"x"


async def test_what_was_purged_is_not_asked_about(blobs: Blobs) -> None:
    await blobs.put(a.KEY, "u1", "x", chunks(b"x"))

    assert await blobs.delete_all(a.KEY, "u1") == 1

    assert await swept(blobs) == (0, [])


# ---- on disk ----


async def test_what_was_written_of_a_file_never_finished_is_removed(tmp_path: Path) -> None:
    blobs = LocalBlobs(tmp_path)
    uri, _ = await blobs.put(a.KEY, "u1", "x", chunks(b"x"))
    (file,) = files_under(tmp_path)
    (file.parent / f"0123{PART}").write_bytes(b"half")  # as a kill leaves it

    await swept(blobs, named=uri)

    assert files_under(tmp_path) == [file]


async def test_no_file_remains_on_disk_of_a_put_that_fails(tmp_path: Path) -> None:
    with pytest.raises(Broken):
        await LocalBlobs(tmp_path).put(a.KEY, "u1", "x", breaking())

    assert files_under(tmp_path) == []


async def test_no_file_remains_on_disk_of_a_put_that_is_cancelled(tmp_path: Path) -> None:
    begun, never = asyncio.Event(), asyncio.Event()

    async def stalling() -> AsyncIterator[bytes]:
        yield b"the first half"
        begun.set()
        await never.wait()

    put = asyncio.create_task(LocalBlobs(tmp_path).put(a.KEY, "u1", "x", stalling()))
    await begun.wait()
    assert len(files_under(tmp_path)) == 1

    put.cancel()
    with pytest.raises(asyncio.CancelledError):
        await put

    assert files_under(tmp_path) == []


async def test_files_are_found_again_by_another_process(tmp_path: Path) -> None:
    uri, _ = await LocalBlobs(tmp_path).put(a.KEY, "u1", "x", chunks(CONTENT))

    assert await read(LocalBlobs(tmp_path), uri) == CONTENT


async def test_a_file_whose_bytes_changed_is_corrupt(tmp_path: Path) -> None:
    blobs = LocalBlobs(tmp_path)
    uri, _ = await blobs.put(a.KEY, "u1", "x", chunks(CONTENT))
    (file,) = files_under(tmp_path)

    file.write_bytes(CONTENT[:-1] + b"?")

    with pytest.raises(BlobCorrupt):
        await read(blobs, uri)


async def test_a_file_that_was_cut_is_corrupt_wherever_it_is_read(tmp_path: Path) -> None:
    blobs = LocalBlobs(tmp_path)
    uri, _ = await blobs.put(a.KEY, "u1", "x", chunks(CONTENT))
    (file,) = files_under(tmp_path)

    file.write_bytes(CONTENT[:-1])

    with pytest.raises(BlobCorrupt):
        await read(blobs, uri, 10, 5)


async def test_no_name_of_a_callers_is_part_of_a_path(tmp_path: Path) -> None:
    key = a.key("../../escape", "../tenant")

    await LocalBlobs(tmp_path / "blobs").put(key, "../uid", "../../x/../y", chunks(b"x"))

    (file,) = files_under(tmp_path)
    assert file.is_relative_to(tmp_path / "blobs")
    assert hashlib.sha256(b"x").hexdigest() in file.name


async def test_purging_leaves_neither_file_nor_folder(tmp_path: Path) -> None:
    blobs = LocalBlobs(tmp_path)
    await blobs.put(a.KEY, "u1", "x", chunks(b"x"))

    await blobs.delete_all(a.KEY, "u1")

    assert entries_of(tmp_path) == []


async def test_a_root_that_cannot_be_written_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(StoreUnavailable):
        await LocalBlobs(tmp_path / "file" / "blobs").put(a.KEY, "u1", "x", chunks(b"x"))


async def test_a_file_that_cannot_be_opened_is_unavailable(tmp_path: Path) -> None:
    blobs = LocalBlobs(tmp_path)
    uri, _ = await blobs.put(a.KEY, "u1", "x", chunks(CONTENT))
    (file,) = files_under(tmp_path)
    file.unlink()
    file.symlink_to(file)

    with pytest.raises(StoreUnavailable):
        await read(blobs, uri)
