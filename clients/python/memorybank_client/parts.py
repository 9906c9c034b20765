"""The reader of the parts that vendors' messages are made of: for `messages.py` alone.

A part that is not known raises TypeError: one that nobody reads would be lost in silence.
"""

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memorybank_client.forms import FORMS, KEYED, UNTYPED, Form, Kind

Plain = Mapping[str, Any]

LONGEST_LABEL = 200  # code points; a longer one is an image's bytes
CALL_IDS = ("id", "call_id", "tool_call_id", "tool_use_id")
LINE_BREAK = re.compile(r"(?<!\\)((?:\\\\)*)\\n")  # in a string of JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part as it was read. `tool` and `call_ids` are those of a call or a result."""

    kind: Kind
    text: str
    tool: str = ""
    call_ids: tuple[str, ...] = ()

    @property
    def is_told(self) -> bool:
        """Whether it tells anything."""
        return bool(self.text or self.kind is Kind.CALL)

    @property
    def marked(self) -> str:
        """Its words, with what they are in front."""
        if self.kind is Kind.CALL:
            return f"[tool {self.tool or 'unnamed'}] {self.text}".rstrip()
        return f"[result] {self.text}" if self.kind is Kind.RESULT else self.text


def plain(given: Any) -> Any:
    """Returns a value with the objects of SDKs in it as mappings."""
    if isinstance(given, str | bytes | int | float | None):
        return given
    if isinstance(given, Mapping):
        return {name: plain(value) for name, value in given.items()}
    if isinstance(given, list | tuple):
        return [plain(each) for each in given]
    if hasattr(given, "model_dump"):
        return plain(given.model_dump())
    if dataclasses.is_dataclass(given) and not isinstance(given, type):
        return {field.name: plain(getattr(given, field.name)) for field in dataclasses.fields(given)}
    held: Plain | None = getattr(given, "__dict__", None)
    if held is None:
        return given
    return {name: plain(value) for name, value in held.items() if not name.startswith("_")}


def field_of(part: Plain, name: str) -> Any:
    """Returns a field by its name, in snake case or in camel case."""
    if name in part:
        return part[name]
    first, *others = name.split("_")
    return part.get(first + "".join(map(str.capitalize, others)))


def parts_of(content: Any, untyped: str = "") -> Iterator[Part]:
    """Reads a plain content: a text, a part, or a list of them. Raises TypeError for a part that is not known."""
    if content is None:
        return
    if isinstance(content, str):
        yield Part(kind=Kind.SAID, text=content)
    elif isinstance(content, list):
        for place, each in enumerate(content):
            try:
                yield from parts_of(each, untyped)
            except TypeError as problem:
                raise TypeError(f"[{place}]{_deeper(problem)}") from None
    elif isinstance(content, Mapping):
        yield from _part(content, untyped)
    else:
        raise TypeError(f": {content!r:.80} is no part of a message")


def _part(part: Plain, untyped: str) -> Iterator[Part]:
    type_ = part.get("type")
    form = FORMS.get(type_) if isinstance(type_, str) else UNTYPED.get(untyped) or _autogen(part)
    if isinstance(type_, str):
        if form is None:
            raise TypeError(f": a part of type {type_!r} is not known")
        yield from read(part, form)
    elif form is not None:
        yield from read(part, form)
    else:
        yield from _keyed(part)


def _keyed(part: Plain) -> Iterator[Part]:
    """Reads a part that one of its fields names, as Gemini's."""
    held = [(name, value) for name in KEYED if (value := field_of(part, name)) is not None]
    if not held and not field_of(part, "thought_signature"):
        raise TypeError(f": a part with {', '.join(map(repr, part)) or 'nothing'} is not known")
    if part.get("thought"):
        return
    for name, value in held:
        inner = {"text": value} if isinstance(value, str) else value
        if not isinstance(inner, Mapping):
            raise TypeError(f".{name}: {value!r:.80} is no {name}")
        yield from read(inner, KEYED[name])


def _autogen(part: Plain) -> Form | None:
    """Returns the form of what AutoGen puts into contents: its classes have no `type`."""
    held = {name for name, value in part.items() if value is not None}
    if {"name", "arguments"} <= held:
        return UNTYPED["function"]
    if {"call_id", "content"} <= held:
        return UNTYPED["execution"]
    if {"content", "mime_type"} <= held:
        return UNTYPED["remembered"]
    return UNTYPED["picture"] if held == {"data"} else None


def read(part: Plain, form: Form) -> Iterator[Part]:
    """Reads a part of a known form."""
    if form.kind is Kind.HIDDEN:
        return
    text = "\n".join(filter(None, (_words(part, name, form) for name in form.fields)))
    if form.mark:
        text = f"[{' '.join(filter(None, (form.mark, _label(part, form.labels, text))))}] {text}".rstrip()
    if form.kind is Kind.SAID:
        if text:
            yield Part(kind=Kind.SAID, text=text)
        return
    tool = field_of(part, form.tool)
    tool = tool if isinstance(tool, str) else "" if form.tool == "name" else form.tool
    ids = tuple(id_ for name in CALL_IDS if isinstance(id_ := field_of(part, name), str))
    yield Part(kind=form.kind, text=text, tool=tool, call_ids=ids)
    for name in form.brings:
        if brought := _words(part, name, dataclasses.replace(form, data=False), shown=True):
            yield Part(kind=Kind.RESULT, text=brought, tool=tool, call_ids=ids)


def _words(part: Plain, name: str, form: Form, *, shown: bool = False) -> str:
    """Returns the words of one field."""
    value = field_of(part, name)
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    if form.data or (shown and isinstance(value, Mapping)):
        return _json(_alone(value) if form.kind is Kind.RESULT else value)
    try:
        return "\n".join(each.marked for each in parts_of(value, form.untyped) if each.text)
    except TypeError as problem:
        raise TypeError(f".{name}{_deeper(problem)}") from None


def _json(value: Any) -> str:
    """Returns what a tool was given or brought: a text as it is, anything else as JSON, its lines as lines."""
    if value is None or isinstance(value, str):
        return value or ""
    return LINE_BREAK.sub(r"\1\n", json.dumps(_said_of(value), ensure_ascii=False, default=str))


def _alone(value: Any) -> Any:
    """Returns a result that is nothing but a text in one field as that text."""
    held = [*value.items()] if isinstance(value, Mapping) else []
    if len(held) == 1 and held[0][0] in ("result", "output") and isinstance(held[0][1], str):
        return held[0][1]
    return value


def _said_of(value: Any) -> Any:
    """Returns JSON without what was left open, and without bytes."""
    if isinstance(value, bytes):
        return f"[{len(value)} bytes]"
    if isinstance(value, list):
        return [_said_of(each) for each in value]
    if isinstance(value, Mapping):
        return {str(name): _said_of(held) for name, held in value.items() if held is not None}
    return value


def _label(part: Plain, names: Sequence[str], text: str) -> str:
    """Returns what says which document or picture it is, from the part or from what it holds; nothing that its words
    say already."""
    held = [part, *(inner for inner in part.values() if isinstance(inner, Mapping))]
    for name in names:
        for each in held:
            value = field_of(each, name)
            if isinstance(value, str) and 0 < len(value) <= LONGEST_LABEL and not value.startswith("data:"):
                return "" if value in text else value
    return ""


def _deeper(problem: TypeError) -> str:
    said = str(problem)
    return said if said[:1] in "[.:" else f": {said}"
