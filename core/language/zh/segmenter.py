"""Chinese words and what kind each is, by jieba (MIT, pure Python, its dictionary in the package).

Law: the only module that imports jieba, no sooner than it is wanted. Of the dictionary, the words that begin as a
text's characters do are read when a character is first met: without Chinese none of them is made. They lie in a dict
for each first character: one for all would be laid out anew as it grows, for which every thread waits 15 ms. Nothing is
written: jieba's default tokenizer would put a cache into the common temporary directory and trust what it finds there.
"""

import math
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from itertools import chain
from threading import Lock
from typing import Any, Generic, TypeVar

from core.language.words import Word
from core.language.zh.likeliest import Model

V = TypeVar("V")

TOTAL = 60_101_967
"""How often the words of jieba 0.42's dictionary were seen in its corpus, all together."""

_LOG_TOTAL = math.log(TOTAL)
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


class WordTable(Mapping[str, V], Generic[V]):
    """What is known of words, in a dict for each first character: `by_first`."""

    def __init__(self) -> None:
        self.by_first: dict[str, dict[str, V]] = {}

    def __getitem__(self, word: str) -> V:
        return self.by_first[word[:1]][word]

    def get(self, word: str, default: Any = None) -> Any:
        found = self.by_first.get(word[:1])
        return default if found is None else found.get(word, default)

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self.by_first.values())

    def __len__(self) -> int:
        return sum(map(len, self.by_first.values()))


class _Dictionary:
    """jieba's tagger, and the lines of its dictionary that it has not been given yet: `text`, by first character."""

    def __init__(self, tagger: Any, text: str) -> None:
        self._tagger, self._text = tagger, text
        self._seen: WordTable[int] = WordTable()
        self._kinds: WordTable[str] = WordTable()
        tagger.word_tag_tab = self._kinds
        tagger.tokenizer.FREQ = self._seen
        tagger.tokenizer.get_DAG, tagger.tokenizer.calc = self._ends, self._likeliest
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
        self._seen.by_first[character] = _frequencies(words, [int(count) for count in entries[1::3]])
        self._kinds.by_first[character] = dict(zip(words, entries[2::3], strict=True))

    def _ends(self, text: str) -> dict[int, list[int]]:
        """Returns for each place of a text where words that begin there end: jieba's `get_DAG`."""
        found: dict[int, list[int]] = {}
        for start, character in enumerate(text):
            seen, end, ends = self._seen.by_first.get(character, {}), start, []
            while end < len(text) and (count := seen.get(text[start : end + 1])) is not None:
                if count:
                    ends.append(end)
                end += 1
            found[start] = ends or [start]
        return found

    def _likeliest(
        self, text: str, ends: Mapping[int, list[int]], route: dict[int, tuple[float, int]]
    ) -> None:
        """Puts into `route` for each place how likely its best way to the end is, and where the first word of it ends:
        jieba's `calc`."""
        route[len(text)] = (0, 0)
        for start in range(len(text) - 1, -1, -1):
            seen = self._seen.by_first.get(text[start], {})
            route[start] = max(
                (math.log(seen.get(text[start : end + 1]) or 1) - _LOG_TOTAL + route[end + 1][0], end)
                for end in ends[start]
            )


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
