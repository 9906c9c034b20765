"""The offline Judge: conflict, merge and related by what sentences say.

Law: deterministic, no network but the embedder's. Nearness of vectors alone decides neither a
conflict nor a merge; thresholds are the embedder's. Where it has a comparer, this is asked about
contradictions that words show, some of which it rules out, and about brief notes in which they
show none: it finds what no rule knows, and keeps apart what only looks the same.
Summaries are read sentence by sentence, and quoted verbatim. What was read of a topic is kept as
long as the caller keeps the topic, which is until the call ends: a purged bank leaves no trace here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from core.agents.offline.judging.conflict import (
    Clash,
    Vector,
    clashes,
    conflict,
    surest,
    surest_of_one_matter,
)
from core.agents.offline.judging.likely import (
    Place,
    apart,
    likely_clashes,
    possible,
    said_alike,
    told_apart,
    worth_asking,
)
from core.agents.offline.judging.merge import may_merge, merge
from core.agents.offline.judging.notation import in_one_notation
from core.agents.offline.judging.relation import relations
from core.agents.offline.judging.topic_sentences import Side, TopicSentence, text_of, topic_sentences
from core.agents.offline.thinking import think
from core.agents.roles import ConflictOpinion, MergeOpinion, RelatedOpinion, Topic
from core.ports.comparer import NONE, Comparer, Likelihood
from core.ports.embedder import Embedder

Likely = Mapping[Place, Likelihood]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What words say of the new side and another: the clashes they show, those there are if the sentences share their
    matter, and the places that a comparer is asked about.

    `may_merge`: as far as words go, if the embedder found all sentences alike.
    """

    other: Side
    clashes: tuple[Clash, ...]
    if_same_matter: tuple[Clash, ...] = ()
    may_merge: bool = False
    asked: tuple[Place, ...] = ()


class OfflineJudge:
    """Judges topics by their texts. Raises EmbedderUnavailable."""

    def __init__(self, embedder: Embedder, comparer: Comparer) -> None:
        self._embedder = embedder
        self._comparer = comparer
        self._read: WeakKeyDictionary[Topic, tuple[TopicSentence, ...]] = WeakKeyDictionary()
        lines = embedder.thresholds
        self._same_matter = (lines.related + lines.same) / 2  # for the one that is nearer than all others

    async def conflicts_and_merges(
        self, new: Topic, candidates: Sequence[Topic]
    ) -> Sequence[ConflictOpinion | MergeOpinion]:
        """Finds, in phase 1, a conflict where any two sentences contradict; else a merge where one holds the other.

        Only where words alone leave it open are sentences embedded.
        """
        side, compared = await think(self._compare, new, candidates)
        likely = await self._likely(side, compared)
        near = await self._nearness(side, compared)
        return await think(self._first_phase, side, compared, likely, near)

    async def related(self, new: Topic, candidates: Sequence[Topic]) -> Sequence[RelatedOpinion]:
        """Finds, in phase 2, the few that stand out among the candidates, by nearness or by rare words in common."""
        if not candidates:
            return ()
        rows = await self._embedder.embed_passages([text_of(topic) for topic in (new, *candidates)])
        near = self._scaled(rows[1:] @ rows[0])
        return await think(self._second_phase, new, candidates, near)

    def _side(self, topic: Topic) -> Side:
        """Returns the topic read: phase 2 asks about those that phase 1 has just compared."""
        read = self._read.get(topic)
        if read is None:
            read = self._read[topic] = topic_sentences(topic)
        return Side(topic=topic, sentences=read)

    def _compare(self, new: Topic, candidates: Sequence[Topic]) -> tuple[Side, list[Compared]]:
        side, asks = self._side(new), self._comparer.model != NONE
        return side, [_compared(side, self._side(other), asks) for other in candidates]

    async def _likely(self, new: Side, compared: Sequence[Compared]) -> list[Likely]:
        """Returns what the comparer says of the sentences it is asked about, for each side."""
        asked = [(one.other, place) for one in compared for place in one.asked]
        if not asked:
            return [{} for _ in compared]
        pairs = await think(_as_compared, new, asked)
        told = iter(await self._comparer.compare(pairs))
        of_each = [zip(one.asked, told, strict=False) for one in compared]
        return [{place: one for place, one in found if one is not None} for found in of_each]

    async def _nearness(self, new: Side, compared: Sequence[Compared]) -> list[Vector | None]:
        """Returns how near the sentences of those sides are whose vectors decide something, 0 to 1."""
        matters = any(one.if_same_matter for one in compared)
        wanted = [one.may_merge or matters and one.other.brief for one in compared]
        if not any(wanted):
            return [None] * len(compared)
        chosen = [one.other for one, is_wanted in zip(compared, wanted, strict=True) if is_wanted]
        texts = [one.judged for side in (new, *chosen) for one in side.sentences]
        rows = await self._embedder.embed_passages(texts)
        ours, theirs = rows[: len(new.sentences)], rows[len(new.sentences) :]
        found: list[Vector | None] = []
        for one, is_wanted in zip(compared, wanted, strict=True):
            size = len(one.other.sentences) if is_wanted else 0
            found.append(self._scaled(ours @ theirs[:size].T) if is_wanted else None)
            theirs = theirs[size:]
        return found

    def _first_phase(
        self,
        new: Side,
        compared: Sequence[Compared],
        likely: Sequence[Likely],
        near: Sequence[Vector | None],
    ) -> list[ConflictOpinion | MergeOpinion]:
        opinions: list[ConflictOpinion | MergeOpinion] = []
        for number, (one, told) in enumerate(zip(compared, likely, strict=True)):
            clash = surest(possible(new, one.other, one.clashes, told))
            if clash is None:
                clash = surest(likely_clashes(new, one.other, told, all_said=one.may_merge))
            if clash is None:
                found = possible(new, one.other, one.if_same_matter, told)
                clash = surest_of_one_matter(found, near, number, self._same_matter)
            if clash is not None:
                opinions.append(conflict(new, one.other, clash))
            elif not apart(new, one.other, told):
                opinions += self._merged(new, one, told, near[number])
        return opinions

    def _merged(self, new: Side, one: Compared, told: Likely, near: Vector | None) -> list[MergeOpinion]:
        said = said_alike(new, one.other, told)
        if not one.may_merge and not said.any():
            return []
        alike = near >= self._embedder.thresholds.same if near is not None else np.zeros_like(said)
        opinion = merge(new, one.other, alike, said, told_apart(new, one.other, told))
        return [] if opinion is None else [opinion]

    def _second_phase(self, new: Topic, candidates: Sequence[Topic], near: Vector) -> list[RelatedOpinion]:
        sides = [self._side(topic) for topic in candidates]
        return relations(self._side(new), sides, near, self._embedder.thresholds.related)

    def _scaled(self, cosines: Vector) -> Vector:
        space = self._embedder.space
        width = space.cosine_ceiling - space.cosine_floor
        scaled: Vector = np.clip((cosines - space.cosine_floor) / width, 0.0, 1.0).astype(np.float32)
        return scaled


def _as_compared(new: Side, asked: Sequence[tuple[Side, Place]]) -> list[tuple[str, str]]:
    return [
        in_one_notation(new.sentences[i].statement, other.sentences[j].statement) for other, (i, j) in asked
    ]


def _compared(new: Side, other: Side, asks: bool) -> Compared:
    found = tuple(clashes(new, other, same_matter=False))
    both_brief = new.brief and other.brief
    if found or not new.sentences or not other.sentences:
        doubted = tuple((one.i, one.j) for one in found) if asks and both_brief else ()
        return Compared(other=other, clashes=found, asked=doubted)
    return Compared(
        other=other,
        clashes=(),
        if_same_matter=tuple(clashes(new, other, same_matter=True)) if both_brief else (),
        may_merge=may_merge(new, other),
        asked=tuple(worth_asking(new, other)) if asks else (),
    )
