"""Which of what was found stands in a prompt: one weight on one scale for the candidates of all sources.

Law: pure. A source keeps its own order; the *measure* says where its candidates stand among those of other sources. A
source's candidates get its candidates' measures, sorted downwards. What says the same is folded first: it stands once,
with the rank that the first source gave it which found it. Ties: the newer, then by name.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.text import sentences

WORDS_SHARE = 0.3
"""Of the measure, the share of the query's words; the rest is the cosine, uncut, on the embedder's scale."""
BEST = 2.0
"""Weight, among what is needed, of what fits best of all: it outlives all but the last turn."""
LEAST_LATIN, LEAST_WIDE = 20, 8
"""Characters of a sentence below which two alike are so by chance."""

LEAST_TOKENS = 0.25
"""Tokens of a character, at the least."""
LEAST_SHOWN = 200
"""Characters that are shown of any long passage, at the least."""

_APPENDED = re.compile(r"\s*[(（][^()（）]*\d{4}[^()（）]*[)）]\s*$")
_MARKS = re.compile(r"[\W_]+")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


class Kind(IntEnum):
    """What a candidate is; of two that say the same the greater stands."""

    FACT = 0
    PASSAGE = 1
    TURN = 2
    PAIR = 3  # both sides of a conflict


class Said(NamedTuple):
    """The sentences of a text, as numbers that only equal ones share; `is_telling`: one is long enough that another
    like it is no chance; `speakers`: who said them, as far as that is known."""

    sentences: frozenset[int]
    is_telling: bool
    speakers: frozenset[str] = frozenset()


class Candidate(NamedTuple):
    """What a source found. `name`: its own among all sources; `item_id`: what a section calls it."""

    name: str
    item_id: str
    kind: Kind
    time: datetime
    said: Said
    length: int


class Source(NamedTuple):
    """A source's candidates, in its own order, without repetition. `holds`: which holds which word of the query, shape
    (candidates, words); `cosines`: on the embedder's scale, NaN for what has no vector."""

    candidates: Sequence[Candidate]
    holds: NDArray[np.bool_]
    cosines: NDArray[np.float64]


class Copy(NamedTuple):
    """What says no more than what stands for it."""

    item_id: str
    time: datetime


class Placement(NamedTuple):
    """The weight of each candidate that stands, by name, heaviest first; what stands for others; what the words of the
    query weigh."""

    weights: Mapping[str, float]
    copies: Mapping[str, Sequence[Copy]]
    words: Mapping[str, float]

    @property
    def best(self) -> str:
        """The name of the heaviest; empty where nothing was found."""
        return next(iter(self.weights), "")


NOTHING = Placement({}, {}, {})


def said(*texts: str, speakers: Iterable[str] = ()) -> Said:
    """Takes texts apart: case, marks, a speaker's name before a sentence and dates appended to it are left aside."""
    names = frozenset(name.casefold() for name in speakers if name)
    numbers, is_telling = set(), False
    for text in texts:
        for sentence in sentences.split(text):
            is_telling = is_telling or len(sentence) >= LEAST_LATIN or _is_wide(sentence)
            if plain := _plain(sentence, names):
                numbers.add(hash(plain))
    return Said(frozenset(numbers), is_telling, names)


def _is_wide(sentence: str) -> bool:
    return len(sentence) >= LEAST_WIDE and _WIDE.search(sentence) is not None


def _plain(sentence: str, names: Iterable[str]) -> str:
    text = _APPENDED.sub("", sentence).casefold()
    for name in names:
        if text.startswith((f"{name}:", f"{name}：")):
            text = text[len(name) + 1 :]
            break
    return _MARKS.sub("", text)


def placed(sources: Sequence[Source], words: Sequence[str], room: int | None = None) -> Placement:
    """Weighs the candidates of all sources, in the order in which they come first: bank, conversation, facts. Those
    beyond what `room` tokens can hold are left out: nothing has to be made of them."""
    sources = [source for source in sources if source.candidates]
    if not sources:
        return NOTHING
    idf = _idf(np.concatenate([source.holds for source in sources]))
    pool = [candidate for source in sources for candidate in source.candidates]
    into = _folded(pool)
    weights: dict[str, float] = {}
    for source in sources:
        own: dict[str, float] = {}
        downwards = np.sort(_measures(source, idf))[::-1].tolist()
        for candidate, weight in zip(source.candidates, downwards, strict=True):
            own.setdefault(into[candidate.name].name, weight)
        for name, weight in own.items():
            weights.setdefault(name, weight)
    standing = {candidate.name: candidate for candidate in pool}
    order = sorted(weights, key=lambda name: (-weights[name], -standing[name].time.timestamp(), name))
    return Placement(
        weights={name: weights[name] for name in _within(order, standing, room)},
        copies=_copies(pool, into),
        words=dict(zip(words, idf.tolist(), strict=True)),
    )


def _within(order: Sequence[str], standing: Mapping[str, Candidate], room: int | None) -> Sequence[str]:
    if room is None:
        return order
    taken = 0.0
    for place, name in enumerate(order):
        if taken > room:
            return order[:place]
        taken += LEAST_TOKENS * min(standing[name].length, LEAST_SHOWN)
    return order


def _copies(pool: Iterable[Candidate], into: Mapping[str, Candidate]) -> dict[str, list[Copy]]:
    copies: dict[str, list[Copy]] = {}
    for candidate in pool:
        if (target := into[candidate.name]).name != candidate.name:
            copies.setdefault(target.name, []).append(Copy(candidate.item_id, candidate.time))
    return copies


def _idf(holds: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Weighs each word by how few of all candidates hold it."""
    held = holds.sum(axis=0)
    idf: NDArray[np.float64] = np.log1p((len(holds) - held + 0.5) / (held + 0.5))
    return idf


def _measures(source: Source, idf: NDArray[np.float64]) -> NDArray[np.float64]:
    whole = float(idf.sum())
    shares = source.holds @ idf / whole if whole > 0.0 else np.zeros(len(source.candidates))
    mixed = WORDS_SHARE * shares + (1.0 - WORDS_SHARE) * source.cosines
    return np.where(np.isnan(source.cosines), shares, mixed)


def _folded(pool: Sequence[Candidate]) -> dict[str, Candidate]:
    """Returns by name what stands for each candidate: itself, or one that says all that it says and more."""
    alike: dict[frozenset[int], list[Candidate]] = {}
    for candidate in pool:
        alike.setdefault(candidate.said.sentences, []).append(candidate)
    holding: dict[int, list[frozenset[int]]] = {}
    for sentences_ in alike:
        for number in sentences_:
            holding.setdefault(number, []).append(sentences_)
    into = {}
    for sentences_, candidates in alike.items():
        wider = _wider(sentences_, holding) if sentences_ else []
        others = [other for each in wider for other in alike[each]]
        for candidate in candidates:
            into[candidate.name] = candidate if len(others) == 1 else _target(candidate, others)
    for name, target in into.items():  # what stands for another may say no more than a third
        while (further := into[target.name]).name != target.name:
            target = further
        into[name] = target
    return into


def _wider(own: frozenset[int], holding: Mapping[int, Sequence[frozenset[int]]]) -> list[frozenset[int]]:
    """Returns the sets of sentences that hold all of one, itself among them."""
    rarest = min((holding[number] for number in own), key=len)
    return [other for other in rarest if own <= other]


def _target(candidate: Candidate, others: Iterable[Candidate]) -> Candidate:
    """Returns what stands for a candidate, of all that say as much."""
    if candidate.kind is Kind.PAIR:
        return candidate
    rank = _rank(candidate)
    found = [other for other in others if _rank(other) > rank and _may_fold(candidate, other)]
    return max(found, key=_rank, default=candidate)


def _may_fold(candidate: Candidate, other: Candidate) -> bool:
    """Whether a candidate may stand behind another, which another person has not said: a fact behind whatever says it;
    others behind no fact, and only with a sentence that is not alike by chance."""
    own, theirs = candidate.said.speakers, other.said.speakers
    if own and theirs and not own <= theirs:
        return False
    if candidate.kind is Kind.FACT:
        return True
    return candidate.said.is_telling and other.kind is not Kind.FACT


def _rank(candidate: Candidate) -> tuple[bool, int, Kind, int, float, str]:
    told = len(candidate.said.sentences)
    is_pair = candidate.kind is Kind.PAIR
    return is_pair, told, candidate.kind, candidate.length, candidate.time.timestamp(), candidate.name
