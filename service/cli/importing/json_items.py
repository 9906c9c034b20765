"""The items of a file of JSON, each with its fields read by name: what is not as expected raises FileDamaged.

Law: NUL, and halves of characters, as in what a tool cut within an emoji, are read as U+FFFD: no field of the contract
holds them, and a message of thousands that ends with one does not keep the others out.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from memorybank_client.runs import UNHELD
from service.cli.importing.found import FileDamaged

T = TypeVar("T")

DECODER = json.JSONDecoder()
NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")  # as JSON has it, behind no backslash that another one escapes
BLANK = re.compile(r"[\s,]*")
MILLISECONDS = 1e11
"""A time in seconds is less than this for 3,000 years; a larger one is in milliseconds."""


@dataclass(frozen=True, slots=True)
class Item:
    """One JSON object, and where it stands."""

    fields: dict[str, Any]
    path: str

    def text(self, *names: str) -> str:
        """Returns the first of these fields that is there. Raises FileDamaged for none, or one that is no text."""
        found = self.optional(*names)
        if not found.strip():
            raise FileDamaged(f"{self.path}.{names[0]}", "must be given, and not empty")
        return found

    def optional(self, *names: str) -> str:
        for name in names:
            value = self.fields.get(name)
            if value is None:
                continue
            if not isinstance(value, str):
                raise FileDamaged(f"{self.path}.{name}", f"must be text, not {json.dumps(value)[:40]}")
            return value
        return ""

    def time(self, *names: str) -> datetime | None:
        """Returns a moment that is written as ISO 8601 (without a zone: UTC) or as seconds since 1970."""
        for name in names:
            value = self.fields.get(name)
            if value is None or value == "":
                continue
            try:
                return _moment(value)
            except (ValueError, TypeError, OverflowError, OSError):
                raise FileDamaged(f"{self.path}.{name}", f"is no time: {json.dumps(value)[:40]}") from None
        return None

    def texts(self, name: str) -> tuple[str, ...]:
        """Returns a list of texts; a single one is a list too."""
        value = self.fields.get(name)
        listed = [value] if isinstance(value, str) else value or []
        if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
            raise FileDamaged(f"{self.path}.{name}", "must be a list of texts")
        return tuple(each for each in listed if each)

    def object(self, name: str) -> dict[str, Any]:
        value = self.fields.get(name) or {}
        if not isinstance(value, dict):
            raise FileDamaged(f"{self.path}.{name}", f"must be an object, not {json.dumps(value)[:40]}")
        return value

    def items(self, name: str) -> Iterator["Item"]:
        yield from items_of(self.fields.get(name) or [], f"{self.path}.{name}")


def items_of(listed: Any, path: str) -> Iterator[Item]:
    if not isinstance(listed, list):
        raise FileDamaged(path, "must be a list")
    for place, each in enumerate(listed):
        if not isinstance(each, dict):
            raise FileDamaged(f"{path}[{place}]", f"must be an object, not {json.dumps(each)[:40]}")
        yield Item(each, f"{path}[{place}]")


def decoded(text: str) -> Any:
    """Returns what a text of JSON holds. Raises JSONDecodeError, RecursionError."""
    found = json.loads(text)
    if "\\u" not in text:
        return found
    written = json.dumps(found, ensure_ascii=False)
    held = UNHELD.sub("\ufffd", NUL.sub("\\1\ufffd", written))
    return found if held == written else json.loads(held)


def whole(text: str) -> Any:
    """Returns a file's JSON. Raises FileDamaged, which names the line."""
    try:
        return decoded(text)
    except json.JSONDecodeError as problem:
        raise FileDamaged(
            f"column {problem.colno}", f"is no JSON: {problem.msg}", line=problem.lineno
        ) from None
    except RecursionError:
        raise FileDamaged("", "is nested too deep", line=1) from None


def listed(document: Any, names: Sequence[str]) -> tuple[str, Any]:
    """Returns the list that a document is or holds under one of the names, and that name."""
    if isinstance(document, dict):
        for name in names:
            if isinstance(document.get(name), list):
                return name, document[name]
        raise FileDamaged(" or ".join(names) or "the file", "must be a list, and is not there")
    return "", document


def each_of(text: str, names: Sequence[str], take: Callable[[Item], T]) -> list[T]:
    """Returns what is made of each item of a file. Raises FileDamaged, which names the line of the item."""
    name, items = listed(whole(text), names)
    made: list[T] = []
    try:
        made.extend(take(item) for item in items_of(items, name))
    except FileDamaged as broken:
        broken.line = _line_of(text, name, len(made))
        raise
    return made


def _line_of(text: str, name: str, item: int) -> int:
    """Returns the line on which an item of the list under a name begins; of the list itself, if it is none."""
    start = re.search(rf'"{name}"\s*:\s*\[' if name else r"\[", text)
    if start is None:
        return 1
    at = start.end()
    for _ in range(item):
        at = BLANK.match(text, at).end()  # type: ignore[union-attr]  # it matches anything
        _, at = DECODER.raw_decode(text, at)
    return text.count("\n", 0, BLANK.match(text, at).end()) + 1  # type: ignore[union-attr]  # as above


def _moment(value: Any) -> datetime:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return datetime.fromtimestamp(value / 1000 if value > MILLISECONDS else value, UTC)
    found = datetime.fromisoformat(value)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
