"""A verb's keywords as its request.

What cannot be a request is a TypeError that names the field, and the field that was probably meant.
"""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from google.protobuf.message import Message

from memorybank_client.chat_messages import chat_messages

MESSAGES = "messages"


def request_of(kind: type[Message], verb: str, fields: dict[str, Any]) -> Message:
    """Returns the message that keywords make. Raises TypeError."""
    if fields.get(MESSAGES):
        fields = {**fields, MESSAGES: chat_messages(fields[MESSAGES])}
    try:
        return kind(**fields)
    except (ValueError, TypeError) as problem:
        raise TypeError(_explained(kind, verb, fields, problem)) from None


def positional(verb: str, header: type[Message]) -> str:
    """Returns the error for arguments without a name."""
    first = header.DESCRIPTOR.fields[0].name
    return f"{verb}() takes keyword arguments alone: {verb}({first}=…, …)"


def _explained(kind: type[Message], verb: str, fields: Mapping[str, Any], problem: Exception) -> str:
    for path, name, known in _unknown(kind.DESCRIPTOR, fields, ""):
        if not path:
            return f"{verb}() got an unexpected keyword argument {name!r}{_meant(name, known)}"
        return f"{verb}() got an unexpected field {path}{name}{_meant(name, known)}"
    for name, value in fields.items():
        try:
            kind(**{name: value})
        except (ValueError, TypeError) as wrong:
            return f"{verb}() cannot take {name}={_shown(value)}, a {type(value).__name__}: {wrong}"
    return f"{verb}(): {problem}"


def _unknown(described: Any, given: Any, path: str) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Fields that there are not, by their path, with those that there are."""
    known = described.fields_by_name
    for name, value in given.items() if isinstance(given, Mapping) else ():
        if name not in known:
            yield path, str(name), list(known)
        elif (inner := known[name].message_type) is not None and not inner.GetOptions().map_entry:
            for place, each in enumerate(value) if isinstance(value, list | tuple) else ((None, value),):
                at = "" if place is None else f"[{place}]"
                yield from _unknown(inner, each, f"{path}{name}{at}.")


def _meant(name: str, known: Sequence[str]) -> str:
    like = get_close_matches(name, known, n=1)
    return f": did you mean {like[0]!r}?" if like else f": there are {', '.join(known)}"


def _shown(value: Any, most: int = 40) -> str:
    shown = repr(value)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"
