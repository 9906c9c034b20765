"""Times, durations and vectors as messages."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from core.model.vector import Vector
from memorybank.v1 import types_pb2

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@lru_cache(maxsize=256)  # a node bears its time three times, a batch one for all
def time(value: datetime) -> Timestamp:
    """Renders a time. It is shared: messages take a copy of it, and nothing may change it."""
    seconds, micros = divmod((value - _EPOCH) // _MICROSECOND, 1_000_000)
    return Timestamp(seconds=seconds, nanos=micros * 1_000)


def time_or_none(value: datetime | None) -> Timestamp | None:
    return None if value is None else time(value)


def duration(value: timedelta) -> Duration:
    seconds, micros = divmod(value // _MICROSECOND, 1_000_000)
    return Duration(seconds=seconds, nanos=micros * 1_000)


def vector(value: Vector) -> types_pb2.Vector:
    return types_pb2.Vector(f32=value.astype("<f4", copy=False).tobytes())
