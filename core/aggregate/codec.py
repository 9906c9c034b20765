"""Frozen values to bytes and back: compact JSON, led by type hints, compiled once per class.

Values become JSON text at once, not by way of dicts and lists: every write pays for this.

Law: what is written reads back equal: vectors bit for bit, times to the microsecond. Reading is
additive: fields it does not know are ignored, fields that are missing take their defaults, and
a member of a union (a step) that it does not know is refused with StepUnknown.

How values look: a dataclass is an object of all its fields; a member of a union of dataclasses
is `{"ClassName": {…}}` (a step: `{"StoredName": {…}}`); tuples are arrays; a time is an integer of microseconds since
1970 UTC; bytes and vectors (little-endian float32) are base64; a mapping is an object, or an array of
pairs when its keys are not text.
"""

import json
from base64 import b64decode
from binascii import b2a_base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import cached_property, lru_cache
from json.encoder import encode_basestring as quoted
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Generic, NewType, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import numpy as np

from core.aggregate.change import S
from core.errors import StepUnknown
from core.model.vector import Vector

T = TypeVar("T")
Convert = Callable[[Any], Any]
Text = Callable[[Any], str]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
dumps: Callable[[Any], str] = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":")
).encode


def encode(value: object) -> bytes:
    """Returns a frozen dataclass as UTF-8 JSON. Raises TypeError for a field whose type has no form here."""
    return encode_text(value).encode()


def encode_text(value: object) -> str:
    """Returns the same as text, for a column that is readable as it stands."""
    return form(type(value)).text(value)


def decode(type_: type[T], encoded: bytes | str) -> T:
    """Returns the value of `type_` that `encode` wrote, now or with another version's fields."""
    return cast(T, form(type_).taken(json.loads(encoded)))


class StepCodec(Generic[S]):
    """The steps of one kind of aggregate in their written form: each under its stored name."""

    def __init__(self, steps: type[S]) -> None:
        """`steps`: the class whose subclasses the steps are, or the only step there is."""
        self._steps = steps

    @cached_property
    def _form(self) -> "Form":
        """Made at its first use, when all of them are known."""
        named = {
            _stored_name(step): step for step in self._steps.__subclasses__()
        }  # slots make a second class of each
        return _sequence(_named(list(named.values()) or [self._steps]))

    def text(self, steps: Sequence[S]) -> str:
        """Renders steps for a column that is readable as it stands. Raises StepUnknown for what is no step."""
        return self._form.text(steps)

    def steps(self, encoded: bytes | str) -> tuple[S, ...]:
        """Reads what `text` wrote. Raises StepUnknown for a step written by a newer program."""
        return cast(tuple[S, ...], self._form.taken(json.loads(encoded)))


def vector_bytes(vector: Vector) -> bytes:
    """Returns a float32 vector of shape (dimension,) as 4 × dimension little-endian bytes."""
    if vector.dtype != np.float32 or vector.ndim != 1:
        raise TypeError(f"a vector is float32 of one axis, not {vector.dtype} of {vector.ndim}")
    return vector.astype("<f4", copy=False).tobytes()


def vector_of(stored: bytes) -> Vector:
    """Returns the vector of `vector_bytes`; read-only, and no copy on little-endian machines."""
    return np.frombuffer(stored, dtype="<f4").astype(np.float32, copy=False)


@lru_cache(maxsize=1_024)  # a change repeats the same few times
def micros(time: datetime) -> int:
    """Returns microseconds since 1970 UTC. Raises TypeError for a time without a zone."""
    return (time - _EPOCH) // _MICROSECOND


def instant(microseconds: int) -> datetime:
    """Returns the time, in UTC, that `micros` counted."""
    return _EPOCH + timedelta(microseconds=microseconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How one type stands in JSON: its text, and what makes the value of what JSON gives back (None: the very value).

    A scalar (text, number, truth or null in JSON) is also a column: `write` makes it so (None: the very value).
    """

    text: Text
    read: Convert | None = None
    scalar: bool = False
    write: Convert | None = None

    def taken(self, plain: Any) -> Any:
        return plain if self.read is None else self.read(plain)


def expression(source: str, names: Mapping[str, Any]) -> Callable[[Any], Any]:
    """Returns a function of `value`, written out: a loop over a class's fields would take twice its time for every
    value."""
    made: Callable[[Any], Any] = eval(f"lambda value: {source}", dict(names))  # noqa: S307 - of fields' names, no data
    return made


def _base64(raw: bytes) -> str:
    return str(b2a_base64(raw, newline=False), "ascii")


def _scalar(text: Text, write: Convert | None = None, read: Convert | None = None) -> Form:
    shown = text if write is None else lambda value: text(write(value))
    return Form(text=shown, read=read, scalar=True, write=write)


_FORMS: dict[Any, Form] = {  # by type hint: grows by each hint's first use
    str: _scalar(quoted),
    int: _scalar(int.__repr__),
    float: _scalar(dumps),
    bool: _scalar(lambda truth: "true" if truth else "false"),
    NoneType: _scalar(lambda _none: "null"),
    datetime: _scalar(int.__repr__, micros, instant),
    timedelta: _scalar(int.__repr__, lambda span: span // _MICROSECOND, lambda n: timedelta(microseconds=n)),
    bytes: _scalar(quoted, _base64, b64decode),
}


def form(hint: Any) -> Form:
    """Returns the form of a type hint. Compiled at its first use, then looked up."""
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
            text=lambda vector: f'"{_base64(vector_bytes(vector))}"',
            read=lambda encoded: vector_of(b64decode(encoded)),
        )
    if origin in (tuple, Sequence):
        return _tuple(get_args(hint))
    if origin is Mapping:
        return _mapping(*get_args(hint))
    return _class(hint)


def _class(hint: Any) -> Form:
    if isinstance(hint, type):
        if issubclass(hint, StrEnum):
            return _scalar(quoted, attrgetter("value"), hint)
        if issubclass(hint, tuple) and hasattr(hint, "_fields"):
            hints = tuple(get_type_hints(hint).values())
            members = _tuple(hints)
            if all(form(member).read is None for member in hints):
                return Form(text=members.text, read=cast(Any, hint)._make)
            return Form(text=members.text, read=lambda plain: hint(*members.taken(plain)))
        if is_dataclass(hint):
            return _dataclass(hint)
    raise TypeError(f"no JSON form for {hint!r}")


def _dataclass(class_: type) -> Form:
    hints = get_type_hints(class_)
    names = [field.name for field in fields(class_)]
    texts = {f"{name}_text": form(hints[name]).text for name in names}
    members = ",".join(f'"{name}":{{{name}_text(value.{name})}}' for name in names)
    readers = [(name, form(hints[name]).read) for name in names]

    def read(plain: dict[str, Any]) -> Any:
        return class_(
            **{
                name: plain[name] if convert is None else convert(plain[name])
                for name, convert in readers
                if name in plain
            }
        )

    return Form(text=expression("f'{{" + members + "}}'", texts), read=read)


def _union(members: tuple[Any, ...]) -> Form:
    others = [member for member in members if member is not NoneType]
    inner = _named(others) if len(others) > 1 else form(others[0])
    if len(others) == len(members):
        return inner
    text, read, write = inner.text, inner.read, inner.write
    return Form(
        text=lambda value: "null" if value is None else text(value),
        read=None if read is None else lambda plain: None if plain is None else read(plain),
        scalar=inner.scalar,
        write=None if write is None else lambda value: None if value is None else write(value),
    )


def _named(classes: list[type]) -> Form:
    names = {class_: _stored_name(class_) for class_ in classes}
    forms = {name: form(class_) for class_, name in names.items()}
    if not all(is_dataclass(class_) for class_ in classes):
        raise TypeError(f"no JSON form for a union of {classes!r}: only dataclasses have names")

    def text(value: Any) -> str:
        name = names.get(type(value))
        if name is None:
            raise StepUnknown(type(value).__name__)
        return f'{{"{name}":{forms[name].text(value)}}}'

    def read(plain: dict[str, Any]) -> Any:
        ((name, body),) = plain.items()
        if name not in forms:
            raise StepUnknown(name)
        return forms[name].taken(body)

    return Form(text=text, read=read)


def _stored_name(class_: type) -> str:
    return getattr(class_, "STORED_NAME", "") or class_.__name__


def _tuple(members: tuple[Any, ...]) -> Form:
    if len(members) == 1 or members[-1] is Ellipsis:
        return _sequence(form(members[0]))
    forms = [form(member) for member in members]
    texts = [each.text for each in forms]
    return Form(
        text=lambda values: f"[{','.join([t(value) for t, value in zip(texts, values, strict=True)])}]",
        read=lambda plain: tuple([f.taken(part) for f, part in zip(forms, plain, strict=True)]),
    )


def _sequence(each: Form) -> Form:
    text, read = each.text, each.read
    return Form(
        text=lambda values: f"[{','.join(map(text, values))}]" if values else "[]",
        read=tuple if read is None else lambda plain: tuple([read(part) for part in plain]),
    )


def _mapping(key: Any, value: Any) -> Form:
    keys, values = form(key), form(value)
    name, text = keys.text, values.text
    if name is quoted:
        return Form(
            text=lambda mapping: (
                f"{{{','.join([f'{name(k)}:{text(v)}' for k, v in mapping.items()])}}}" if mapping else "{}"
            ),
            read=lambda plain: {k: values.taken(v) for k, v in plain.items()},
        )
    return Form(
        text=lambda mapping: f"[{','.join([f'[{name(k)},{text(v)}]' for k, v in mapping.items()])}]",
        read=lambda plain: {keys.taken(k): values.taken(v) for k, v in plain},
    )
