"""A verb's keywords as its request.

What cannot be a request is a TypeError that names the field, and the field that was probably meant.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from google.protobuf.message import Message

from memorybank_client.attachments import attachment_id_of, attachment_of
from memorybank_client.messages import chat_messages

MESSAGES, ATTACHMENTS, ATTACHMENT_ID = "messages", "attachments", "attachment_id"
UNFIT = (ValueError, TypeError, OverflowError)
"""What protobuf raises for a value that a field cannot hold."""


def request_of(kind: type[Message], verb: str, fields: dict[str, Any]) -> Message:
    """Returns the message that keywords make. Raises TypeError."""
    if fields.get(MESSAGES) is not None:
        fields = {**fields, MESSAGES: _messages(verb, fields[MESSAGES])}
    if isinstance(files := fields.get(ATTACHMENTS), list | tuple):
        fields = {**fields, ATTACHMENTS: [attachment_of(each) for each in files]}
    if ATTACHMENT_ID in fields:
        fields = {**fields, ATTACHMENT_ID: attachment_id_of(fields[ATTACHMENT_ID])}
    for path, moment in _naive(fields, ""):
        raise TypeError(f"{verb}() cannot take {path}={moment}: give it a time zone, datetime.UTC say")
    try:
        return kind(**fields)
    except UNFIT as problem:
        raise TypeError(_explained(kind, verb, fields, problem)) from None


def positional(verb: str, header: type[Message]) -> str:
    """Returns the error for arguments without a name."""
    first = header.DESCRIPTOR.fields[0].name
    return f"{verb}() takes keyword arguments alone: {verb}({first}=…, …)"


def _messages(verb: str, given: Any) -> list[Any]:
    try:
        return chat_messages(given)
    except TypeError as problem:
        raise TypeError(f"{verb}() cannot take {problem}") from None


def _naive(given: Any, path: str) -> Iterator[tuple[str, datetime]]:
    """Yields the moments without a time zone: protobuf would take them for UTC, which few of them are."""
    if isinstance(given, datetime):
        if given.tzinfo is None:
            yield path, given
    elif isinstance(given, dict):
        for name, value in given.items():
            yield from _naive(value, f"{path}.{name}" if path else str(name))
    elif isinstance(given, list | tuple) and given and isinstance(given[0], dict):
        for place, value in enumerate(given):
            yield from _naive(value, f"{path}[{place}]")


def _explained(kind: type[Message], verb: str, fields: Mapping[str, Any], problem: Exception) -> str:
    for path, name, known in _unknown(kind.DESCRIPTOR, fields, ""):
        if not path:
            return f"{verb}() got an unexpected keyword argument {name!r}{_meant(name, known)}"
        return f"{verb}() got an unexpected field {path}{name}{_meant(name, known)}"
    for name, value in fields.items():
        try:
            kind(**{name: value})
        except UNFIT as wrong:
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
