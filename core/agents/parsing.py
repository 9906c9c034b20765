"""A language model's reply, read strictly.

Law: pure. What comes out is complete and of the kind it claims to be, or `MalformedReply` says what is
wrong, in words for the model that is asked again. Text is kept as it is, but for what no store or
wire can carry (lone surrogates, NUL and other control characters).
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

MOST_KEYWORDS = 12
LONGEST_KEYWORD = 80  # code points
LONGEST_SENTENCE = 500  # code points
LISTED = 8  # of the values allowed, told when another was given
SHOWN = 40  # code points of a wrong value that are said again

UNSTORABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
THOUGHTS_END = "</think>"
CODE_FENCE = re.compile(r"```(?:json)?[ \t]*\n(?P<inside>.*?)\n?[ \t]*```", re.DOTALL | re.IGNORECASE)
NUMBERS = re.compile(r"\s*(\d{1,9})(?:\s*(?:-|–|\.\.)\s*(\d{1,9}))?\s*")


class MalformedReply(Exception):
    """A reply that cannot be used. `problem` is told to the model when it is asked again."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


class MisshapenReply(MalformedReply):
    """A reply that is not of the form asked for, whatever it says: the form was not understood, or not known."""


def read_object(text: str) -> "Fields":
    """Returns the JSON object that a reply is. Raises MalformedReply.

    Tolerated where no doubt is left: thoughts before it (ended by `</think>`), one code fence around
    it, words before it that hold no brace. Nothing may follow it.
    """
    whole = text.strip().removeprefix("\ufeff")
    try:
        return Fields(_loaded(whole))
    except MalformedReply as problem:
        bare = _bare(whole)
        if bare == whole:
            raise
        try:
            return Fields(_loaded(bare))
        except MalformedReply:
            raise problem from None


def _bare(text: str) -> str:
    """Returns the reply without what models put around their JSON."""
    if text.count(THOUGHTS_END) == 1:
        text = text.partition(THOUGHTS_END)[2].strip()
    fences = list(CODE_FENCE.finditer(text))
    if len(fences) == 1 and not text[fences[0].end() :].strip() and "{" not in text[: fences[0].start()]:
        return fences[0]["inside"].strip()
    return text[text.find("{") :] if "{" in text else text


def _loaded(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text, strict=False, object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError) as failure:
        problem = failure.msg if isinstance(failure, json.JSONDecodeError) else "numbers or nesting too large"
        cut = "; it ends too early" if text.startswith("{") and not text.endswith("}") else ""
        raise MisshapenReply(f"the reply is not JSON ({problem}{cut})") from None
    if not isinstance(value, dict):
        raise MisshapenReply("the reply is not a JSON object")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise MalformedReply("a key stands twice in one object")
    return found


def _no_constant(name: str) -> Any:
    raise MalformedReply(f"{name} is not a number")


class Fields:
    """One JSON object's fields, each read as what it must be. Raises MalformedReply, with the field's path."""

    def __init__(self, values: Mapping[str, Any], path: str = "") -> None:
        self._values = values
        self._path = path

    def at(self, name: str) -> str:
        return f"{self._path}.{name}" if self._path else name

    def text(self, name: str) -> str:
        """Returns a text that is not blank, line breaks kept."""
        found = self.text_or_nothing(name)
        if not found:
            raise MalformedReply(f"{self.at(name)} is empty")
        return found

    def text_or_nothing(self, name: str) -> str:
        return _clean(self._of(name, str, "a string")).strip()

    def line(self, name: str) -> str:
        """Returns a text as one line."""
        return folded(self.text(name))

    def line_or_nothing(self, name: str) -> str:
        return folded(self.text_or_nothing(name))

    def sentence(self, name: str) -> str:
        """Returns a text of one line, of a sentence's length or two's."""
        found = self.line(name)
        if len(found) > LONGEST_SENTENCE:
            raise MalformedReply(
                f"{self.at(name)} is to be one sentence of at most {LONGEST_SENTENCE} characters"
            )
        return found

    def flag(self, name: str) -> bool:
        return bool(self._of(name, bool, "true or false"))

    def confidence(self, name: str) -> float:
        value = self._of(name, (int, float), "a number")
        if isinstance(value, bool) or not 0.0 <= value <= 1.0:
            raise MalformedReply(f"{self.at(name)} is a number from 0 to 1, not {shown(value)}")
        return float(value)

    def choice(self, name: str, allowed: Collection[str]) -> str:
        value = self._of(name, str, "a string")
        if value not in allowed:
            known = ", ".join(map(shown, list(allowed)[:LISTED])) + (", …" if len(allowed) > LISTED else "")
            raise MalformedReply(f"{self.at(name)} is one of {known}, not {shown(value)}")
        return str(value)

    def keywords(self, name: str) -> tuple[str, ...]:
        """Returns words of one line each, none twice; the first dozen."""
        words = (folded(_clean(word)) for word in self._strings(name))
        kept = (word for word in words if word and len(word) <= LONGEST_KEYWORD)
        return tuple(dict.fromkeys(kept))[:MOST_KEYWORDS]

    def lines(self, name: str) -> list[str]:
        """Returns texts of one line each; empty ones are passed over."""
        return [line for text in self._strings(name) if (line := folded(_clean(text)))]

    def choices(self, name: str, allowed: Collection[str]) -> list[str]:
        values = self._strings(name)
        for value in values:
            if value not in allowed:
                raise MalformedReply(f"{self.at(name)} names {shown(value)}, which was not given")
        return list(dict.fromkeys(values))

    def numbers(self, name: str, end: int) -> list[int]:
        """Numbers below `end`, from a list of them or of ranges such as "3-7". In order, as often as named."""
        found: list[int] = []
        for value in self._list(name):
            match = None if isinstance(value, bool) else NUMBERS.fullmatch(str(value))
            first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
            if first > last or last >= end:
                raise MalformedReply(f"{self.at(name)} names {shown(value)}: numbers go from 0 to {end - 1}")
            found.extend(range(first, last + 1))
            if len(found) > 2 * end:  # a few repetitions are slips; ranges without end would fill the memory
                raise MalformedReply(f"{self.at(name)} names numbers again and again")
        return found

    def rows(self, name: str) -> "list[Fields]":
        rows = []
        for index, row in enumerate(self._list(name)):
            path = f"{self.at(name)}[{index}]"
            if not isinstance(row, dict):
                raise MisshapenReply(f"{path} is not an object")
            rows.append(Fields(row, path))
        return rows

    def _strings(self, name: str) -> list[str]:
        values = self._list(name)
        if not all(isinstance(value, str) for value in values):
            raise MisshapenReply(f"{self.at(name)} is a list of strings")
        return values

    def _list(self, name: str) -> list[Any]:
        return list(self._of(name, list, "a list"))

    def _of(self, name: str, kind: type | tuple[type, ...], kind_name: str) -> Any:
        if name not in self._values:
            raise MisshapenReply(f"{self.at(name)} is missing")
        value = self._values[name]
        if not isinstance(value, kind):
            raise MisshapenReply(f"{self.at(name)} is not {kind_name}")
        return value


def folded(text: str) -> str:
    """Folds white space: for what must stand on one line."""
    return " ".join(text.split())


def shown(value: object) -> str:
    """Renders a wrong value, clipped, as JSON: it cannot pass for words of ours, and every wire carries it."""
    text = _clean(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def listed(values: Sequence[int]) -> str:
    """Numbers as ranges: `0-3, 7`."""
    runs: list[list[int]] = []
    for value in values:
        if runs and value == runs[-1][1] + 1:
            runs[-1][1] = value
        else:
            runs.append([value, value])
    return ", ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in runs)


def _clean(text: str) -> str:
    return UNSTORABLE.sub("", text)
