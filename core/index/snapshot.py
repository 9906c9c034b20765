"""The format of an index's snapshot: one blob, verified as a whole before any of it is used.

Law: a snapshot is a cache. One that is torn, of another format, another machine's byte order or other
settings is `SnapshotUnusable`, never half read; and its content is verified, entry by entry, against
the rows by its reader.

A blob is the magic, the SHA-256 digest of all that follows, the length of a JSON header, the
header, and the arrays it names, little-endian, each at a multiple of 8.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAGIC = b"memorybank index 1\n"
_DIGEST = 32  # bytes
_PIECE = 1 << 22  # bytes hashed at a time
_LINES = 1 << 14  # bytes of text taken apart at a time: a list made in one go holds up every other thread


class SnapshotUnusable(Exception):
    """The blob is not what was written, or not for this index. Internal: the load goes on without it."""


Report = Callable[[str], None]
"""Called with the reason why a snapshot was not used."""

_DAMAGE = (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError)


def unreported(reason: str) -> None:
    """Ignores the reason: for loads whose snapshots are of no interest."""


@contextmanager
def guarded(report: Report) -> Iterator[None]:
    """Guards whatever reads a snapshot: an error that its content causes ends here, and `report` gets the reason."""
    try:
        yield
    except SnapshotUnusable as unusable:
        report(str(unusable))
    except _DAMAGE as damage:
        report(f"{type(damage).__name__}: {damage}")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Parts:
    """What a blob holds: `facts` that must hold for it to be of use, and arrays by name."""

    facts: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]

    def array(self, name: str, kind: str, rank: int = 1) -> NDArray[Any]:
        """Returns an array, if it is there with this dtype and number of axes. Raises SnapshotUnusable."""
        found = self.arrays.get(name)
        if found is None or found.dtype != np.dtype(kind) or found.ndim != rank:
            raise SnapshotUnusable(f"no array {name} of {kind}")
        return found


Blob = bytes | Parts
"""A snapshot as it is stored, or unpacked already."""


def packed(parts: Parts) -> list[bytes]:
    """Serialises the parts; returns the blob in pieces."""
    named, body, place = [], [], 0
    for name, array in parts.arrays.items():
        # As bytes: a view would keep whatever the array lies in.
        raw = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        named.append([name, array.dtype.newbyteorder("<").str, list(array.shape), place])
        body += [raw, b"\0" * (-len(raw) % 8)]
        place += len(raw) + len(body[-1])
    header = json.dumps([parts.facts, named], sort_keys=True).encode()
    header += b" " * (-len(header) % 8)
    tail = [len(header).to_bytes(8, "little"), header, *body]
    return [MAGIC, _digest(tail), *tail]


def unpacked(blob: Blob) -> Parts:
    """Returns what `packed` was given, its arrays read-only views of the blob. Raises SnapshotUnusable."""
    if isinstance(blob, Parts):
        return blob
    start = len(MAGIC) + _DIGEST
    view = memoryview(blob)
    if blob[: len(MAGIC)] != MAGIC or len(blob) < start + 8:
        raise SnapshotUnusable("no snapshot, or one of another format")
    if _digest([view[start:]]) != blob[len(MAGIC) : start]:
        raise SnapshotUnusable("not the bytes that were written")
    body = start + 8 + int.from_bytes(blob[start : start + 8], "little")
    facts, named = json.loads(blob[start + 8 : body])
    return Parts(
        facts=facts,
        arrays={
            name: np.frombuffer(view[body + place :], dtype, count=int(np.prod(shape))).reshape(shape)
            for name, dtype, shape, place in named
        },
    )


def text_array(lines: Sequence[str]) -> NDArray[np.uint8]:
    """Encodes texts without line breaks as an array."""
    return np.frombuffer("".join([line + "\n" for line in lines]).encode(), np.uint8)


def texts_of(array: NDArray[np.uint8]) -> list[str]:
    """Decodes the texts of `text_array`."""
    return [line for piece in _pieces(array.tobytes()) for line in piece.decode().split("\n")[:-1]]


def _pieces(raw: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(raw):
        end = raw.find(b"\n", start + _LINES)
        end = len(raw) if end < 0 else end + 1
        yield raw[start:end]
        start = end


def _digest(pieces: Sequence[bytes | memoryview]) -> bytes:
    digest = sha256()
    for piece in pieces:
        whole = memoryview(piece)
        for start in range(0, len(whole), _PIECE):
            digest.update(whole[start : start + _PIECE])
    return digest.digest()
