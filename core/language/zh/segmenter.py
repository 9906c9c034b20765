"""Chinese words and what kind each is, by jieba (MIT, pure Python, its dictionary in the package).

Law: the only module that imports jieba, no sooner than it is wanted. Of the dictionary, the words that begin as a
text's characters do are read when a character is first met: without Chinese none of them is made. Nothing is written:
jieba's default tokenizer would put a cache into the common temporary directory and trust what it finds there.
"""

import math
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from threading import Lock
from typing import Any

from core.language.words import Word
from core.language.zh.likeliest import Model

TOTAL = 60_101_967
"""How often the words of jieba 0.42's dictionary were seen in its corpus, all together."""

_RUN = re.compile(r"^(.).*(?:\n\1.*)*", re.MULTILINE)  # lines that begin with the same character
_using = Lock()


def prepare() -> None:
    """Imports jieba with its tables and opens its dictionary: 150 ms of a processor, for parts of which no other thread
    goes on, and 25 MB. What serves does it before it answers."""
    with _using:
        _dictionary()


def tagged(text: str) -> list[Word]:
    """Returns the words of `text`, which together are `text`, with their kinds."""
    with _using:
        return [Word(pair.word, pair.flag) for pair in _dictionary().tagger_of(text).cut(text)]


def rarity(word: str) -> float:
    """Returns how rare a word is: minus the natural logarithm of its share of the dictionary's corpus, 0 to 18."""
    with _using:
        seen = _dictionary().tagger_of(word[:1]).tokenizer.FREQ.get(word, 0)
    return math.log(TOTAL / max(1, seen))


class _Dictionary:
    """jieba's tagger, and the lines of its dictionary that it has not been given yet: `text`, by first character."""

    def __init__(self, tagger: Any, text: str) -> None:
        self._tagger, self._text = tagger, text
        self._unread: dict[str, list[slice]] = {}
        for run in _RUN.finditer(text):
            self._unread.setdefault(run[1], []).append(slice(*run.span()))

    def tagger_of(self, text: str) -> Any:
        """Returns the tagger, which knows all words that begin with one of the text's characters."""
        for character in self._unread.keys() & set(text):
            self._read(character)
        return self._tagger

    def _read(self, character: str) -> None:
        entries = [part for lines in self._unread.pop(character) for part in self._text[lines].split()]
        words = entries[0::3]
        self._tagger.tokenizer.FREQ |= _frequencies(words, [int(count) for count in entries[1::3]])
        self._tagger.word_tag_tab |= zip(words, entries[2::3], strict=True)


@cache
def _dictionary() -> _Dictionary:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # string escapes that newer Pythons complain about
        import jieba

        words = jieba.Tokenizer()
        with words.get_dict_file() as file:
            text = file.read().decode()
        with _empty(jieba.Tokenizer):
            import jieba.posseg
    tables = jieba.posseg
    model = Model(tables.char_state_tab_P, tables.start_P, tables.trans_P, tables.emit_P)
    tables.viterbi = lambda symbols, *_: (None, model.course(symbols))  # in place of one in dictionaries
    words.total, words.initialized = TOTAL, True
    tagger = jieba.posseg.dt
    tagger.tokenizer = words
    return _Dictionary(tagger, text)


@contextmanager
def _empty(tokenizer: Any) -> Iterator[None]:
    """jieba's tokenizers find an empty dictionary: when imported, `posseg` reads it line by line, as they all do."""
    read = tokenizer.get_dict_file
    tokenizer.get_dict_file = lambda _: BytesIO()
    try:
        yield
    finally:
        tokenizer.get_dict_file = read


def _frequencies(words: Sequence[str], counts: Sequence[int]) -> dict[str, int]:
    """Returns how often each word was seen. What only begins a word has 0, as jieba wants it."""
    found: dict[str, int] = {}
    longer, length = words, 0
    while longer:
        length += 1
        longer = [word for word in longer if len(word) > length]
        found.update(dict.fromkeys([word[:length] for word in longer], 0))
    found.update(zip(words, counts, strict=True))
    return found
