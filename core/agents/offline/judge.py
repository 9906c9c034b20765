"""The offline Judge: conflict, merge and related by what sentences say.

Law: deterministic, no network but the embedder's and the comparer's. A comparer says how likely two sentences
contradict each other or say the same; contexts and thresholds make an opinion of it. Nearness of vectors decides
neither a conflict nor a merge. What was read of a topic is kept as long as the caller keeps the topic, which is until
the call ends: a purged bank leaves no trace here.
"""

from collections.abc import Mapping, Sequence
from itertools import islice, product
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from core.agents.offline.judging.comparing import (
    ITSELF,
    MOST_PAIRS,
    JudgeThresholds,
    Pair,
    Side,
    are_of_two_entries,
    as_compared,
    clauses_to_compare,
    nearest_pairs,
    of_clauses,
    pairs_to_compare,
    told,
)
from core.agents.offline.judging.opinions import opinion_of
from core.agents.offline.judging.pair import Bar, PairJudged, SentencePair, bars_of, judged_pair
from core.agents.offline.judging.relation import relations, text_of
from core.agents.offline.judging.sentences import TopicSentences, topic_sentences
from core.agents.offline.thinking import think
from core.agents.roles import ConflictOpinion, MergeOpinion, RelatedOpinion, Topic
from core.agents.usage import note_uncompared
from core.ports.comparer import NONE, Comparer, Likelihood
from core.ports.embedder import Embedder
from core.text.quantities import Alike

Texts = tuple[str, str]


class OfflineJudge:
    """Judges topics by their texts. Raises EmbedderUnavailable."""

    def __init__(
        self, embedder: Embedder, comparer: Comparer, thresholds: JudgeThresholds | None = None
    ) -> None:
        self._embedder = embedder
        self._comparer = comparer
        self._lines = thresholds or JudgeThresholds()
        self._read: WeakKeyDictionary[Topic, TopicSentences] = WeakKeyDictionary()

    async def conflicts_and_merges(
        self, new: Topic, candidates: Sequence[Topic]
    ) -> Sequence[ConflictOpinion | MergeOpinion]:
        """Finds, in phase 1, a conflict where any two sentences contradict; else a merge where one holds the other."""
        side, others, asked, uncompared = await think(self._pairs, new, candidates)
        note_uncompared(uncompared)
        texts = [(alike.a, alike.b) for alike in asked.values()]
        likely = await self._by_clauses(texts, await self._likelihoods(texts))
        return await think(self._opinions, side, others, asked, likely)

    async def explained(self, new: Topic, candidates: Sequence[Topic], which: int) -> PairJudged:
        """Judges a topic and one of its candidates as phase 1 does among all of them, and tells what decides."""
        side, others, pairs, texts, bars = await think(self._pairs_told, new, candidates, which)
        whole = await self._likelihoods(texts)
        has_model = self._comparer.model != NONE
        likely = await self._by_clauses(texts, whole) if has_model else whole
        found = [
            SentencePair(
                pair=pair,
                first=side.sentences[pair.i],
                second=others[which].sentences[pair.j],
                texts=text,
                likelihood=one,
                bars=barred | {Bar.TOO_LONG} if has_model and alone is None else barred,
            )
            for pair, text, one, alone, barred in zip(pairs, texts, likely, whole, bars, strict=True)
        ]
        return await think(judged_pair, side, others[which], found, self._lines, self._comparer.model)

    async def related(self, new: Topic, candidates: Sequence[Topic]) -> Sequence[RelatedOpinion]:
        """Finds, in phase 2, the few that stand out among the candidates, by nearness or by rare words in common."""
        if not candidates:
            return ()
        topics = (new, *candidates)
        unknown = [text_of(topic) for topic in topics if topic.vector is None]
        made = iter(await self._embedder.embed_passages(unknown) if unknown else ())
        rows = np.stack([next(made) if topic.vector is None else topic.vector for topic in topics])
        near = self._scaled(rows[1:] @ rows[0])
        return await think(relations, new, candidates, near, self._embedder.thresholds.related)

    def _side(self, topic: Topic) -> Side:
        read = self._read.get(topic)
        if read is None:
            read = self._read[topic] = topic_sentences(topic)
        return Side(topic=topic, sentences=read.read, unread=read.unread)

    def _pairs(
        self, new: Topic, candidates: Sequence[Topic]
    ) -> tuple[Side, list[Side], dict[Pair, Alike], int]:
        side, others = self._side(new), [self._side(other) for other in candidates]
        pairs, uncompared = pairs_to_compare(side, others)
        return side, others, {pair: as_compared(side, others, pair) for pair in pairs}, uncompared

    def _pairs_told(
        self, new: Topic, candidates: Sequence[Topic], which: int
    ) -> tuple[Side, list[Side], list[Pair], list[Texts], list[frozenset[Bar]]]:
        """Returns the pairs of sentences to tell of: those that would be compared first, `MOST_PAIRS` at most."""
        side, others = self._side(new), [self._side(other) for other in candidates]
        near = dict.fromkeys(pair for pair in nearest_pairs(side, others) if pair.other == which)
        places = product(range(len(side.sentences)), range(len(others[which].sentences)))
        pairs = list(islice(near | dict.fromkeys(Pair(i, which, j) for i, j in places), MOST_PAIRS))
        bars = [
            bars_of(
                side,
                others[which],
                pair,
                is_entry=are_of_two_entries(side, others, pair),
                is_nearest=pair in near,
            )
            for pair in pairs
        ]
        alikes = (as_compared(side, others, pair) for pair in pairs)
        return side, others, pairs, [(alike.a, alike.b) for alike in alikes], bars

    async def _by_clauses(
        self, texts: Sequence[Texts], whole: Sequence[Likelihood | None]
    ) -> list[Likelihood]:
        """Returns the likelihoods, those of sentences too long to be compared whole by their clauses."""
        cut = [
            clauses_to_compare(text) if one is None else [] for text, one in zip(texts, whole, strict=True)
        ]
        parts = iter(await self._likelihoods([clause for clauses in cut for clause in clauses]))
        by_clauses = [[next(parts) for _ in clauses] for clauses in cut]
        return [
            of_clauses(told_parts, self._lines) if one is None else one
            for one, told_parts in zip(whole, by_clauses, strict=True)
        ]

    async def _likelihoods(self, texts: Sequence[Texts]) -> list[Likelihood | None]:
        """Returns what the comparer says; of texts that are one, that they say the same."""
        asked = [text for text in dict.fromkeys(texts) if text[0] != text[1]]
        answers = dict(zip(asked, await self._comparer.compare(asked), strict=True)) if asked else {}
        return [ITSELF if a == b else answers[a, b] for a, b in texts]

    def _opinions(
        self, new: Side, others: Sequence[Side], asked: Mapping[Pair, Alike], likely: Sequence[Likelihood]
    ) -> list[ConflictOpinion | MergeOpinion]:
        model = self._comparer.model
        compared = [
            told(new, others, pair, alike, one, self._lines)
            for (pair, alike), one in zip(asked.items(), likely, strict=True)
        ]
        found = (
            opinion_of(new, other, [one for one in compared if one.pair.other == n], self._lines, model)
            for n, other in enumerate(others)
        )
        return [opinion for opinion in found if opinion is not None]

    def _scaled(self, cosines: NDArray[np.float32]) -> NDArray[np.float32]:
        space = self._embedder.space
        width = space.cosine_ceiling - space.cosine_floor
        scaled: NDArray[np.float32] = np.clip((cosines - space.cosine_floor) / width, 0.0, 1.0).astype(
            np.float32
        )
        return scaled
