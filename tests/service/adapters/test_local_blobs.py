"""Files in a folder, after a crash."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from core.ports.blobs import UnclaimedFile
from service.adapters.local_blobs import NOTE, LocalBlobs
from tests.support.house import KEY


async def chunks() -> AsyncIterator[bytes]:
    yield b"a file"


async def is_named(_file: UnclaimedFile) -> bool:
    return False


def note_in(folder: Path) -> Path:
    (note,) = folder.rglob(f"*{NOTE}")
    return note


async def test_a_note_that_a_crash_cut_short_keeps_no_other_file_from_being_swept(tmp_path: Path) -> None:
    blobs = LocalBlobs(tmp_path)
    await blobs.put(KEY, "u1", "a1", chunks())
    note = note_in(tmp_path)
    empty, broken = note.with_name(f"0{NOTE}"), note.with_name(f"1{NOTE}")
    empty.touch()
    broken.write_bytes(note.read_bytes()[:20])
    broken.with_suffix("").write_bytes(b"of some bank, maybe")

    removed = await blobs.sweep(datetime.now(UTC) + timedelta(days=1), is_named)

    assert removed == 1
    assert sorted(path.name for path in note.parent.iterdir()) == ["1", f"1{NOTE}"]
