"""Text to search terms, the same for what is stored and what is asked.

Law: pure. Equal texts up to Unicode compatibility and case give equal terms, in any thread.
Words are stemmed if English, kept if not; Chinese, Japanese and Korean have no spaces to rely
on and are cut into overlapping pairs of characters.
"""

import re
import threading
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

import Stemmer

from core.language import in_all

# Combining marks that belong to words but are not alphanumeric to `re`: without them every Hindi or
# Thai word would fall apart at its vowel signs.
MARKS = (
    "\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u065f"  # Latin, Hebrew, Arabic
    "\u0900-\u0963\u0971-\u0dff\u0e31-\u0e4e\u0eb1-\u0ece\u1000-\u109f"  # of India, Thai, Lao, Burmese
)


def _token(word: str, flags: int = 0) -> re.Pattern[str]:
    """Returns a run of word characters, with marks between them that do not end it: GPT-4, U.S., 3.5, 1,000, 10:30."""
    return re.compile(rf"{word}+(?:(?:[.'’_-]|(?<=\d)[,:/](?=\d)){word}+)*(?:\+\+|#)?", flags)


_TOKEN = _token(rf"[\w{MARKS}]")
_ASCII_TOKEN = _token(r"\w", re.ASCII)  # finds the same in ASCII text, in half the time
_WIDE = re.compile(
    "([\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U000323af]+)"
)
_NUMBER = re.compile(r"\d+(?:\.\d+)*|\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_ACRONYM = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_CODE_NAME = re.compile(r"[^\W\d_](?:\+\+|#)")  # C++, C#, F#
_CLITIC = re.compile(r"(?:n't|'(?:s|ll|re|ve|d|m))$")
_WRAPPED = re.compile(r"(?<=[^\W\d_])[-\u2010\u00ad][ \t]*\r?\n[ \t]*(?=[^\W\d_])")
_WRAPS = ("-\n", "-\r\n", "\u2010\n", "\u2010\r\n", "\u00ad\n", "\u00ad\r\n")
_JOINT = re.compile(r"[._'/:,-]+")

_LONGEST_TERM = 64  # code points; what is longer is a blob, told apart by its beginning
_MEMO_SIZE = 50_000  # chunks; a bank's vocabulary, or a few

EDITION = 2  # to be raised with every change of the rules (a test tells)

STOP_WORDS = frozenset(in_all("stop_words"))


class _Thread(threading.local):
    """One stemmer a thread (it is not thread-safe), and the terms of the chunks it met."""

    def __init__(self) -> None:
        self.stem = Stemmer.Stemmer("english").stemWord
        self.memo: dict[str, tuple[str, ...]] = {}


_thread = _Thread()


def edition() -> str:
    """Returns names the rules that make terms of a text: another edition may give other terms, so that what was
    derived under this one must be derived anew."""
    return f"{EDITION}, Unicode {unicodedata.unidata_version}, Snowball {Stemmer.version()}"


def terms(text: str) -> list[str]:
    """Returns the search terms of `text`, in order, repeated as often as they occur.

    "The U.S. bought GPT-4" gives ["us", "bought", "gpt4", "gpt", "4"], "机器学习" gives ["机器", "器学", "学习"].
    Text with nothing to search for gives no terms.
    """
    memo = _thread.memo
    found: list[str] = []
    for chunk in _chunks(text):
        plain = memo.get(chunk)
        if plain is None:
            plain = _plain_terms(chunk)
        if plain is not None:
            found += plain
            continue
        for words, run in _pieces(chunk):
            found += words
            found += map("".join, pairwise(run))
    return found


def terms_and_runs(text: str) -> tuple[list[str], list[str]]:
    """Returns the same terms in a shorter form: some, and runs of characters of which every overlapping pair is one."""
    memo = _thread.memo
    found: list[str] = []
    runs: list[str] = []
    for chunk in _chunks(text):
        plain = memo.get(chunk)
        if plain is None:
            plain = _plain_terms(chunk)
        if plain is not None:
            found += plain
            continue
        for words, run in _pieces(chunk):
            found += words
            runs.append(run)
    return found, runs


def _chunks(text: str) -> list[str]:
    """Returns what stands between white space. No token spans it, and most chunks of a text are met again.

    A word broken at a line end is one chunk, read as a compound: the whole finds it, and so do its parts.
    """
    if any(wrap in text for wrap in _WRAPS):
        text = _WRAPPED.sub("-", text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).replace("’", "'")
    return text.casefold().split()


def _plain_terms(chunk: str) -> tuple[str, ...] | None:
    """Returns the terms of a chunk without wide runs, which is remembered; None for another."""
    if chunk.isascii():
        tokens = _ASCII_TOKEN.findall(chunk)
    elif _WIDE.search(chunk):
        return None
    else:
        tokens = _TOKEN.findall(chunk)
    found = tuple(term for token in tokens for term in _terms_of_word(token))
    if len(chunk) <= _LONGEST_TERM:
        memo = _thread.memo
        if len(memo) >= _MEMO_SIZE:
            memo.clear()
        memo[chunk] = found
    return found


def _pieces(chunk: str) -> Iterator[tuple[list[str], str]]:
    """Terms, and the run behind them of which every pair of characters is a term; and so on, in order."""
    words: list[str] = []
    for token in _TOKEN.findall(chunk):
        for place, run in enumerate(_WIDE.split(token)):  # wide runs stand at the odd places
            if place % 2 == 0:
                words += [term for word in _TOKEN.findall(run) for term in _terms_of_word(word)]
            elif len(run) == 1:
                words.append(run)
            else:
                yield words, run
                words = []
    yield words, ""


def _terms_of_word(word: str) -> list[str]:
    """Returns a word's own term, and for a compound the terms of its parts too, so that either finds it."""
    if word in STOP_WORDS:
        return []
    word = _CLITIC.sub("", word)
    if _CODE_NAME.fullmatch(word):
        return [word]
    word = word.rstrip("+#")
    if _NUMBER.fullmatch(word):
        return [word.replace(",", "")[:_LONGEST_TERM]]
    if _ACRONYM.fullmatch(word):
        return [word.replace(".", "")[:_LONGEST_TERM]]
    parts = [part for part in _JOINT.split(word) if part]
    if len(parts) < 2:
        return _single(parts[0]) if parts else []
    whole = _single("".join(parts))
    return whole + [term for part in parts for term in _single(part)]


def _single(word: str) -> list[str]:
    if word in STOP_WORDS:
        return []
    word = word[:_LONGEST_TERM]
    return [_thread.stem(word) if word.isascii() else word]
