"""Checksums of rows: kept beside what they are of, and compared whenever that is read.

Law: what is read is what was written, or the aggregate is damaged: a bit that flipped on the disk is never
served as content. Rows from before there were checksums have none (NULL), until they are next written.

CRC-32: it finds every flipped bit, and every burst of up to 32. Its seed is the owner's, so that no row passes for
another owner's. The standard library's takes a microsecond for a row, little beside reading it.
"""

from collections.abc import Iterable, Sequence
from zlib import crc32

from core.errors import MemoryDamaged
from core.keys import Key

SEPARATOR = "\x1f"

Cell = str | int | float | None


def seed_of(key: Key) -> int:
    """Returns the seed of the checksums of an aggregate's rows."""
    return crc32(SEPARATOR.join((key.tenant, key.kind, key.name)).encode())


def checksum(seed: int, cells: Iterable[Cell], blob: bytes = b"") -> int:
    """Returns the checksum of a row's cells, in the order of its columns, and of bytes that come with it."""
    return crc32(blob, crc32(SEPARATOR.join(map(str, cells)).encode(), seed))


def check(key: Key, what: str, kept: int | None, found: int) -> None:
    """Raises MemoryDamaged unless the checksum found is the one kept; passes what has none."""
    if kept is not None and kept != found:
        raise MemoryDamaged(key.kind, key.name, what)


def check_row(key: Key, what: str, seed: int, row: Sequence[Cell], blob: bytes = b"") -> None:
    """Checks a row that ends with its checksum. Raises MemoryDamaged."""
    check(key, what, row[-1], checksum(seed, row[:-1], blob))  # type: ignore[arg-type]  # a number, or NULL
