"""Vectors and times in the contract's form, and back."""

import struct
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from memorybank.v1.types_pb2 import Vector
from memorybank_client import numbers, timestamp, vector

NUMBERS = [0.25, -1.5, 3.0]
WIRE = struct.pack("<3f", *NUMBERS)


@pytest.mark.parametrize(
    "given",
    [
        NUMBERS,
        tuple(NUMBERS),
        np.array(NUMBERS),
        np.array(NUMBERS, dtype=">f8"),
        np.array(NUMBERS, dtype="f4"),
        np.array([0.25, 9, -1.5, 9, 3.0, 9])[::2],
    ],
    ids=["list", "tuple", "float64", "big-endian", "float32", "strided"],
)
def test_a_vector_is_little_endian_float32_whatever_it_was(given: list[float]) -> None:
    made = vector(given)

    assert made.f32 == WIRE


def test_an_array_of_vectors_is_refused() -> None:
    with pytest.raises(ValueError, match="one dimension"):
        vector(np.zeros((2, 3)))


def test_a_vector_is_read_in_either_form() -> None:
    assert numbers(Vector(f32=WIRE)) == NUMBERS
    assert numbers(Vector(values=NUMBERS)) == NUMBERS


def test_a_moment_is_sent_in_utc() -> None:
    moment = datetime(2026, 5, 1, 9, 0, 0, 250, tzinfo=timezone(timedelta(hours=8)))

    made = timestamp(moment)

    assert made.ToDatetime(UTC) == moment


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        timestamp(datetime(2026, 5, 1, 9))  # noqa: DTZ001  a naive one is the point
