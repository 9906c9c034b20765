"""Traces of deleted rows that SQLite leaves in its file, found and overwritten in place.

`secure_delete` overwrites a row where it lay, and pages that are given back. But where a tree is balanced, a page keeps
copies of the rows that moved, in the gap between its row pointers and its rows: SQLite never reads it, and fills it
when the page grows (https://www.sqlite.org/fileformat2.html#b_tree_pages).

Law: nothing but bytes of such a gap is written here, and only while the caller holds the write lock and all of the
log is in the file: nothing else then writes to the file. SQLite itself relies on a write changing no bytes
beside its own.
"""

import os
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from struct import Struct

HEADER = Struct(">BHHH")  # of a page: its kind, first free block, number of rows, where rows begin
LEAVES, INNER = (10, 13), (2, 5)  # kinds of pages in trees, and the bytes of their headers
LEAF_BYTES, INNER_BYTES = 8, 12
FIRST_PAGE = 100  # bytes of the file's own header, in front of the first page's
SIZES = Struct(">HBBB")  # at 16 in it: of a page, the two versions, and what is kept free at its end
LARGEST = 2 * 2**24  # pages: from this on, what an overflow page begins with could be taken for a kind
AT_ONCE = 256  # pages read in one go
PAUSE = 0.0005  # seconds between them, at least: others have Python's lock meanwhile


class Descriptors:
    """One descriptor a file, however often it is open in this process.

    To close any descriptor of a file lets go of all locks that the process holds on it, SQLite's too: so it is
    closed when the process has none any more.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[tuple[int, int], list[int]] = {}  # by inode: the descriptor, and its users

    def taken(self, path: Path) -> int:
        """Returns the file's descriptor, opened at its first use. Raises OSError."""
        with self._lock:
            inode = _inode(os.stat(path))
            held = self._open.get(inode)
            if held is None:
                held = self._open[inode] = [os.open(path, os.O_RDWR | os.O_CLOEXEC), 0]
            held[1] += 1
            return held[0]

    def given_back(self, descriptor: int) -> None:
        with self._lock:
            inode = _inode(os.fstat(descriptor))
            held = self._open[inode]
            held[1] -= 1
            if not held[1]:
                del self._open[inode]
                os.close(descriptor)


DESCRIPTORS = Descriptors()  # of the whole process, as the locks are


def _inode(stat: os.stat_result) -> tuple[int, int]:
    return stat.st_dev, stat.st_ino


class Pages:
    """The pages of one file, by their numbers: the first is 1."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        size, _, _, reserved = SIZES.unpack(os.pread(descriptor, SIZES.size, 16))
        self._size = 65_536 if size == 1 else size
        self._usable = self._size - reserved

    def with_traces(self) -> Iterator[int]:
        """Yields the numbers of pages whose gap is not empty, as they are found."""
        number, began = 1, time.monotonic()
        while pages := os.pread(self._descriptor, AT_ONCE * self._size, (number - 1) * self._size):
            took = time.monotonic() - began
            for start in range(0, len(pages) - self._size + 1, self._size):
                if self._trace(pages[start : start + self._size], number):
                    yield number
                number += 1
            if len(pages) < AT_ONCE * self._size:
                return
            time.sleep(max(PAUSE, took))  # where they come from the disk, others have it for as long
            began = time.monotonic()

    def clear(self, numbers: Sequence[int], until: float) -> int:
        """Empties the gaps of these pages, until the time is over. Returns of how many."""
        for done, number in enumerate(numbers):
            if time.monotonic() > until:
                return done
            place = (number - 1) * self._size
            gap = self._trace(os.pread(self._descriptor, self._size, place), number)
            if gap:
                os.pwrite(self._descriptor, bytes(len(gap)), place + gap.start)
        return len(numbers)

    def sync(self) -> None:
        os.fsync(self._descriptor)

    def _trace(self, page: bytes, number: int) -> range | None:
        """Returns the gap of the page, if it is one of a tree and its gap is not empty."""
        at = FIRST_PAGE if number == 1 else 0
        kind, _, rows, begin = HEADER.unpack_from(page, at)
        if kind in LEAVES:
            start = at + LEAF_BYTES + 2 * rows
        elif kind in INNER:
            start = at + INNER_BYTES + 2 * rows
        else:
            return None
        end = min(begin or 65_536, self._usable)
        return range(start, end) if page[start:end].strip(b"\0") else None
