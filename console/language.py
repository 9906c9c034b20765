"""What the pages say, in English and Chinese: a table of sentences each.

Law: both tables have the same names. A sentence that is filled in escapes nothing: templates do.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

NAMES = {"en": "English", "zh": "中文"}
"""The languages, each by its own name; the first where none is asked for."""
DEFAULT = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """One of them. Called with the name of a sentence and what fills it in, it says it."""

    code: str
    sentences: Mapping[str, str]

    def __call__(self, name: str, /, **values: Any) -> str:
        sentence = self.sentences[name]
        return sentence.format(**values) if values else sentence

    def or_as_it_is(self, prefix: str, value: str) -> str:
        """Says what a word of the contract means, and the word itself where a newer service has one more."""
        return self.sentences.get(f"{prefix}.{value}", value)


@cache
def language(code: str) -> Language:
    """Returns a language by its code."""
    text = (files("console") / "texts" / f"{code}.toml").read_text(encoding="utf-8")
    return Language(code=code, sentences=dict(_flat("", tomllib.loads(text))))


def _flat(prefix: str, table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in table.items():
        if isinstance(value, str):
            yield f"{prefix}{name}", value
        else:
            yield from _flat(f"{prefix}{name}.", value)


def preferred(accept_language: str) -> str:
    """Returns the code of the language that a browser asks for first, of those there are."""
    asked = sorted(_weighed(accept_language), key=lambda each: -each[0])
    return next((code for _, code in asked if code in NAMES), DEFAULT)


def _weighed(accept_language: str) -> Iterator[tuple[float, str]]:
    for part in accept_language.split(","):
        tag, _, weight = part.partition(";q=")
        try:
            yield float(weight or 1), tag.strip().lower().partition("-")[0]
        except ValueError:
            continue
