"""Renders values as messages, field by field, by name and type.

Law: a message's field is the value's field of that name, or the one field of that name in a value that it holds
(`Committed.result`, `ConversationRecord.key`); anything else is said in a line. A field that nothing says is an error,
by the first call at the latest, and a test makes every renderer. A renderer is a plain function: its source is written
once, when it is first called, as dataclasses write theirs.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar, get_args, get_origin, get_type_hints

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from service.api.mapping.source import Source, bare, hints_of, members_of
from service.api.to_proto.scalars import duration, time

Value = TypeVar("Value")
M = TypeVar("M", bound=Message)

UNSET = None
"""The line of a field that stays unset."""
Line = str | Callable[..., Any] | None
"""Where a field's value is: a path (`record.key.user`), what makes it of the value, or UNSET."""

RENDERERS: "dict[tuple[Any, str], Renderer[Any, Any]]" = {}
"""All that were declared, by the value's type and the message's name: what lies within a value is rendered by them."""


class Renderer(Generic[Value, M]):
    """Makes messages of values. `parameters`: of its function; lines are called with them, too."""

    def __init__(
        self, value: Any, message: type[M], lines: Mapping[str, Line], parameters: str = "v"
    ) -> None:
        self._value, self._message, self._lines, self._parameters = value, message, lines, parameters
        self._render: Callable[..., M] | None = None

    def __call__(self, *given: Any) -> M:
        return (self._render or self.compiled())(*given)

    def compiled(self) -> Callable[..., M]:
        """Returns the function, written when it is first asked for. Raises TypeError for a field that nothing says."""
        if self._render is None:
            source = _Source(self._message, self._parameters)
            self._render = source.function(self._value, self._lines)
        return self._render


def rendering(value: type[Value], message: type[M], **lines: Line) -> Callable[[Value], M]:
    """Declares how values of a type are rendered. `lines`: the fields that do not follow from name and type."""
    made = Renderer[Value, M](value, message, lines)
    RENDERERS[value, message.DESCRIPTOR.full_name] = made
    return made


def rendering_with(value: type[Value], message: type[M], **lines: Line) -> Callable[[Value, Any], M]:
    """Declares how values are rendered with something beside them, which lines take, too."""
    made = Renderer[Value, M](value, message, lines, "v, beside")
    RENDERERS[value, message.DESCRIPTOR.full_name] = made
    return made


class _Source(Source):
    """The source of one renderer."""

    def __init__(self, message: type[Message], parameters: str) -> None:
        descriptor: Any = message.DESCRIPTOR  # of either implementation
        super().__init__(descriptor.name)
        self._message = self.named(message)
        self._descriptor: Descriptor = descriptor
        self._parameters = parameters

    def function(self, value: Any, lines: Mapping[str, Line]) -> Any:
        name = self._descriptor.name
        if astray := set(lines) - set(self._descriptor.fields_by_name):
            raise TypeError(f"{name} has no {', '.join(sorted(astray))}")
        given = []
        for field in self._descriptor.fields:
            line = lines.get(field.name, field.name)
            if callable(line):
                given.append(f"{field.name}={self.named(line)}({self._parameters})")
            elif line is not None:
                path, hint, optional = found(value, line, name)
                made = self._converted(field, hint, f"v.{path}")
                guard = f"None if v.{optional} is None else " if optional else ""
                given.append(f"{field.name}={guard}{made}")
        text = f"def render({self._parameters}):\n    return {self._message}({', '.join(given)})\n"
        return self.compiled("render", text)

    def _converted(self, field: FieldDescriptor, hint: Any, source: str) -> str:
        """Returns the expression of a value as the field has it."""
        hint, optional = bare(hint)
        is_map = field.message_type is not None and field.message_type.GetOptions().map_entry
        if field.is_repeated and not is_map:
            inner = self._one(field, get_args(hint)[0], "e")
            several = source if inner == "e" else f"[{inner} for e in {source}]"
            if field.message_type is not None:
                several = f"map({inner.removesuffix('(e)')}, {source})"  # a list of them takes a fifth longer
            return f"{several} if {source} else None"  # an empty one takes as long to put in as a full one
        made = source if is_map else self._one(field, hint, source)
        return f"None if {source} is None else {made}" if optional and made != source else made

    def _one(self, field: FieldDescriptor, hint: Any, source: str) -> str:
        if hint is datetime:
            return f"{self.named(time)}({source})"
        if hint is timedelta:
            return f"{self.named(duration)}({source})"
        if field.enum_type is not None:
            numbers = {member: number for number, member in members_of(hint, field).items()}
            return f"{self.named(numbers)}[{source}]"
        if field.message_type is not None:
            return f"{self.named(renderer_of(hint, field.message_type).compiled())}({source})"
        return source


def renderer_of(value: Any, message: Descriptor) -> "Renderer[Any, Any]":
    """Returns what renders values of a type as a message: as declared, or else by names alone."""
    if (value, message.full_name) not in RENDERERS:
        RENDERERS[value, message.full_name] = Renderer(value, GetMessageClass(message), {})
    return RENDERERS[value, message.full_name]


def found(value: Any, path: str, message: str) -> tuple[str, Any, str]:
    """Returns where a value has a field, and its type: by its path, or in the one value within that has it; last the
    path of the value within, where that may be None."""
    first, _, rest = path.partition(".")
    own = hints_of(value)
    if not rest:
        if path in own:
            return path, own[path], ""
        if isinstance(computed := getattr(get_origin(value) or value, path, None), property):
            return path, get_type_hints(computed.fget)["return"], ""
        within = [name for name, hint in own.items() if path in hints_of(bare(hint)[0])]
        if len(within) != 1:
            raise TypeError(f"{message}.{path} is in no field of {value}, or in several: say it in a line")
        first, rest = within[0], path
    inner, optional = bare(own[first])
    at, hint, deeper = found(inner, rest, message)
    if optional and deeper:
        raise TypeError(f"{message}.{path} is in what may be None in what may be None: say it in a line")
    return f"{first}.{at}", hint, first if optional else deeper and f"{first}.{deeper}"
