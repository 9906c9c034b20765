"""Python's values in the contract's form."""

import sys
from array import array
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol, runtime_checkable

from google.protobuf.timestamp_pb2 import Timestamp

from memorybank.v1.types_pb2 import Vector


@runtime_checkable
class Array(Protocol):
    """What is used of a numpy array, so that numpy need not be installed."""

    @property
    def ndim(self) -> int: ...
    def astype(self, dtype: str) -> "Array": ...
    def tobytes(self) -> bytes: ...


def vector(numbers: Sequence[float] | Array) -> Vector:
    """Returns an embedding as the wire wants it: little-endian float32. Takes a sequence or a one-dimensional numpy
    array."""
    if isinstance(numbers, Array):
        if numbers.ndim != 1:
            raise ValueError(f"a vector has one dimension, this array {numbers.ndim}: give one of its rows")
        return Vector(f32=numbers.astype("<f4").tobytes())
    return Vector(f32=_little_endian(array("f", numbers)).tobytes())


def numbers(embedding: Vector) -> list[float]:
    """Returns the numbers of an embedding in a response."""
    if not embedding.f32:
        return list(embedding.values)
    return _little_endian(array("f", embedding.f32)).tolist()


NEVER = timedelta(seconds=-1)
"""The ttl of a bank that stays until it is deleted."""


def timestamp(moment: datetime) -> Timestamp:
    """Returns a moment as the wire wants it. A naive one is refused (ValueError): its zone would be a guess."""
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no time zone: give it one, datetime.UTC say")
    made = Timestamp()
    made.FromDatetime(moment)
    return made


def _little_endian(floats: "array[float]") -> "array[float]":
    if sys.byteorder == "big":
        floats.byteswap()
    return floats
