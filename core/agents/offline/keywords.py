"""Keywords of a topic: names, terms, figures with their units; single words and short phrases.

Law: pure; every keyword is a stretch of the text as it stands there, none is a stem, a stop word
or a part of another keyword. English phrases are runs of content words (Rose et al. 2010, RAKE),
Chinese ones runs of nouns as jieba tags them; weight is frequency × rarity among the other texts.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from core.language import Language, in_all, unspaced
from core.language.words import Word
from core.text import analysis
from core.text.words import words

CODE = words(
    "https http www com br def str int self return await async none true false null const var dr mr mrs ms prof"
)
COMMON = analysis.STOP_WORDS | CODE | frozenset(in_all("common"))
"""Words too common to be keywords: wider than search's stop words, for nobody names a topic "really" or "went"."""
MOST = 8
FIGURES = 2  # of them at most this many numbers and dates
LONGEST_PHRASE = 3  # words
MENTIONS = 2  # times a phrase of plain words must occur

RUN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+|[^\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
TOKEN = re.compile(r"[^\W\d_](?:[\w'’]|[-.&/+#](?=\w))*[+#]*|\d|[^\w\s]")
UNITS_ZH = "元|美元|人民币|欧元|公里|千米|米|公斤|千克|吨|量子比特|平方米|人|岁|小时|分钟"
UNITS_EN = (
    "km|kg|mg|GB|MB|TB|GHz|MHz|ms|kW|MW|GW|nm|mm|cm|qubits?|tokens?|people|users?|employees|dollars|euros"
    "|miles?|met(?:er|re)s?|degrees?|tons?|tonnes?|years?|months?|weeks?|days?|hours?|minutes?"
)
MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec)[a-z]*\.?"
YEAR = r"(?:1[5-9]|20)\d\d"
AMOUNT = (
    r"(?<!\d)(?<!\d,)\d[\d,]*(?:\.\d+)?"  # from its first digit: each would be read to the end of a long run
)
FIGURE = re.compile(
    rf"\d{{1,2}}(?:st|nd|rd|th)? {MONTH},? {YEAR}|{MONTH} {YEAR}"
    rf"|{MONTH} \d{{1,2}}(?!\d)(?:st|nd|rd|th)?(?:, ?{YEAR})?"
    rf"|{YEAR}年(?:\d{{1,2}}月(?:\d{{1,2}}日)?)?|\d{{1,2}}月\d{{1,2}}日|\d{{4}}-\d{{2}}-\d{{2}}"
    rf"|(?<![\d.,-]){YEAR}(?:[-–]{YEAR}年?)?(?![\d%]|[.,-]\d)"
    rf"|[$€£¥]\s?{AMOUNT}(?: ?(?:thousand|million|billion|trillion)\b|[kKmMbB]\b)?"
    rf"|{AMOUNT}\s?[%％]"
    rf"|{AMOUNT}[万亿]?(?:{UNITS_ZH})"
    rf"|{AMOUNT}[ -]?(?:thousand |million |billion )?(?:{UNITS_EN})\b"
)
RUN_KINDS = frozenset("nlijvab")  # first letters of the kinds that phrases are made of
TERM_KINDS = frozenset("nlij")  # nouns, idioms, abbreviations
LONGEST_CUT = 8  # characters of a phrase
NAME_KINDS = frozenset({"nr", "ns", "nt", "nz", "nrt", "nrfg"})
OPENERS = frozenset('.!?:"“')
LOWER_WORD = re.compile(r"\b[a-z][a-z'-]+")
SPACES = re.compile(r"\s+")


@dataclass(slots=True, kw_only=True)
class Candidate:
    """A possible keyword: how often each of its spellings occurs, and what speaks for it."""

    spellings: Counter[str] = field(default_factory=Counter)
    words: int = 1
    name: bool = False
    compound: bool = False  # one term though it has several words: once is enough
    rarity: float = 1.0

    @property
    def times(self) -> int:
        return self.spellings.total()

    @property
    def spelling(self) -> str:
        """The most frequent spelling; of equally frequent ones the first in code point order."""
        return min(self.spellings, key=lambda spelled: (-self.spellings[spelled], spelled))


def keywords(
    texts: Sequence[str],
    others: Mapping[str, int] | None = None,
    titles: Iterable[str] = (),
    most: int = MOST,
) -> tuple[str, ...]:
    """Returns the best keywords of a topic's texts, weightiest first, figures last.

    `others` tells in how many texts round about each search term occurs (see `spread`), `titles`
    are headings whose words count more.
    """
    found = _candidates(texts, weight=1)
    for key, titled in _candidates(list(titles), weight=2).items():
        found.setdefault(key, Candidate(words=titled.words, name=titled.name, rarity=titled.rarity))
        found[key].spellings.update(titled.spellings)
    kept = {key: c for key, c in found.items() if c.words == 1 or c.compound or c.times >= MENTIONS}
    chosen = _chosen(kept, others or {}, most)
    room = max(min(FIGURES, most - 3), most - len(chosen))
    figures = [figure for figure in _figures(texts) if not any(figure in word for word in chosen)][
        : min(FIGURES, room)
    ]
    return (*chosen[: most - len(figures)], *figures)


def spread(texts: Iterable[str]) -> Counter[str]:
    """Returns in how many of the texts each search term occurs."""
    counted: Counter[str] = Counter()
    for text in texts:
        counted.update(set(analysis.terms(text)))
    return counted


Key = tuple[str, ...]


class Phrase(NamedTuple):
    """A possible keyword where it stands: its number of words, how rare it is (1 is usual)."""

    text: str
    words: int
    rarity: float
    name: bool = False
    compound: bool = False


def _candidates(texts: Sequence[str], weight: int) -> dict[Key, Candidate]:
    found: dict[Key, Candidate] = {}
    lower = {word for text in texts for word in LOWER_WORD.findall(text)}
    for text in texts:
        for phrase in _phrases(FIGURE.sub(" , ", text), lower):
            key = tuple(analysis.terms(phrase.text)) or (phrase.text.casefold(),)
            candidate = found.setdefault(key, Candidate(words=phrase.words))
            candidate.spellings[phrase.text] += weight
            candidate.name |= phrase.name
            candidate.compound |= phrase.compound
            candidate.rarity = max(candidate.rarity, phrase.rarity)
    return found


def _phrases(text: str, lower: set[str]) -> Iterator[Phrase]:
    for run in RUN.findall(text):
        language = unspaced(run)
        yield from _cut(run, language) if language else _spelled(run, lower)


def _spelled(text: str, lower: set[str]) -> Iterator[Phrase]:
    """Runs of content words between stop words and marks, their words, and the names among them."""
    run: list[str] = []
    opening = True  # of a sentence, where a capital says nothing
    for token in [*TOKEN.findall(text), "."]:
        word = token.removesuffix("'s").removesuffix("’s")
        if _is_content(word):
            run.append(word.casefold() if opening and word.casefold() in lower else word)
        if word != token or not _is_content(word):
            yield from _of_run(run)
            run = []
        opening = token in OPENERS


def _is_content(word: str) -> bool:
    return len(word) > 1 and word[0].isalpha() and "'" not in word and word.casefold() not in COMMON


def _of_run(run: list[str]) -> Iterator[Phrase]:
    """Yields the words of a run, and its parts that are all names or all plain."""
    for word in run:
        yield Phrase(word, 1, 1.0 + 0.05 * min(len(word), 10), name=_is_name(word))
    for named, part in groupby(run, _is_name):
        words = list(part)
        if 1 < len(words) == len(set(words)) <= LONGEST_PHRASE:
            yield Phrase(" ".join(words), len(words), 1.5, name=named, compound=named)
    if 1 < len(run) <= LONGEST_PHRASE and len({_is_name(word) for word in run}) > 1:
        yield Phrase(" ".join(run), len(run), 1.5)


def _is_name(word: str) -> bool:
    return any(map(str.isupper, word))


def _cut(text: str, language: Language) -> Iterator[Phrase]:
    """Nouns and names of two characters and more, and the runs of nouns and verbs they stand in."""
    run: list[Word] = []
    for word in [*language.tagged(text), Word("", "x")]:
        if word.kind[:1] in RUN_KINDS and word.text not in COMMON:
            run.append(word)
        else:
            yield from _of_cut_run(run, language)
            run = []


def _of_cut_run(run: list[Word], language: Language) -> Iterator[Phrase]:
    for word in run:
        if len(word.text) > 1 and _is_term(word):
            rarity = 0.6 + language.rarity(word.text) / 18
            yield Phrase(word.text, 1, rarity, name=word.kind in NAME_KINDS)
    for size in (2, 3):
        for start in range(len(run) - size + 1):
            part = run[start : start + size]
            joined = "".join(word.text for word in part)
            if len(joined) > LONGEST_CUT or not _is_term(part[0]) or part[-1].kind[:1] not in "nv":
                continue
            # 量子芯片 is one term, and so is 机器学习 where nothing follows that could be learnt
            compound = (
                size == 2 and len(joined) > 3 and (all(map(_is_term, part)) or start + size == len(run))
            )
            yield Phrase(joined, size, 1.8, compound=compound)


def _is_term(word: Word) -> bool:
    return word.kind[:1] in TERM_KINDS or word.kind in ("vn", "an")


def _chosen(found: Mapping[Key, Candidate], others: Mapping[str, int], most: int) -> list[str]:
    """Returns the weightiest candidates, none a part of another."""
    chosen: list[str] = []
    keys: list[frozenset[str]] = []
    for key in sorted(found, key=lambda key: (-_weight(key, found[key], others), found[key].spelling)):
        candidate = found[key]
        terms = frozenset(key)
        spelled = candidate.spelling
        if any(terms <= taken or taken <= terms for taken in keys) or any(spelled in word for word in chosen):
            continue
        chosen.append(spelled)
        keys.append(terms)
        if len(chosen) == most:
            break
    return chosen


def _weight(key: Key, candidate: Candidate, others: Mapping[str, int]) -> float:
    around = min((others.get(term, 0) for term in key), default=0)
    rare = 1.0 / (1.0 + math.log1p(max(0, around - candidate.times) / max(1, candidate.times)))
    longer = 1.0 + 0.4 * (min(candidate.words, LONGEST_PHRASE) - 1)
    return (
        (1.0 + math.log(candidate.times))
        * candidate.rarity
        * rare
        * longer
        * (1.4 if candidate.name else 1.0)
    )


def _figures(texts: Sequence[str]) -> list[str]:
    """Dates, years, sums and measures, the most frequent first, then as they come."""
    counted: Counter[str] = Counter()
    for text in texts:
        counted.update(SPACES.sub(" ", found.group().strip()) for found in FIGURE.finditer(text))
    return [figure for figure, _ in counted.most_common()]
