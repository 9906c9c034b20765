"""What a memory must answer: the entries of an `expect.yaml`.

Law: reading calls nothing. A file is read whole, and everything that is wrong with it is named at once, with its line.
"""

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

CALLS: Final = {
    "search": ("bank", "target"),
    "augment": ("bank", "budget"),
    "context": ("bank", "user", "collection", "conversation", "budget"),
    "facts": ("user", "collection"),
}
"""What each call takes beside its query."""
NEEDED: Final = {"search": "bank", "augment": "bank", "facts": "user"}
PLACES: Final = ("bank", "user", "collection", "conversation")
"""What a file may say once for all of its entries."""
LISTS: Final = ("words", "not", "ids", "no_conflict")
NUMBERS: Final = ("tokens", "within", "budget")
PROMPTS: Final = ("augment", "context")
TARGETS: Final = ("nodes", "segments", "both")


class ExpectationsInvalid(ValueError):
    """A file of expectations is not as it should be: `problems`, a line each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """One call with its query, and what must hold of what comes.

    `line` is where it begins in its file, 0 where it has none. `places` are the call's other arguments. `words`, `ids`
    must be there, `absent` not; `within` of the first so many alone. `no_conflict`: no open conflict is about these.
    """

    line: int
    call: str
    query: str
    name: str
    places: Mapping[str, Any]
    words: tuple[str, ...]
    absent: tuple[str, ...]
    ids: tuple[str, ...]
    no_conflict: tuple[str, ...]
    tokens: int | None
    within: int | None


def read_expectations(path: str | Path, **defaults: str) -> list[Expectation]:
    """Reads a file of expectations: a list of entries, or a mapping with `expect` and what holds for all of them.

    `defaults` stand where neither the file nor an entry says otherwise. Raises ExpectationsInvalid, and OSError.
    """
    return parse_expectations(Path(path).read_bytes(), **defaults)


def parse_expectations(text: str | bytes, **defaults: str) -> list[Expectation]:
    """Reads expectations of a text in YAML. Raises ExpectationsInvalid."""
    return _Reading(defaults).entries(_composed(text))


def expectation(**said: Any) -> Expectation:
    """Makes one of keyword arguments: an entry's words, `absent` for `not`. Raises ExpectationsInvalid."""
    reading = _Reading({})
    words = (("not" if name == "absent" else name, value) for name, value in said.items())
    made = reading.listed(0, _Mapping((0, name, (0, value)) for name, value in words))
    reading.end()
    assert made is not None
    return made


def _composed(text: str | bytes) -> Any:
    try:
        import yaml  # type: ignore[import-untyped]  # ships no types
    except ImportError:
        raise ImportError("expectations are written in YAML: pip install PyYAML") from None
    try:
        return _plain(yaml.compose(text, Loader=yaml.SafeLoader), yaml)
    except (yaml.YAMLError, UnicodeDecodeError) as wrong:
        mark = getattr(wrong, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        raise ExpectationsInvalid([f"{where}no YAML: {getattr(wrong, 'problem', None) or wrong}"]) from None


def _plain(node: Any, yaml: Any) -> tuple[int, Any]:
    """Returns a node's line and value: a mapping as a list of (line, key, value), as keys may repeat."""
    if node is None:
        return 1, None
    line = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        return line, _Mapping(
            (key.start_mark.line + 1, str(key.value), _plain(value, yaml)) for key, value in node.value
        )
    if isinstance(node, yaml.SequenceNode):
        return line, [_plain(each, yaml) for each in node.value]
    if node.tag == "tag:yaml.org,2002:null":
        return line, None
    return line, int(node.value) if _is_number(node) else str(node.value)


def _is_number(node: Any) -> bool:
    return bool(node.tag == "tag:yaml.org,2002:int" and node.value.lstrip("+-").isdecimal())


class _Mapping(list[tuple[int, str, tuple[int, Any]]]):
    """A mapping of YAML, in order: the line of each key, the key, and its value with its line."""


class _Reading:
    """One file being read: the problems that it has had so far."""

    def __init__(self, defaults: Mapping[str, str]) -> None:
        self.defaults = dict(defaults)
        self.problems: list[str] = []

    def entries(self, composed: tuple[int, Any]) -> list[Expectation]:
        made = [self.listed(line, value) for line, value in self._list(composed[1])]
        if not made:
            self.problems.append("line 1: no entries")
        self.end()
        return [each for each in made if each is not None]

    def end(self) -> None:
        if self.problems:
            raise ExpectationsInvalid(self.problems)

    def _list(self, value: Any) -> list[tuple[int, Any]]:
        if not isinstance(value, _Mapping):
            return value if isinstance(value, list) else []
        entries: list[tuple[int, Any]] = []
        said = self._keys(value, ("expect", *PLACES), "the file")
        for key, (at, given) in said.items():
            if key == "expect":
                entries = given if isinstance(given, list) else []
            else:
                self.defaults[key] = self._text(key, at, given)
        return entries

    def _keys(self, mapping: _Mapping, known: tuple[str, ...], of: str) -> dict[str, tuple[int, Any]]:
        """Returns what is said under known words; names the line of every other word, and of one said twice."""
        said: dict[str, tuple[int, Any]] = {}
        for line, key, (_, value) in mapping:
            if key in said:
                self._wrong(line, f"{key!r} is said twice")
            elif key in known:
                said[key] = (line, value)
            else:
                close = difflib.get_close_matches(key, known, 1)
                meant = f": did you mean {close[0]!r}?" if close else f": {of} knows {', '.join(known)}"
                self._wrong(line, f"unknown word {key!r}{meant}")
        return said

    def listed(self, line: int, value: Any) -> Expectation | None:
        """Makes an expectation of an entry; None where something is wrong with it."""
        if not isinstance(value, _Mapping):
            self._wrong(line, f"an entry names a call and its query: one of {', '.join(CALLS)}")
            return None
        arguments = tuple(dict.fromkeys(word for words in CALLS.values() for word in words))
        known = (*CALLS, *LISTS, "tokens", "within", *arguments, "name")
        before = len(self.problems)
        said = self._keys(value, known, "an entry")
        return self._entry(line, said) if len(self.problems) == before else None

    def _entry(self, line: int, said: Mapping[str, tuple[int, Any]]) -> Expectation | None:
        before = len(self.problems)
        named = [call for call in CALLS if call in said]
        if len(named) != 1:
            self._wrong(line, f"an entry names one call, of {', '.join(CALLS)}; this names {len(named)}")
            return None
        (call,) = named
        query = self._text(call, *said[call])
        if not query.strip():
            self._wrong(said[call][0], f"{call} has no query")
        for word, (at, _) in said.items():
            self._require_taken(call, word, at, said)
        places = self._places(call, line, said)
        lists = {word: self._texts(word, *said[word]) for word in LISTS if word in said}
        numbers = {word: self._number(word, *said[word]) for word in NUMBERS if word in said}
        if not any(lists.values()) and "tokens" not in said:
            self._wrong(line, "expects nothing: say words, not, ids, tokens or no_conflict")
        if len(self.problems) > before:
            return None
        return Expectation(
            line=line,
            call=call,
            query=query,
            name=self._text("name", *said["name"]) if "name" in said else "",
            places=places | ({"budget": numbers["budget"]} if "budget" in numbers else {}),
            words=lists.get("words", ()),
            absent=lists.get("not", ()),
            ids=lists.get("ids", ()),
            no_conflict=lists.get("no_conflict", ()),
            tokens=numbers.get("tokens"),
            within=numbers.get("within"),
        )

    def _require_taken(self, call: str, word: str, at: int, said: Mapping[str, Any]) -> None:
        if word in {each for words in CALLS.values() for each in words} and word not in CALLS[call]:
            self._wrong(at, f"{call} takes no {word}")
        if word == "tokens" and call not in PROMPTS:
            self._wrong(at, f"{call} makes no prompt whose tokens could be counted")
        if word == "within" and call in PROMPTS:
            self._wrong(at, f"a prompt has no order by rank: within goes with search and facts, not {call}")
        elif word == "within" and not {"words", "not", "ids"} & said.keys():
            self._wrong(at, "within what? say words, not or ids")

    def _places(self, call: str, line: int, said: Mapping[str, tuple[int, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {word: self.defaults[word] for word in PLACES if word in self.defaults}
        found |= {
            word: self._text(word, *said[word])
            for word in (*PLACES, "target")
            if word in said and word in CALLS[call]
        }
        places = {word: value for word, value in found.items() if word in CALLS[call]}
        if call in NEEDED and not places.get(NEEDED[call]):
            self._wrong(line, f"{call} needs {NEEDED[call]}")
        if call == "context" and not (places.get("bank") or places.keys() & {"collection", "conversation"}):
            self._wrong(line, "context needs bank, collection or conversation")
        if call == "context" and places.keys() & {"collection", "conversation"} and not places.get("user"):
            self._wrong(line, "context needs user: a collection and a conversation are a user's")
        if places.get("target", "both") not in TARGETS:
            self._wrong(said["target"][0], f"target is one of {', '.join(TARGETS)}")
        return places

    def _text(self, word: str, line: int, value: Any) -> str:
        if isinstance(value, str | int) and not isinstance(value, bool):
            return str(value)
        if value is not None:
            self._wrong(line, f"{word} must be a text")
        return ""

    def _texts(self, word: str, line: int, value: Any) -> tuple[str, ...]:
        listed = [each[1] if isinstance(each, tuple) else each for each in _many(value)]
        texts = tuple(self._text(word, line, each) for each in listed)
        if not texts or not all(map(str.strip, texts)):
            self._wrong(line, f"{word} must be a text or texts, none empty")
        return texts

    def _number(self, word: str, line: int, value: Any) -> int | None:
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
        self._wrong(line, f"{word} must be a whole number from 1 on")
        return None

    def _wrong(self, line: int, problem: str) -> None:
        self.problems.append(f"line {line}: {problem}" if line else problem)


def _many(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple | set) and not isinstance(value, _Mapping):
        yield from value
    else:
        yield value
