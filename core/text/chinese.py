"""Chinese words and what kind each is, by jieba (MIT, pure Python, its dictionary in the package).

Law: the only module that imports jieba. The dictionary is read once, on first use or by `load_dictionary`,
and nothing is written: jieba's default tokenizer would put a cache into the common temporary
directory and trust what it finds there.
"""

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from threading import Lock
from typing import Any, NamedTuple

from core.text.likeliest import Model

_using = Lock()


class Word(NamedTuple):
    """A word and its kind in the ICTCLAS tag set: `n…` nouns (`nr` persons, `ns` places), `v…` verbs, …"""

    text: str
    kind: str


def tagged(text: str) -> list[Word]:
    """Returns the words of `text`, which together are `text`, with their kinds."""
    with _using:
        return [Word(pair.word, pair.flag) for pair in _tagger().cut(text)]


def rarity(word: str) -> float:
    """Returns how rare a word is: minus the natural logarithm of its share of the dictionary's corpus, 0 to 18."""
    words = _tagger().tokenizer
    return math.log(words.total / max(1, words.FREQ.get(word, 0)))


def load_dictionary() -> None:
    """Read the dictionary now: some 0.6 seconds, of which up to 0.3 at a stretch hold up every other thread.

    (Hash tables of half a million words are grown in one go.) So a server does it before it answers anyone.
    """
    with _using:
        _tagger()


@cache
def _tagger() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # string escapes that newer Pythons complain about
        import jieba

        words = jieba.Tokenizer()
        entries = words.get_dict_file().read().decode().split()
        with _unread(jieba.Tokenizer):
            import jieba.posseg
    tables = jieba.posseg
    model = Model(tables.char_state_tab_P, tables.start_P, tables.trans_P, tables.emit_P)
    tables.viterbi = lambda symbols, *_: (None, model.course(symbols))  # in place of one in dictionaries
    words.FREQ, words.total = _frequencies(entries[0::3], [int(count) for count in entries[1::3]])
    words.initialized = True
    tagger = jieba.posseg.dt
    tagger.word_tag_tab = dict(zip(entries[0::3], entries[2::3], strict=True))
    tagger.tokenizer = words
    return tagger


@contextmanager
def _unread(tokenizer: Any) -> Iterator[None]:
    """jieba's tokenizers find an empty dictionary: when imported, `posseg` reads it line by line, as they all do."""
    read = tokenizer.get_dict_file
    tokenizer.get_dict_file = lambda _: BytesIO()
    try:
        yield
    finally:
        tokenizer.get_dict_file = read


def _frequencies(words: Sequence[str], counts: Sequence[int]) -> tuple[dict[str, int], int]:
    """Returns how often each word was seen, and all together. What only begins a word has 0, as jieba wants it."""
    found: dict[str, int] = {}
    longer, length = words, 0
    while longer:
        length += 1
        longer = [word for word in longer if len(word) > length]
        found.update(dict.fromkeys([word[:length] for word in longer], 0))
    found.update(zip(words, counts, strict=True))
    return found, sum(counts)
