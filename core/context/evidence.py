"""Which of what was found stands in a prompt: one weight on one scale for the candidates of all sources.

Law: pure. A source keeps its own order; the *measure* says where its candidates stand among those of other sources. A
source's candidates get its candidates' measures, sorted downwards. What says the same is folded first: it stands once,
with the rank that the first source gave it which found it. Ties: the newer, then by name. What says one side of a
quarrel weighs no more than the pair of its sides, without which it does not stand.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from enum import IntEnum
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.context.disputes import NO_DISPUTES, Disputes, SentenceKeys

WORDS_SHARE = 0.3
"""Of the measure, the share of the query's words; the rest is the cosine, uncut, on the embedder's scale."""
BEST = 2.0
"""Weight, among what is needed, of what fits best of all: it outlives all but the last turn."""
LEAST_LATIN, LEAST_WIDE = 20, 8
"""Characters of a sentence below which two alike are so by chance."""

MOST_BELOW = 20
"""Candidates that are told of those below a floor, the heaviest."""

LEAST_SHOWN = 50
"""Tokens that are shown of any long passage, at the least."""
HEAD = 4
"""Tokens before any passage, at the least: its handle."""

CUT = "…"
"""Behind a text that was cut off."""

_APPENDED = re.compile(r"\s*[(（][^()（）]*\d{4}[^()（）]*[)）]\s*$")
_ENDS = re.compile(r"[.!?]+[\"'”’)\]]*(?:\s+|$)|[。！？；…\n]+")
"""Where texts are taken apart to be compared: alike in all of them, so it need not know abbreviations."""
_MARKS = re.compile(r"[\W_]+")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


class Kind(IntEnum):
    """What a candidate is; of two that say the same the greater stands."""

    ELSEWHERE = 0  # a piece of a turn of another conversation
    FACT = 1
    PASSAGE = 2
    TURN = 3
    PAIR = 4  # both sides of a conflict


class Candidate(NamedTuple):
    """What a source found. `name`: its own among all sources; `item_id`: what a section calls it."""

    name: str
    item_id: str
    kind: Kind
    time: datetime
    said: SentenceKeys
    tokens: int


class Source(NamedTuple):
    """A source's candidates, in its own order, without repetition. `holds`: which holds which word of the query, shape
    (candidates, words); `cosines`: on the embedder's scale, NaN for what has no vector; `doubts`: what is taken from
    the measure of each, None for nothing."""

    candidates: Sequence[Candidate]
    holds: NDArray[np.bool_]
    cosines: NDArray[np.float64]
    doubts: NDArray[np.float64] | None = None


class Copy(NamedTuple):
    """What says no more than what stands for it."""

    item_id: str
    time: datetime


class Placement(NamedTuple):
    """The weight of each candidate that stands, by name, heaviest first; what stands for others; what the words of the
    query weigh.

    `disputes`: of all sources; `pairs`: the names of those whose sides were found, and not below a floor. `below`: of
    what weighs less than a floor the heaviest, and how much there is (`below_count`); `is_floored`: there is a floor,
    so nothing fills up what is left. `is_full`: there is more than the room holds, so nothing else has to be made.
    """

    weights: Mapping[str, float]
    copies: Mapping[str, Sequence[Copy]]
    words: Mapping[str, float]
    disputes: Disputes = NO_DISPUTES
    pairs: Collection[str] = ()
    below: Sequence[Candidate] = ()
    below_count: int = 0
    is_floored: bool = False
    is_full: bool = False

    @property
    def best(self) -> str:
        """The name of the heaviest; empty where nothing was found."""
        return next(iter(self.weights), "")

    def requires(self, said_: SentenceKeys) -> tuple[str, ...]:
        """Returns the items without which a text may not stand: of the quarrels of which it says a side, but not all,
        those that say all."""
        if not self.pairs:
            return ()
        names = [name for name in self.disputes.one_sided(said_) if name in self.pairs]
        return tuple(dict.fromkeys(item for name in names for item in self.disputes.items(name)))

    def is_disputed(self, said_: SentenceKeys) -> bool:
        """Whether a text says one side of a quarrel that was not found: all that can be done is to mark it."""
        if not self.disputes:
            return False
        return any(name not in self.pairs for name in self.disputes.one_sided(said_))


NOTHING = Placement({}, {}, {})


def said(*texts: str, speakers: Iterable[str] = ()) -> SentenceKeys:
    """Takes texts apart: case, marks, a speaker's name before a sentence and dates appended to it are left aside."""
    names = frozenset(name.casefold() for name in speakers if name)
    numbers, is_telling = set(), False
    for text in texts:
        for sentence in filter(None, _ENDS.split(text)):
            is_telling = is_telling or len(sentence) >= LEAST_LATIN or _is_wide(sentence)
            if plain := _plain(sentence, names):
                numbers.add(hash(plain))
    return SentenceKeys(frozenset(numbers), is_telling, names)


def untold(text: str, sentences: Collection[int], speakers: Iterable[str] = ()) -> str:
    """Returns a text without those of its sentences that are among these numbers."""
    names = frozenset(name.casefold() for name in speakers if name)
    left, start = [], 0
    for end in (*_ENDS.finditer(text), None):
        stop, after = (end.start(), end.end()) if end else (len(text), len(text))
        plain = _plain(text[start:stop], names)
        if plain and hash(plain) not in sentences:
            left.append(text[start:after])
        start = after
    return "".join(left).strip()


def whole_of(cut: str, text: str) -> str:
    """Returns the sentence of a text that another text is the beginning of, cut off; empty: of none."""
    if not cut.endswith(CUT):
        return ""
    begun = _plain(cut.removesuffix(CUT), ())
    return next((each for each in _ENDS.split(text) if begun and _plain(each, ()).startswith(begun)), "")


def _is_wide(sentence: str) -> bool:
    return len(sentence) >= LEAST_WIDE and _WIDE.search(sentence) is not None


def _plain(sentence: str, names: Iterable[str]) -> str:
    text = _APPENDED.sub("", sentence).casefold()
    for name in names:
        if text.startswith((f"{name}:", f"{name}：")):
            text = text[len(name) + 1 :]
            break
    return _MARKS.sub("", text)


def placed(
    sources: Sequence[Source],
    words: Sequence[str],
    room: int | None = None,
    floor: float | None = None,
    disputes: Disputes = NO_DISPUTES,
) -> Placement:
    """Weighs the candidates of all sources, in the order in which they come first: bank, conversation, facts. Those
    beyond what `room` tokens can hold are left out: nothing has to be made of them; and those that weigh less than the
    `floor`."""
    sources = [source for source in sources if source.candidates]
    if not sources:
        apart = frozenset(disputes.told_apart)
        return NOTHING._replace(is_floored=floor is not None, disputes=disputes, pairs=apart)
    idf = idf_of(np.concatenate([source.holds for source in sources]))
    pool = [candidate for source in sources for candidate in source.candidates]
    into = _folded(pool)
    weights: dict[str, float] = {}
    for source in sources:
        own: dict[str, float] = {}
        downwards = np.sort(unordered(source, idf))[::-1].tolist()
        for candidate, weight in zip(source.candidates, downwards, strict=True):
            own.setdefault(into[candidate.name].name, weight)
        for name, weight in own.items():
            weights.setdefault(name, weight)
    standing = {candidate.name: candidate for candidate in pool if candidate.name in weights}
    found = Placement(
        {},
        _copies(pool, into),
        dict(zip(words, idf.tolist(), strict=True)),
        disputes,
        {each.item_id for each in standing.values() if each.kind is Kind.PAIR} | disputes.told_apart.keys(),
    )
    behind = _behind_pairs(standing, found, weights)
    order = sorted(
        weights, key=lambda name: (-weights[name], name in behind, -standing[name].time.timestamp(), name)
    )
    below = [] if floor is None else [name for name in order if weights[name] < floor]
    order = order[: len(order) - len(below)]
    pairs = {name for name in found.pairs if not set(disputes.items(name)).issubset(below)}
    within = _within(order, standing, room)
    return found._replace(
        weights={name: weights[name] for name in within},
        pairs=pairs,
        is_full=len(within) < len(order),
        below=[standing[name] for name in below[:MOST_BELOW]],
        below_count=len(below),
        is_floored=floor is not None,
    )


def _behind_pairs(
    standing: Mapping[str, Candidate], found: Placement, weights: dict[str, float]
) -> Collection[str]:
    """Returns what says one side alone; lets what says all weigh as much at the least, and items that say a side each
    weigh the same."""
    if not found.pairs:
        return ()
    behind = []
    for name, candidate in standing.items():
        if candidate.kind is not Kind.PAIR and (items := found.requires(candidate.said)):
            behind.append(name)
            _raise(weights, items, weights[name])
    for apart in found.disputes.told_apart.values():
        _raise(weights, apart, max((weights[each] for each in apart if each in weights), default=0.0))
    return frozenset(behind)


def _raise(weights: dict[str, float], names: Iterable[str], least: float) -> None:
    """Lets those that are weighed weigh no less than that."""
    for name in names:
        if name in weights:
            weights[name] = max(weights[name], least)


def measured(sources: Sequence[Source]) -> list[NDArray[np.float64]]:
    """Returns the weights of each source's candidates on one scale, in the source's own order."""
    idf = idf_of(np.concatenate([source.holds for source in sources])) if sources else np.zeros(0)
    return [np.sort(unordered(source, idf))[::-1] for source in sources]


def _within(order: Sequence[str], standing: Mapping[str, Candidate], room: int | None) -> Sequence[str]:
    if room is None:
        return order
    taken = 0
    for place, name in enumerate(order):
        if taken > room:
            return order[:place]
        taken += HEAD + min(standing[name].tokens, LEAST_SHOWN)
    return order


def _copies(pool: Iterable[Candidate], into: Mapping[str, Candidate]) -> dict[str, list[Copy]]:
    copies: dict[str, list[Copy]] = {}
    for candidate in pool:
        if (target := into[candidate.name]).name != candidate.name:
            copies.setdefault(target.name, []).append(Copy(candidate.item_id, candidate.time))
    return copies


def idf_of(holds: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Weighs each word by how few of all candidates hold it."""
    held = holds.sum(axis=0)
    idf: NDArray[np.float64] = np.log1p((len(holds) - held + 0.5) / (held + 0.5))
    return idf


def shares_of_words(sources: Sequence[Source]) -> list[NDArray[np.float64]]:
    """Returns of each source's candidates the share of the query's words that they hold, as `placed` weighs it."""
    filled = [source for source in sources if source.candidates]
    if not filled:
        return [np.zeros(0) for _ in sources]
    idf = idf_of(np.concatenate([source.holds for source in filled]))
    return [_shares(source, idf) if source.candidates else np.zeros(0) for source in sources]


def _shares(source: Source, idf: NDArray[np.float64]) -> NDArray[np.float64]:
    whole = float(idf.sum())
    return source.holds @ idf / whole if whole > 0.0 else np.zeros(len(source.cosines))


def unordered(source: Source, idf: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the measure of each candidate by itself. `idf`: what each word weighs."""
    shares = _shares(source, idf)
    mixed = WORDS_SHARE * shares + (1.0 - WORDS_SHARE) * source.cosines
    found: NDArray[np.float64] = np.where(np.isnan(source.cosines), shares, mixed)
    return found if source.doubts is None else found - source.doubts


def _folded(pool: Sequence[Candidate]) -> dict[str, Candidate]:
    """Returns by name what stands for each candidate: itself, or one that says all that it says and more."""
    into = {candidate.name: candidate for candidate in pool}
    held = Counter(chain.from_iterable(candidate.said.sentences for candidate in pool))
    repeated = {number for number, count in held.items() if count > 1}
    alike: dict[frozenset[int], list[Candidate]] = {}
    for candidate in pool:
        if not repeated.isdisjoint(candidate.said.sentences):
            alike.setdefault(candidate.said.sentences, []).append(candidate)
    holding: dict[int, list[frozenset[int]]] = {}
    for sentences_ in alike:
        for number in sentences_ & repeated:
            holding.setdefault(number, []).append(sentences_)
    ranked: dict[frozenset[int], list[tuple[Rank, Candidate]]] = {}
    for sentences_, candidates in alike.items():
        if not sentences_ <= repeated:
            continue  # it says what nothing else says
        wider = _wider(sentences_, holding)
        if len(wider) == 1 and len(candidates) == 1:
            continue
        for each in wider:
            if each not in ranked:
                ranked[each] = sorted([(_rank(one), one) for one in alike[each]], reverse=True)
        others = ranked[sentences_]
        if len(wider) > 1:
            others = sorted(chain.from_iterable(ranked[each] for each in wider), reverse=True)
        for candidate in candidates:
            into[candidate.name] = _target(candidate, others)
    for name, target in into.items():  # what stands for another may say no more than a third
        while (further := into[target.name]) is not target:
            target = further
        into[name] = target
    return into


Rank = tuple[bool, int, Kind, int, float, str]


def _wider(own: frozenset[int], holding: Mapping[int, Sequence[frozenset[int]]]) -> list[frozenset[int]]:
    """Returns the sets of sentences that hold all of one, itself among them."""
    rarest = min((holding[number] for number in own), key=len)
    return [other for other in rarest if own <= other]


def _target(candidate: Candidate, others: Iterable[tuple[Rank, Candidate]]) -> Candidate:
    """Returns what stands for a candidate, of all that say as much, the first in rank before all others."""
    if candidate.kind is Kind.PAIR:
        return candidate
    for _, other in others:
        if other is candidate or _may_fold(candidate, other):
            return other
    return candidate


def _may_fold(candidate: Candidate, other: Candidate) -> bool:
    """Whether a candidate may stand behind another, which another person has not said: what was said elsewhere behind
    whatever says it, a fact behind all but that; others behind no fact, and only with a sentence that is not alike by
    chance."""
    own, theirs = candidate.said.speakers, other.said.speakers
    if own and theirs and not own <= theirs:
        return False
    if candidate.kind is Kind.ELSEWHERE:
        return True
    if other.kind is Kind.ELSEWHERE:
        return False
    if candidate.kind is Kind.FACT:
        return True
    return candidate.said.is_telling and other.kind is not Kind.FACT


def _rank(candidate: Candidate) -> Rank:
    told = len(candidate.said.sentences)
    is_pair = candidate.kind is Kind.PAIR
    return is_pair, told, candidate.kind, candidate.tokens, candidate.time.timestamp(), candidate.name
