"""What every keeper of index snapshots keeps to, and what the one on disk promises beyond."""

import os
import shutil
from pathlib import Path

import pytest

from core.errors import StoreUnavailable
from core.ports.index_cache import IndexCache
from service.adapters.local_index_cache import LocalIndexCache
from service.adapters.memory_index_cache import MemoryIndexCache
from tests.support import changes as a

BLOB = "片段 snapshot ".encode() * 500_000


@pytest.fixture(params=["memory", "local"])
def cache(request: pytest.FixtureRequest, tmp_path: Path) -> IndexCache:
    return MemoryIndexCache() if request.param == "memory" else LocalIndexCache(tmp_path / "indexes")


def files_under(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*") if path.is_file())


def entries_of(root: Path) -> list[Path]:
    return list(root.iterdir())


async def test_a_blob_is_given_back_as_it_was_put(cache: IndexCache) -> None:
    await cache.put(a.KEY, "u1", "node_words", [BLOB[:100], BLOB[100:], b""])
    await cache.put(a.KEY, "u1", "node_vectors", [b"links"])

    assert await cache.get(a.KEY, "u1") == {"node_words": BLOB, "node_vectors": b"links"}


async def test_a_blob_takes_the_place_of_the_one_before(cache: IndexCache) -> None:
    await cache.put(a.KEY, "u1", "node_words", [BLOB])
    await cache.put(a.KEY, "u1", "node_words", [b"newer"])

    assert await cache.get(a.KEY, "u1") == {"node_words": b"newer"}


async def test_a_bank_that_nothing_is_known_of_has_none(cache: IndexCache) -> None:
    assert await cache.get(a.KEY, "u1") == {}
    assert await cache.owners() == []


async def test_a_bank_created_again_never_meets_what_was_its_namesakes(cache: IndexCache) -> None:
    await cache.put(a.KEY, "u1", "node_words", [BLOB])

    assert await cache.get(a.KEY, "u2") == {}
    assert await cache.get(a.key("bank-1", "other"), "u1") == {}


async def test_purging_a_bank_removes_its_own_only(cache: IndexCache) -> None:
    kept = [(a.KEY, "u2"), (a.key("other"), "u1"), (a.key("bank-1", "other"), "u1")]
    for key, uid in [(a.KEY, "u1"), *kept]:
        await cache.put(key, uid, "node_words", [b"x"])

    await cache.delete(a.KEY, "u1")
    await cache.delete(a.KEY, "u1")

    assert await cache.get(a.KEY, "u1") == {}
    assert sorted(await cache.owners(), key=str) == sorted(kept, key=str)
    assert [await cache.get(key, uid) for key, uid in kept] == [{"node_words": b"x"}] * 3


# ---- on disk ----


async def test_snapshots_are_found_again_by_another_process(tmp_path: Path) -> None:
    await LocalIndexCache(tmp_path).put(a.KEY, "u1", "node_words", [BLOB])

    again = LocalIndexCache(tmp_path)

    assert await again.get(a.KEY, "u1") == {"node_words": BLOB}
    assert await again.owners() == [(a.KEY, "u1")]


async def test_a_snapshot_that_fits_in_no_memory_is_not_read(tmp_path: Path) -> None:
    cache = LocalIndexCache(tmp_path, largest=5)
    await cache.put(a.KEY, "u1", "node_words", [b"12345"])
    await cache.put(a.KEY, "u1", "segment_words", [b"123", b"456"])

    assert await cache.get(a.KEY, "u1") == {"node_words": b"12345"}


async def test_purging_leaves_neither_file_nor_folder(tmp_path: Path) -> None:
    cache = LocalIndexCache(tmp_path)
    await cache.put(a.KEY, "u1", "node_words", [BLOB])
    (files_under(tmp_path)[0].parent / "0123.part").write_bytes(b"what a crash left")

    await cache.delete(a.KEY, "u1")

    assert entries_of(tmp_path) == []


async def test_no_name_of_a_callers_is_part_of_a_path(tmp_path: Path) -> None:
    key = a.key("../../escape", "../tenant")

    await LocalIndexCache(tmp_path / "indexes").put(key, "../uid", "node_words", [b"x"])

    assert files_under(tmp_path) == files_under(tmp_path / "indexes")


async def test_what_a_crash_left_half_written_is_no_snapshot(tmp_path: Path) -> None:
    cache = LocalIndexCache(tmp_path)
    await cache.put(a.KEY, "u1", "node_words", [b"whole"])
    (files_under(tmp_path)[0].parent / "0123.part").write_bytes(b"half")

    assert await cache.get(a.KEY, "u1") == {"node_words": b"whole"}


async def test_what_a_crash_left_half_written_goes_when_it_is_old(tmp_path: Path) -> None:
    cache = LocalIndexCache(tmp_path)
    await cache.put(a.KEY, "u1", "node_words", [b"whole"])
    folder = files_under(tmp_path)[0].parent
    for name in ("old.part", "new.part"):
        (folder / name).write_bytes(b"half")
    os.utime(folder / "old.part", (0, 0))

    await cache.owners()

    assert [path.name for path in files_under(tmp_path)] == ["new.part", "node_words.index", "owner.json"]


@pytest.mark.parametrize("said", [None, "", '["t", "b"', '["t", "b", "u"]', "5", '{"a": 1}', "\udcff"])
async def test_a_folder_whose_owner_cannot_be_told_is_removed(tmp_path: Path, said: str | None) -> None:
    cache = LocalIndexCache(tmp_path)
    await cache.put(a.KEY, "u1", "node_words", [b"x"])
    damaged = tmp_path / ("0123456789abcdef" * 2)
    damaged.mkdir()
    if said is not None:
        (damaged / "owner.json").write_bytes(said.encode(errors="surrogateescape"))

    assert await cache.owners() == [(a.KEY, "u1")]
    assert not damaged.exists()


async def test_foreign_files_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    cache = LocalIndexCache(tmp_path)
    await cache.put(a.KEY, "u1", "node_words", [b"x"])
    (tmp_path / ".DS_Store").write_bytes(b"a file")
    (tmp_path / "photos").mkdir()

    assert await cache.owners() == [(a.KEY, "u1")]
    assert (tmp_path / ".DS_Store").exists()
    assert (tmp_path / "photos").exists()


async def test_the_folder_may_be_deleted_at_any_time(tmp_path: Path) -> None:
    cache = LocalIndexCache(tmp_path / "indexes")
    await cache.put(a.KEY, "u1", "node_words", [b"x"])

    shutil.rmtree(tmp_path / "indexes")

    assert await cache.get(a.KEY, "u1") == {}
    assert await cache.owners() == []
    await cache.delete(a.KEY, "u1")
    await cache.put(a.KEY, "u1", "node_words", [b"y"])
    assert await cache.get(a.KEY, "u1") == {"node_words": b"y"}


async def test_only_the_services_user_can_look_into_the_folders(tmp_path: Path) -> None:
    await LocalIndexCache(tmp_path / "indexes").put(a.KEY, "u1", "node_words", [b"x"])

    assert [folder.stat().st_mode & 0o777 for folder in entries_of(tmp_path / "indexes")] == [0o700]


async def test_a_root_that_cannot_be_written_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(StoreUnavailable):
        await LocalIndexCache(tmp_path / "file" / "indexes").put(a.KEY, "u1", "node_words", [b"x"])
