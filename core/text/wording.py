"""The words of a text, however it is written: for telling that two texts have the same ones.

Law: pure. Case, width, white space, punctuation and words broken at line ends do not count. What changes a meaning
does: every word, also the small ones ("not"), figures with their signs, symbols (%, €, ✓), and that it asks.
"""

import re
import unicodedata

from core.language import unspaced
from core.text.analysis import MARKS, STOP_WORDS
from core.text.blocks import unbroken
from core.text.scripts import HAN

MANY = 30  # Chinese characters of which some words are content, whatever they are
LITTLE = "cdehkopruwxy"
"""Kinds of Chinese words that say little by themselves: particles, pronouns, adverbs and the like."""

_LETTER = rf"(?:(?!{HAN.pattern})[^\W_]|[{MARKS}])"
_WORD = re.compile(
    rf"{HAN.pattern}+|[-+]?\d+(?:[.,:/]\d+)*(?:{_LETTER}+)?|{_LETTER}+(?:['’_-]{_LETTER}+)*|[%‰?]|[^\w\s]"
)
_RANGE = re.compile(r"(?<=[\da-z)\]])[-+](?=\d)")  # 2020-2024: no sign
_APART = re.compile(rf"(?<={HAN.pattern}) (?={HAN.pattern})")
_NO_LETTERS = re.compile(r"[\W_]+")
_SYMBOLS = ("Sc", "Sm", "So")


def words_of(text: str) -> str:
    """Returns the words of a text with a space between them, none between Chinese characters; empty where it has none.

    "The ferry leaves at 9:30!" gives "the ferry leaves at 9:30", "渡轮 九点开。" gives "渡轮九点开".
    """
    plain = unicodedata.normalize("NFKC", unbroken(text)).casefold().replace("−", "-")
    found = _WORD.findall(_RANGE.sub(" ", plain))
    return _APART.sub("", " ".join(filter(_counts, found)))


def content_words(words: str, enough: int) -> int:
    """Returns how many different words of content `words_of` a text are, counted up to `enough`."""
    run = "".join(HAN.findall(words))
    if len(run) >= MANY:
        return enough
    others = {word for word in HAN.sub(" ", words).split() if word[0].isalnum()} - STOP_WORDS
    if len(others) < enough and (language := unspaced(run)):
        others |= {word.text for word in language.tagged(run) if word.kind[:1] not in LITTLE}
    return min(len(others), enough)


def each_word(words: str) -> frozenset[str]:
    """Returns the different words of `words_of` a text, each Chinese character for itself."""
    return frozenset(HAN.sub(r" \g<0> ", words).split())


def letters_of(text: str) -> str:
    """Returns a text's letters and digits alone: a first look whether a text may hold the words of another one."""
    return _NO_LETTERS.sub("", unicodedata.normalize("NFKC", text).casefold())


def _counts(word: str) -> bool:
    return word[0].isalnum() or word[-1].isalnum() or word in "%‰?" or unicodedata.category(word) in _SYMBOLS
