"""A language's lexicon, made ready for looking up.

Law: pure; built once a language, on first use. A word's key is what is compared: its group's first
word, stemmed in English.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import ModuleType

import Stemmer

from core.agents.offline.claims import lexicon_en, lexicon_zh


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """Sets of keys: see the lexicons for what each is. `denying`: a word to the key of what it denies."""

    key_of: Callable[[str], str]
    opposites: frozenset[frozenset[str]]
    kinds: Mapping[str, frozenset[str]]
    denying: Mapping[str, str]
    single: frozenset[str]
    several: frozenset[str]
    once_together: frozenset[str]
    one_named: frozenset[str]
    mutual: frozenset[str]
    open_to_all: frozenset[str]
    one_doer: frozenset[str]
    trades: frozenset[str]


def vocabulary(chinese: bool) -> Vocabulary:
    return _chinese() if chinese else _english()


def groups(listed: str) -> dict[str, str]:
    """Reads a list with one group a line: each word to the first of its line."""
    return {word: line.split()[0] for line in listed.strip().splitlines() for word in line.split()}


def english_key(word: str) -> str:
    if word.lower() in lexicon_en.OWN_WORDS:
        return lexicon_en.OWN_WORDS[word.lower()]
    plain = stemmed(word.lower().replace("-", "").replace("’", "'").removesuffix("'s"))
    return _english_groups().get(plain, plain)


def chinese_key(word: str) -> str:
    return _chinese_groups().get(word.lower(), word.lower())


def is_grouped(word: str) -> bool:
    """Whether an English word has synonyms listed."""
    return stemmed(word.lower()) in _english_groups()


class _Thread(threading.local):
    """A stemmer for each thread: they are not safe to share."""

    def __init__(self) -> None:
        self.stem: Callable[[str], str] = Stemmer.Stemmer("english").stemWord


_thread = _Thread()


def stemmed(word: str) -> str:
    """Returns the Snowball stem."""
    return _thread.stem(word)


@cache
def _english_groups() -> dict[str, str]:
    table: dict[str, str] = {}
    for word, first in groups(lexicon_en.SYNONYMS).items():
        table.setdefault(stemmed(word.replace("-", "")), stemmed(first))
    return table


@cache
def _chinese_groups() -> dict[str, str]:
    return groups(lexicon_zh.SYNONYMS)


@cache
def _english() -> Vocabulary:
    return _built(lexicon_en, english_key)


@cache
def _chinese() -> Vocabulary:
    return _built(lexicon_zh, chinese_key)


def _built(lexicon: ModuleType, key_of: Callable[[str], str]) -> Vocabulary:
    def keys(listed: frozenset[str]) -> frozenset[str]:
        return frozenset(key_of(word) for word in listed)

    opposites = [line.split() for line in lexicon.OPPOSITES.strip().splitlines()]
    kinds: dict[str, frozenset[str]] = {}
    for kind, *examples in (line.split() for line in lexicon.KINDS.strip().splitlines()):
        kinds[key_of(kind)] = kinds.get(key_of(kind), frozenset()) | {key_of(word) for word in examples}
    return Vocabulary(
        key_of=key_of,
        opposites=frozenset(frozenset(key_of(word) for word in pair) for pair in opposites),
        kinds=kinds,
        denying={word: key_of(first) for word, first in groups(lexicon.DENYING).items() if word != first},
        single=keys(lexicon.SINGLE),
        several=keys(lexicon.SEVERAL),
        once_together=keys(lexicon.ONCE_TOGETHER),
        one_named=keys(lexicon.ONE_NAMED),
        mutual=keys(lexicon.MUTUAL),
        open_to_all=keys(lexicon.OPEN_TO_ALL),
        one_doer=keys(lexicon.ONE_DOER),
        trades=lexicon.TRADES,
    )
