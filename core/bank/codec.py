"""Frozen values to bytes and back: compact JSON, led by type hints, compiled once per class.

Law: what is written reads back equal: vectors bit for bit, times to the microsecond. Reading is
additive: fields it does not know are ignored, fields that are missing take their defaults, and
a member of a union (a step) that it does not know is refused with StepUnknown.

How values look: a dataclass is an object of all its fields; a member of a union of dataclasses
is `{"ClassName": {…}}`; tuples are arrays; a time is an integer of microseconds since 1970 UTC;
bytes and vectors (little-endian float32) are base64; a mapping is an object, or an array of
pairs when its keys are not text.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, NewType, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import numpy as np

from core.bank.change import Step, Vector
from core.errors import StepUnknown

T = TypeVar("T")
Convert = Callable[[Any], Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
dumps: Callable[[Any], str] = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":")
).encode


def encode(value: object) -> bytes:
    """A frozen dataclass as UTF-8 JSON. Raises TypeError for a field whose type has no form here."""
    return encode_text(value).encode()


def encode_text(value: object) -> str:
    """The same as text, for a column that people read."""
    return dumps(form(type(value)).written(value))


def decode(type_: type[T], encoded: bytes | str) -> T:
    """The value of `type_` that `encode` wrote, now or with another version's fields."""
    return cast(T, form(type_).taken(json.loads(encoded)))


def encode_steps(steps: Sequence[Step]) -> bytes:
    """A change's steps, each under its name. Raises StepUnknown for what is no step."""
    return encode_steps_text(steps).encode()


def encode_steps_text(steps: Sequence[Step]) -> str:
    """The same as text, for a column that people read."""
    return dumps(form(tuple[Step, ...]).written(steps))


def decode_steps(encoded: bytes | str) -> tuple[Step, ...]:
    """Raises StepUnknown for a step written by a newer program."""
    return cast(tuple[Step, ...], form(tuple[Step, ...]).taken(json.loads(encoded)))


def vector_bytes(vector: Vector) -> bytes:
    """A float32 vector of shape (dimension,) as 4 × dimension little-endian bytes."""
    if vector.dtype != np.float32 or vector.ndim != 1:
        raise TypeError(f"a vector is float32 of one axis, not {vector.dtype} of {vector.ndim}")
    return vector.astype("<f4", copy=False).tobytes()


def vector_of(stored: bytes) -> Vector:
    """The vector of `vector_bytes`; read-only, and no copy on little-endian machines."""
    return np.frombuffer(stored, dtype="<f4").astype(np.float32, copy=False)


def micros(time: datetime) -> int:
    """Microseconds since 1970 UTC. Raises TypeError for a time without a zone."""
    return (time - _EPOCH) // _MICROSECOND


def instant(microseconds: int) -> datetime:
    """The time, in UTC, that `micros` counted."""
    return _EPOCH + timedelta(microseconds=microseconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How one type stands in JSON. `write` and `read` are None where JSON has the very value."""

    write: Convert | None = None
    read: Convert | None = None
    scalar: bool = False  # text, number, truth or null in JSON

    def written(self, value: Any) -> Any:
        return value if self.write is None else self.write(value)

    def taken(self, plain: Any) -> Any:
        return plain if self.read is None else self.read(plain)


_FORMS: dict[Any, Form] = {  # by type hint: grows by each hint's first use
    **dict.fromkeys((str, int, float, bool, NoneType), Form(scalar=True)),
    datetime: Form(write=micros, read=instant, scalar=True),
    timedelta: Form(
        write=lambda span: span // _MICROSECOND, read=lambda n: timedelta(microseconds=n), scalar=True
    ),
    bytes: Form(write=lambda raw: b64encode(raw).decode(), read=b64decode, scalar=True),
}


def form(hint: Any) -> Form:
    """The form of a type hint. Compiled at its first use, then looked up."""
    known = _FORMS.get(hint)
    if known is None:
        known = _FORMS[hint] = _compiled(hint)
    return known


def _compiled(hint: Any) -> Form:
    origin = get_origin(hint)
    if isinstance(hint, NewType):
        return form(hint.__supertype__)
    if origin in (Union, UnionType):
        return _union(get_args(hint))
    if origin is np.ndarray:
        return Form(
            write=lambda v: b64encode(vector_bytes(v)).decode(), read=lambda s: vector_of(b64decode(s))
        )
    if origin in (tuple, Sequence):
        return _tuple(get_args(hint))
    if origin is Mapping:
        return _mapping(*get_args(hint))
    return _class(hint)


def _class(hint: Any) -> Form:
    if isinstance(hint, type):
        if issubclass(hint, Enum):
            return Form(write=attrgetter("value"), read=hint, scalar=True)
        if issubclass(hint, tuple) and hasattr(hint, "_fields"):
            members = _tuple(tuple(get_type_hints(hint).values()))
            return Form(write=members.write or list, read=lambda plain: hint(*members.taken(plain)))
        if is_dataclass(hint):
            return _dataclass(hint)
    raise TypeError(f"no JSON form for {hint!r}")


def _dataclass(class_: type) -> Form:
    hints = get_type_hints(class_)
    names = [field.name for field in fields(class_)]
    writers = [(name, form(hints[name]).write) for name in names]
    changed = [(name, write) for name, write in writers if write is not None]
    readers = [(name, form(hints[name]).read) for name in names]

    def write(value: Any) -> dict[str, Any]:
        plain = {name: getattr(value, name) for name in names}
        for name, convert in changed:
            plain[name] = convert(plain[name])
        return plain

    def read(plain: dict[str, Any]) -> Any:
        return class_(
            **{
                name: plain[name] if convert is None else convert(plain[name])
                for name, convert in readers
                if name in plain
            }
        )

    return Form(write=write, read=read)


def _union(members: tuple[Any, ...]) -> Form:
    others = [member for member in members if member is not NoneType]
    inner = _named(others) if len(others) > 1 else form(others[0])
    if len(others) == len(members):
        return inner
    write, read = inner.write, inner.read
    return Form(
        write=None if write is None else lambda value: None if value is None else write(value),
        read=None if read is None else lambda plain: None if plain is None else read(plain),
        scalar=inner.scalar,
    )


def _named(classes: list[type]) -> Form:
    forms = {class_.__name__: form(class_) for class_ in classes}
    if not all(is_dataclass(class_) for class_ in classes):
        raise TypeError(f"no JSON form for a union of {classes!r}: only dataclasses have names")

    def write(value: Any) -> dict[str, Any]:
        name = type(value).__name__
        if name not in forms:
            raise StepUnknown(name)
        return {name: forms[name].written(value)}

    def read(plain: dict[str, Any]) -> Any:
        ((name, body),) = plain.items()
        if name not in forms:
            raise StepUnknown(name)
        return forms[name].taken(body)

    return Form(write=write, read=read)


def _tuple(members: tuple[Any, ...]) -> Form:
    if len(members) == 1 or members[-1] is Ellipsis:
        each = form(members[0])
        write, read = each.write, each.read
        return Form(
            write=list if write is None else lambda values: [write(value) for value in values],
            read=tuple if read is None else lambda plain: tuple([read(part) for part in plain]),
        )
    forms = [form(member) for member in members]
    return Form(
        write=lambda values: [f.written(value) for f, value in zip(forms, values, strict=True)],
        read=lambda plain: tuple([f.taken(part) for f, part in zip(forms, plain, strict=True)]),
    )


def _mapping(key: Any, value: Any) -> Form:
    keys, values = form(key), form(value)
    if keys.write is None:
        return Form(
            write=lambda mapping: {k: values.written(v) for k, v in mapping.items()},
            read=lambda plain: {k: values.taken(v) for k, v in plain.items()},
        )
    return Form(
        write=lambda mapping: [[keys.written(k), values.written(v)] for k, v in mapping.items()],
        read=lambda plain: {keys.taken(k): values.taken(v) for k, v in plain},
    )
