"""The offline Judge: conflict, merge and related by what sentences say.

Law: deterministic, no network but the embedder's. Nearness of vectors alone decides neither a
conflict nor a merge; thresholds are the embedder's. It reads summaries sentence by sentence, and
quotes them verbatim.
"""

import asyncio
import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from core.agents.offline import naming
from core.agents.offline.claims.reading import SPEAKER, read
from core.agents.offline.claims.statement import Kind, Statement
from core.agents.offline.contradiction import Contradiction, contradicts
from core.agents.offline.sameness import contains, content
from core.agents.roles import ConflictOpinion, MergeOpinion, RelatedOpinion, Topic
from core.ports import Embedder
from core.text import sentences
from core.text.scripts import is_chinese

Vector = NDArray[np.float32]

STRATEGY_EN = "keep the fuller wording, add what only the other says"
STRATEGY_ZH = "保留更完整的表述，补充另一方独有的内容"
REMEMBERED = 8192  # texts whose vectors are kept
MOST_SENTENCES = 64  # of one summary; what comes after is not compared
LEAST_CONTENT = 2.0  # of a text to be merged, in terms
MERGED_CONTENT = 0.8  # of one summary's content, found in the other
AMONG = 3  # other candidates, for standing out among them to mean something
SAME_MATTER_MARGIN = 0.1  # how much nearer than to any other candidate
RELATED_BY_WORDS = 0.5  # of the threshold, when rare words are shared
KEYWORDS = 10
INHERITED_KEYWORDS = 3  # of the other's, added to one's own


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One sentence of a topic: verbatim, and as it is judged (with its speaker in front)."""

    quote: str
    judged: str

    @property
    def statement(self) -> Statement:
        return read(self.judged)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A topic with its sentences and their vectors, one a row."""

    topic: Topic
    said: tuple[Said, ...]
    vectors: Vector


class OfflineJudge:
    """Judges topics by their texts. Raises EmbedderUnavailable."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        lines = embedder.thresholds
        self._same_matter = (lines.related + lines.same) / 2  # for the one that is nearer than all others
        self._remembered: OrderedDict[str, Vector] = OrderedDict()

    async def conflicts_and_merges(
        self, new: Topic, candidates: Sequence[Topic]
    ) -> Sequence[ConflictOpinion | MergeOpinion]:
        """Phase 1: a conflict where any two sentences contradict; else a merge where one holds the other."""
        if not candidates:
            return ()
        split = await asyncio.to_thread(lambda: [said(topic) for topic in (new, *candidates)])
        vectors = await self._vectors({one.judged for part in split for one in part})
        sides = [
            Side(topic=topic, said=part, vectors=_stacked(part, vectors, self._embedder.space.dimension))
            for topic, part in zip((new, *candidates), split, strict=True)
        ]
        return await asyncio.to_thread(self._first_phase, sides[0], sides[1:])

    async def related(self, new: Topic, candidates: Sequence[Topic]) -> Sequence[RelatedOpinion]:
        """Phase 2: near each other, or less near and sharing words that few candidates have."""
        if not candidates:
            return ()
        texts = [_whole(topic) for topic in (new, *candidates)]
        vectors = await self._vectors(set(texts))
        near = self._scaled(np.stack([vectors[text] for text in texts[1:]]) @ vectors[texts[0]])
        return await asyncio.to_thread(self._second_phase, new, candidates, near)

    # ---- phase 1 ----

    def _first_phase(self, new: Side, others: Sequence[Side]) -> list[ConflictOpinion | MergeOpinion]:
        near = [self._scaled(new.vectors @ other.vectors.T) for other in others]
        opinions: list[ConflictOpinion | MergeOpinion] = []
        for number, other in enumerate(others):
            elsewhere = _nearest_elsewhere(near, number, len(new.said))
            opinion = self._conflict(new, other, near[number], elsewhere) or self._merge(
                new, other, near[number]
            )
            if opinion is not None:
                opinions.append(opinion)
        return opinions

    def _conflict(self, new: Side, other: Side, near: Vector, elsewhere: Vector) -> ConflictOpinion | None:
        found: list[tuple[Contradiction, Said, Said]] = []
        for (i, ours), (j, theirs) in product(enumerate(new.said), enumerate(other.said)):
            alone = near[i, j] >= elsewhere[i] + SAME_MATTER_MARGIN and near[i, j] == near[i].max()
            matter = bool(alone and near[i, j] >= self._same_matter)
            one = contradicts(ours.judged, theirs.judged, same_matter=matter)
            if one is not None:
                found.append((one, ours, theirs))
        if not found:
            return None
        best, ours, theirs = max(found, key=lambda each: each[0].confidence)
        return ConflictOpinion(
            existing=other.topic.node_id,
            confidence=best.confidence,
            reasoning=best.reason,
            description=_at_issue(ours, best),
            new_quote=ours.quote,
            existing_quote=theirs.quote,
        )

    def _merge(self, new: Side, other: Side, near: Vector) -> MergeOpinion | None:
        if not new.said or not other.said:
            return None
        same = near >= self._embedder.thresholds.same
        ours = _contained(new.said, other.said, same)
        theirs = _contained(other.said, new.said, same.T)
        share = max(ours, theirs)
        if share < MERGED_CONTENT or not _worth_merging(new.said if ours >= theirs else other.said):
            return None
        chinese = is_chinese(new.topic.summary)
        return MergeOpinion(
            existing=other.topic.node_id,
            confidence=round(0.5 + 0.5 * share * float(np.clip(near.max(), 0.5, 1.0)), 2),
            reasoning=_containment(ours, theirs, chinese),
            strategy="保留更完整的表述，补充另一方独有的内容"
            if chinese
            else "keep the fuller wording, add what only the other says",
        )

    # ---- phase 2 ----

    def _second_phase(self, new: Topic, candidates: Sequence[Topic], near: Vector) -> list[RelatedOpinion]:
        mentioned = [_mentions(topic) for topic in candidates]
        opinions = []
        for topic, names, likeness in zip(candidates, mentioned, near, strict=True):
            common = _mentions(new) & names
            rare = sorted(
                word
                for word in common
                if sum(word in each for each in mentioned) <= max(1, len(candidates) // 2)
            )
            line = self._embedder.thresholds.related * (RELATED_BY_WORDS if rare else 1.0)
            if likeness >= line:
                opinions.append(_relation(new, topic, float(likeness), rare))
        return opinions

    # ---- vectors ----

    async def _vectors(self, texts: Iterable[str]) -> Mapping[str, Vector]:
        wanted = sorted(texts)
        missing = [text for text in wanted if text not in self._remembered]
        fresh = await self._embedder.embed_passages(missing) if missing else np.empty((0, 0), np.float32)
        found = {text: self._remembered[text] for text in wanted if text in self._remembered}
        found.update(zip(missing, fresh, strict=True))
        for text in wanted:
            self._remembered[text] = found[text]
            self._remembered.move_to_end(text)
        while len(self._remembered) > REMEMBERED:
            self._remembered.popitem(last=False)
        return found

    def _scaled(self, cosines: Vector) -> Vector:
        space = self._embedder.space
        width = space.cosine_ceiling - space.cosine_floor
        scaled: Vector = np.clip((cosines - space.cosine_floor) / width, 0.0, 1.0).astype(np.float32)
        return scaled


# ---- sentences ----

LINE = re.compile(r"[^\n]*")


def said(topic: Topic) -> tuple[Said, ...]:
    """A topic's sentences. Each belongs to the speaker that its line names."""
    text = topic.summary or topic.context
    found = []
    for start, end in sentences.spans(text)[:MOST_SENTENCES]:
        quote = text[start:end]
        line = text.rfind("\n", 0, start) + 1
        speaker = SPEAKER.match(text, line)
        first = speaker is None or speaker.end() > start
        found.append(Said(quote=quote, judged=quote if first or speaker is None else speaker.group() + quote))
    return tuple(found)


def _stacked(part: Sequence[Said], vectors: Mapping[str, Vector], dimension: int) -> Vector:
    rows = [vectors[one.judged] for one in part]
    return np.stack(rows) if rows else np.empty((0, dimension), np.float32)


def _nearest_elsewhere(near: Sequence[Vector], number: int, rows: int) -> Vector:
    """For each of the new sentences, how near the nearest sentence of any other candidate is."""
    others = [part.max(axis=1) for n, part in enumerate(near) if n != number and part.size]
    if len(others) < AMONG:
        return np.ones(rows, np.float32)  # the nearest of few means nothing
    found: Vector = np.max(others, axis=0)
    return found


def _worth_merging(part: Sequence[Said]) -> bool:
    """Whether what would be merged says enough to be a fact: "Thanks, see you!" is said again and again."""
    return sum(content(one.statement) for one in part) >= LEAST_CONTENT


def _contained(part: Sequence[Said], whole: Sequence[Said], same: NDArray[np.bool_]) -> float:
    """How much of `part`'s content some sentence of `whole` says too, 0 to 1."""
    weights = [content(one.statement) for one in part]
    held = [
        weight
        for i, (one, weight) in enumerate(zip(part, weights, strict=True))
        if any(contains(other.statement, one.statement, bool(same[i, j])) for j, other in enumerate(whole))
    ]
    return sum(held) / sum(weights) if sum(weights) else 0.0


# ---- words for it ----


def _at_issue(ours: Said, found: Contradiction) -> str:
    if is_chinese(ours.quote):
        return f"“{found.value_a}”与“{found.value_b}”矛盾"
    return f"“{found.value_a}” contradicts “{found.value_b}”"


def _containment(ours: float, theirs: float, chinese: bool) -> str:
    if min(ours, theirs) >= MERGED_CONTENT:
        return "两者内容相同" if chinese else "both say the same"
    if ours >= theirs:
        return "已有节点包含新节点的内容" if chinese else "the existing node holds what the new one says"
    return "新节点包含已有节点的内容" if chinese else "the new node holds what the existing one says"


def _whole(topic: Topic) -> str:
    return topic.summary or topic.context


def _mentions(topic: Topic) -> frozenset[str]:
    """Keywords and names, in lower case."""
    names = {term.key for one in said(topic) for term in one.statement.terms if term.kind is Kind.NAME}
    return frozenset(names | {word.lower() for word in topic.keywords})


def _relation(new: Topic, existing: Topic, likeness: float, rare: Sequence[str]) -> RelatedOpinion:
    chinese = is_chinese(_whole(new))
    shared = ("、" if chinese else ", ").join(rare[:5])
    if chinese:
        reasoning = f"内容相近（{likeness:.2f}）" + (f"，都提到{shared}" if rare else "")
    else:
        reasoning = f"near each other ({likeness:.2f})" + (f", both mention {shared}" if rare else "")
    return RelatedOpinion(
        existing=existing.node_id,
        confidence=round(min(0.99, 0.5 + 0.4 * likeness + 0.05 * min(2, len(rare))), 2),
        reasoning=reasoning,
        context_new=naming.related_to(new.context, existing.context),
        context_existing=naming.related_to(existing.context, new.context),
        keywords_new=_united(new.keywords, existing.keywords),
        keywords_existing=_united(existing.keywords, new.keywords),
    )


def _united(own: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """One's own keywords first, then some of the other's; `KEYWORDS` at most."""
    kept = list(dict.fromkeys(own))[:KEYWORDS]
    known = {word.lower() for word in kept}
    more = [word for word in dict.fromkeys(others) if word.lower() not in known]
    return tuple(kept + more[: min(INHERITED_KEYWORDS, KEYWORDS - len(kept))])
