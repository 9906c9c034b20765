"""Checksums of rows: kept beside what they are of, and compared whenever that is read.

Law: what is read is what was written, or the aggregate is damaged: a bit that flipped on the disk is told as no
content. Rows from before there were checksums have none (NULL), until they are next written.

CRC-32: it finds every flipped bit, and every burst of up to 32. Its seed tells the owner, so that no row passes for
another one's. The standard library's takes a microsecond for a row, which is little beside reading it.
"""

from collections.abc import Iterable, Sequence
from zlib import crc32

from core.errors import MemoryDamaged
from core.keys import Key

SEPARATOR = "\x1f"

Cell = str | int | float | None


def seed_of(key: Key) -> int:
    """What the checksums of an aggregate's rows begin with."""
    return crc32(SEPARATOR.join((key.tenant, key.kind, key.name)).encode())


def checksum(seed: int, cells: Iterable[Cell], blob: bytes = b"") -> int:
    """Of a row's cells, in the order of its columns, and of bytes that come with it."""
    return crc32(blob, crc32(SEPARATOR.join(map(str, cells)).encode(), seed))


def check(key: Key, what: str, kept: int | None, found: int) -> None:
    """Raises MemoryDamaged unless the checksum is the one kept; of what has none, nothing can be told."""
    if kept is not None and kept != found:
        raise MemoryDamaged(key.kind, key.name, what)


def check_row(key: Key, what: str, seed: int, row: Sequence[Cell], blob: bytes = b"") -> None:
    """Of a row that ends with its checksum."""
    check(key, what, row[-1], checksum(seed, row[:-1], blob))  # type: ignore[arg-type]  # a number, or NULL
