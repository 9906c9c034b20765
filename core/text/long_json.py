"""JSON of megabytes, decoded an element at a time.

Law: pure; what it returns `json.loads` would return. That holds Python's lock until all is decoded, so that no other
thread goes on: on sixty megabytes of empty lists for six seconds, and they take two gigabytes.
"""

import json
import re
from typing import Any

SHORT, LARGEST = 65_536, 8_388_608  # characters of an element: tried first, and at the most
MOST = 1_000_000  # elements of an array

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


def decoded(text: str) -> Any:
    """Returns what a text says. Elements are those of an outermost array, and of arrays in an outermost object. Raises
    ValueError, RecursionError."""
    reading = _Reading(text)
    value = reading.object() if reading.next() == "{" else reading.array_or_value()
    if reading.next():
        raise ValueError("there is more behind the end")
    return value


class _Reading:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def next(self) -> str:
        """Returns the next character that is no space; empty at the end."""
        self._at = _SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]  # it matches nothing, too
        return self._text[self._at : self._at + 1]

    def take(self, wanted: str) -> str:
        found = self.next()
        if not found or found not in wanted:
            raise ValueError(f"{wanted} is missing")
        self._at += 1
        return found

    def object(self) -> dict[str, Any]:
        made: dict[str, Any] = {}
        self.take("{")
        if self.next() == "}":
            self.take("}")
            return made
        while True:
            name = self.value() if self.next() == '"' else None
            if name is None:
                raise ValueError("a name is missing")
            self.take(":")
            self.next()
            made[name] = self.array_or_value()
            if self.take(",}") == "}":
                return made

    def array_or_value(self) -> Any:
        if self.next() != "[":
            return self.value()
        made: list[Any] = []
        self.take("[")
        if self.next() == "]":
            self.take("]")
            return made
        while True:
            self.next()
            made.append(self.value())
            if len(made) > MOST:
                raise ValueError("an array is too long")
            if self.take(",]") == "]":
                return made

    def value(self) -> Any:
        """Decodes what begins here, of as little of the text as holds it."""
        for most in (SHORT, LARGEST):
            piece = self._text[self._at : self._at + most]
            is_rest = self._at + most >= len(self._text)
            try:
                value, length = _DECODER.raw_decode(piece)
            except ValueError:
                if is_rest:
                    raise
                continue
            if length < len(piece) or is_rest:  # a number may go on behind the piece
                self._at += length
                return value
        raise ValueError("an element is too long")
