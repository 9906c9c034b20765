"""What readers and renderers share: the fields of values, enums by name, and the source of a function."""

import linecache
import types
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from itertools import count
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from google.protobuf.descriptor import FieldDescriptor


class Source:
    """The source of one function, and the names that it uses."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._names: dict[str, Any] = {}
        self._numbers = count()

    def named(self, value: Any) -> str:
        """Returns a name for a value."""
        name = f"k{next(self._numbers)}"
        self._names[name] = value
        return name

    def compiled(self, function: str, text: str) -> Any:
        """Returns the function of this name in the source."""
        file = f"<{self._name}>"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        exec(compile(text, file, "exec"), self._names)  # noqa: S102  of the contract and of types, nothing that came from outside
        return self._names[function]


class ValueField(NamedTuple):
    """A field of a value: its type without None, whether it may be None, and its default, MISSING where it has none."""

    hint: Any
    optional: bool
    default: Any


def fields_of(value: Any) -> dict[str, ValueField]:
    """Returns the fields of a dataclass or a named tuple by name."""
    if is_dataclass(value):
        defaults = {
            each.name: each.default_factory() if each.default_factory is not MISSING else each.default
            for each in fields(value)
        }
    else:
        defaults = {name: value._field_defaults.get(name, MISSING) for name in value._fields}
    hints = hints_of(value)
    return {name: ValueField(*bare(hints[name]), default) for name, default in defaults.items()}


def is_value(hint: Any) -> bool:
    """Whether a type has fields of its own."""
    origin = get_origin(hint) or hint
    return isinstance(origin, type) and (is_dataclass(origin) or hasattr(origin, "_fields"))


def hints_of(value: Any) -> dict[str, Any]:
    """Returns the types of a value's fields; none of what is no dataclass and no named tuple."""
    origin, arguments = get_origin(value) or value, get_args(value)
    if not is_value(origin):
        return {}
    names = [each.name for each in fields(origin)] if is_dataclass(origin) else list(origin._fields)
    hints = get_type_hints(origin)
    known = dict(zip(getattr(origin, "__parameters__", ()), arguments, strict=False))
    return {name: known.get(hints[name], hints[name]) for name in names}


def bare(hint: Any) -> tuple[Any, bool]:
    """Returns a type without None, and whether it may be None."""
    if get_origin(hint) in (Union, types.UnionType):
        rest = [each for each in get_args(hint) if each is not type(None)]
        return (rest[0] if len(rest) == 1 else hint), len(rest) < len(get_args(hint))
    return hint, False


def members_of(hint: type[Enum], field: FieldDescriptor) -> dict[int, Any]:
    """Returns core's values by an enum's numbers, in core's order: `SUMMARY_KIND_LONG` is LONG."""
    assert field.enum_type is not None
    values = field.enum_type.values
    prefix = values[0].name.removesuffix("UNSPECIFIED")
    numbers = {each.name.removeprefix(prefix): each.number for each in values}
    return {numbers[member.name]: member for member in hint}
