"""Chinese words and what kind each is, by jieba (MIT, pure Python, its dictionary in the package).

Law: the only module that imports jieba. The dictionary is read once, on first use or by `load_dictionary`,
and nothing is written: jieba's default tokenizer would put a cache into the common temporary
directory and trust what it finds there.
"""

import math
import warnings
from functools import cache
from threading import Lock
from typing import Any, NamedTuple

from core.text.likeliest import Model

_using = Lock()


class Word(NamedTuple):
    """A word and its kind in the ICTCLAS tag set: `n…` nouns (`nr` persons, `ns` places), `v…` verbs, …"""

    text: str
    kind: str


def tagged(text: str) -> list[Word]:
    """The words of `text`, which together are `text`, with their kinds."""
    with _using:
        return [Word(pair.word, pair.flag) for pair in _tagger().cut(text)]


def rarity(word: str) -> float:
    """How rare a word is: minus the natural logarithm of its share of the dictionary's corpus, 0 to 18."""
    words = _tagger().tokenizer
    return math.log(words.total / max(1, words.FREQ.get(word, 0)))


def load_dictionary() -> None:
    """Read the dictionary now: some 1.3 seconds, of which up to 0.3 at a stretch hold up every other thread.

    (Hash tables of half a million words are grown in one go.) So a server does it before it answers anyone.
    """
    with _using:
        _tagger()


@cache
def _tagger() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # string escapes that newer Pythons complain about
        import jieba
        import jieba.posseg
    tables = jieba.posseg
    model = Model(tables.char_state_tab_P, tables.start_P, tables.trans_P, tables.emit_P)
    tables.viterbi = lambda symbols, *_: (None, model.course(symbols))  # in place of one in dictionaries
    words = jieba.Tokenizer()
    words.FREQ, words.total = words.gen_pfdict(words.get_dict_file())
    words.initialized = True
    tagger = jieba.posseg.dt  # made when imported, with the kinds of all words; another would read them again
    tagger.tokenizer = words
    return tagger
