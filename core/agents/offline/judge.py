"""The offline Judge: conflict, merge and related by what sentences say.

Law: deterministic, no network but the embedder's. Nearness of vectors alone decides neither a
conflict nor a merge; thresholds are the embedder's. It reads summaries sentence by sentence, and
quotes them verbatim. What it has read of a topic it keeps as long as whoever asks keeps the topic, which is
until the call ends: a purged bank leaves no trace here, and the embedder had better remember.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from core.agents.offline import naming
from core.agents.offline.at_issue import at_issue
from core.agents.offline.claims.reading import read, speaker
from core.agents.offline.claims.statement import Kind, Statement
from core.agents.offline.contradiction import Contradiction, contradiction
from core.agents.offline.entities import names_entity
from core.agents.offline.sameness import contains, content
from core.agents.offline.statements import Statement as Labelled
from core.agents.offline.statements import statements
from core.agents.offline.thinking import think
from core.agents.roles import ConflictOpinion, MergeOpinion, RelatedOpinion, Topic
from core.ports.embedder import Embedder
from core.text import sentences
from core.text.blocks import Block, Form, blocks, folded
from core.text.scripts import is_chinese

Vector = NDArray[np.float32]

STRATEGY_EN = "keep the fuller wording, add what only the other says"
STRATEGY_ZH = "保留更完整的表述，补充另一方独有的内容"
MOST_SENTENCES = 64  # of one summary; what comes after is not compared
BRIEF = 3  # sentences of a note on one matter; in a longer text some sentence is always the nearest
LEAST_CONTENT = 2.0  # of a text to be merged, in terms
MERGED_CONTENT = 0.8  # of one summary's content, found in the other
ROUNDING = 1e-9
AMONG = 3  # other candidates, for standing out among them to mean something
SAME_MATTER_MARGIN = 0.1  # how much nearer than to any other candidate
MOST_RELATED = (
    3  # of one judgement: each rewords and re-embeds a node, and a node that concerns all says nothing
)
STANDING_OUT = 0.1  # above the candidates' mean, on the embedder's scale from 0 to 1
RELATED_BY_WORDS = 0.5  # of the threshold, when rare words are shared and candidates are few
SEVERAL_RARE = 2  # rare words in common, which need not be nearer than others
RARE_SHARE = 0.25  # of the candidates, that may have a word that is called rare
KEYWORDS = 10
INHERITED_KEYWORDS = 3  # of the other's, added to one's own


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One sentence of a topic: verbatim, as it is judged (with its speaker in front), and as read.

    `entry`: the term of the entry or the head of the row it stands in; it is told of nothing else.
    """

    quote: str
    judged: str
    statement: Statement
    entry: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A topic with its sentences."""

    topic: Topic
    said: tuple[Said, ...]

    @property
    def brief(self) -> bool:
        return 0 < len(self.said) <= BRIEF


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """A contradiction of the new side's sentence i and the other side's j."""

    found: Contradiction
    i: int
    j: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What words say of a new side and another: a clash, else those if the sentences share their matter.

    `may_merge`: as far as words go, if the embedder found all sentences alike.
    """

    other: Side
    clash: Clash | None
    if_same_matter: tuple[Clash, ...] = ()
    may_merge: bool = False


class OfflineJudge:
    """Judges topics by their texts. Raises EmbedderUnavailable."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._read: WeakKeyDictionary[Topic, tuple[Said, ...]] = WeakKeyDictionary()
        lines = embedder.thresholds
        self._same_matter = (lines.related + lines.same) / 2  # for the one that is nearer than all others

    async def conflicts_and_merges(
        self, new: Topic, candidates: Sequence[Topic]
    ) -> Sequence[ConflictOpinion | MergeOpinion]:
        """Phase 1: a conflict where any two sentences contradict; else a merge where one holds the other.

        Only where words alone leave it open are sentences embedded.
        """
        side, readings = await think(self._compared, new, candidates)
        near = await self._nearness(side, readings)
        return await think(self._first_phase, side, readings, near)

    async def related(self, new: Topic, candidates: Sequence[Topic]) -> Sequence[RelatedOpinion]:
        """Phase 2: the few that stand out among the candidates, by nearness or by rare words in common."""
        if not candidates:
            return ()
        rows = await self._embedder.embed_passages([_whole(topic) for topic in (new, *candidates)])
        near = self._scaled(rows[1:] @ rows[0])
        return await think(self._second_phase, new, candidates, near)

    def _side(self, topic: Topic) -> Side:
        """The topic read: phase 2 asks about those that phase 1 has just compared."""
        read = self._read.get(topic)
        if read is None:
            read = self._read[topic] = said(topic)
        return Side(topic=topic, said=read)

    # ---- phase 1 ----

    def _compared(self, new: Topic, candidates: Sequence[Topic]) -> tuple[Side, list[Reading]]:
        side = self._side(new)
        return side, [_reading(side, self._side(other)) for other in candidates]

    async def _nearness(self, new: Side, readings: Sequence[Reading]) -> list[Vector | None]:
        """How near the sentences of those sides are whose vectors decide something, 0 to 1."""
        matters = any(reading.if_same_matter for reading in readings)
        wanted = [reading.may_merge or matters and reading.other.brief for reading in readings]
        if not any(wanted):
            return [None] * len(readings)
        chosen = [reading.other for reading, is_wanted in zip(readings, wanted, strict=True) if is_wanted]
        rows = await self._embedder.embed_passages([one.judged for s in (new, *chosen) for one in s.said])
        ours, theirs = rows[: len(new.said)], rows[len(new.said) :]
        found: list[Vector | None] = []
        for reading, is_wanted in zip(readings, wanted, strict=True):
            size = len(reading.other.said) if is_wanted else 0
            found.append(self._scaled(ours @ theirs[:size].T) if is_wanted else None)
            theirs = theirs[size:]
        return found

    def _first_phase(
        self, new: Side, readings: Sequence[Reading], near: Sequence[Vector | None]
    ) -> list[ConflictOpinion | MergeOpinion]:
        opinions: list[ConflictOpinion | MergeOpinion] = []
        for number, reading in enumerate(readings):
            clash = reading.clash or self._clash_of_one_matter(reading, near, number)
            own = near[number]
            if clash is not None:
                opinions.append(_conflict(new, reading.other, clash))
            elif reading.may_merge and own is not None:
                merge = self._merge(new, reading.other, own)
                opinions += [merge] if merge is not None else []
        return opinions

    def _clash_of_one_matter(
        self, reading: Reading, near: Sequence[Vector | None], number: int
    ) -> Clash | None:
        """The surest clash of two sentences that are nearer than all others are, or None."""
        own = near[number]
        if own is None or not reading.if_same_matter:
            return None
        elsewhere = _nearest_elsewhere(near, number, len(own))
        alone = [
            clash
            for clash in reading.if_same_matter
            if own[clash.i, clash.j] == own[clash.i].max()
            and own[clash.i, clash.j] >= max(self._same_matter, elsewhere[clash.i] + SAME_MATTER_MARGIN)
        ]
        return _surest(alone)

    def _merge(self, new: Side, other: Side, near: Vector) -> MergeOpinion | None:
        ours, theirs = _shares(new, other, near >= self._embedder.thresholds.same)
        share = max(ours, theirs)
        if not share:
            return None
        chinese = is_chinese(new.topic.summary)
        return MergeOpinion(
            existing=other.topic.node_id,
            confidence=round(0.5 + 0.5 * share * float(np.clip(near.max(), 0.5, 1.0)), 2),
            reasoning=_containment(ours, theirs, chinese),
            strategy=STRATEGY_ZH if chinese else STRATEGY_EN,
        )

    # ---- phase 2 ----

    def _second_phase(self, new: Topic, candidates: Sequence[Topic], near: Vector) -> list[RelatedOpinion]:
        rare = _rare_in_common(self._side(new), [self._side(topic) for topic in candidates])
        line = self._embedder.thresholds.related
        if len(candidates) < AMONG:  # nobody to stand out from
            lines = [line * (RELATED_BY_WORDS if words else 1.0) for words in rare]
        else:
            standing_out = max(line, float(near.mean()) + STANDING_OUT)
            lines = [line if len(words) >= SEVERAL_RARE else standing_out for words in rare]
        opinions = [
            _relation(new, topic, float(likeness), words)
            for topic, words, likeness, least in zip(candidates, rare, near, lines, strict=True)
            if likeness >= least
        ]
        return sorted(opinions, key=lambda one: (-one.confidence, one.existing))[:MOST_RELATED]

    # ---- vectors ----

    def _scaled(self, cosines: Vector) -> Vector:
        space = self._embedder.space
        width = space.cosine_ceiling - space.cosine_floor
        scaled: Vector = np.clip((cosines - space.cosine_floor) / width, 0.0, 1.0).astype(np.float32)
        return scaled


# ---- sentences ----


def said(topic: Topic) -> tuple[Said, ...]:
    """A topic's sentences, code and what stands beside the text left out.

    Each belongs to the speaker that its line names, or to the firm or thing it is told of."""
    text = topic.summary or topic.context
    labelled = [one for one in statements(text) if one.label and names_entity(one.label.rstrip(" :："))]
    laid_out = blocks(text)
    found = []
    for start, end in sentences.spans(text)[:MOST_SENTENCES]:
        quote = text[start:end]
        block = _block_of(laid_out, end)
        if block.form in (Form.CODE, Form.BESIDE):
            continue
        line = text.rfind("\n", 0, start) + 1
        spoken = speaker(text, line)
        first = spoken is None or spoken.end() > start
        judged = quote if first or spoken is None else spoken.group() + quote
        own = speaker(quote)
        if own is not None and names_entity(own.group(1)):
            judged = quote
        elif labelled:
            judged = _labelled(quote, labelled) or judged
        found.append(Said(quote=quote, judged=judged, statement=read(folded(judged)), entry=block.term))
    return tuple(found)


def _block_of(laid_out: Sequence[Block], place: int) -> Block:
    """The block in which a sentence ends."""
    return next(block for block in laid_out if block.end >= place)


def _labelled(quote: str, labelled: list[Labelled]) -> str:
    """The sentence under its label, taken from those that are still to come; "" for one that needs none."""
    shown = folded(quote)
    for place, one in enumerate(labelled):
        if shown.endswith(one.text):
            del labelled[: place + 1]
            return one.told
    return ""


def _reading(new: Side, other: Side) -> Reading:
    clash = _surest(_clashes(new, other, same_matter=False))
    if clash is not None or not new.said or not other.said:
        return Reading(other=other, clash=clash)
    both_brief = new.brief and other.brief
    ours, theirs = _shares(new, other, np.ones((len(new.said), len(other.said)), np.bool_))
    smaller = new if ours >= theirs else other
    return Reading(
        other=other,
        clash=None,
        if_same_matter=tuple(_clashes(new, other, same_matter=True)) if both_brief else (),
        may_merge=max(ours, theirs) > 0 and _worth_merging(smaller.said),
    )


def _clashes(new: Side, other: Side, same_matter: bool) -> list[Clash]:
    told = ([(n, one) for n, one in enumerate(side.said) if one.statement.told] for side in (new, other))
    pairs = product(*told)
    found = (
        (contradiction(ours.statement, theirs.statement, same_matter=same_matter), i, j)
        for (i, ours), (j, theirs) in pairs
        if ours.entry == theirs.entry
    )
    return [Clash(found=one, i=i, j=j) for one, i, j in found if one is not None]


def _surest(clashes: Sequence[Clash]) -> Clash | None:
    return max(clashes, key=lambda clash: clash.found.confidence, default=None)


def _nearest_elsewhere(near: Sequence[Vector | None], number: int, rows: int) -> Vector:
    """For each of the new sentences, how near the nearest sentence of any other candidate is."""
    others = [part.max(axis=1) for n, part in enumerate(near) if n != number and part is not None]
    if len(others) < AMONG:
        return np.ones(rows, np.float32)  # the nearest of few means nothing
    found: Vector = np.max(others, axis=0)
    return found


def _worth_merging(part: Sequence[Said]) -> bool:
    """Whether what would be merged says enough to be a fact: "Thanks, see you!" is said again and again."""
    return sum(content(one.statement) for one in part) >= LEAST_CONTENT


def _contained(part: Sequence[Said], whole: Sequence[Said], same: NDArray[np.bool_]) -> float:
    """How much of `part`'s content some sentence of `whole` says too, 0 to 1; 0 where too little to merge."""
    weights = [content(one.statement) for one in part]
    total, lost = sum(weights), 0.0
    for one, weight, near in zip(part, weights, same.tolist(), strict=True):
        held = (
            contains(other.statement, one.statement, is_near)
            for other, is_near in zip(whole, near, strict=True)
        )
        if not any(held):
            lost += weight
        if lost > (1 - MERGED_CONTENT) * total + ROUNDING:
            return 0.0
    return 1 - lost / total if total else 0.0


def _shares(new: Side, other: Side, same: NDArray[np.bool_]) -> tuple[float, float]:
    """How much of either side's content the other says, given which sentences the embedder finds alike."""
    return _contained(new.said, other.said, same), _contained(other.said, new.said, same.T)


def _rare_in_common(new: Side, candidates: Sequence[Side]) -> list[list[str]]:
    """For each candidate, the words it has in common with the new topic and with few candidates."""
    own, mentioned = _mentions(new), [_mentions(side) for side in candidates]
    most = max(1, int(len(candidates) * RARE_SHARE))
    return [
        sorted(word for word in own & names if sum(word in each for each in mentioned) <= most)
        for names in mentioned
    ]


# ---- words for it ----


def _conflict(new: Side, other: Side, clash: Clash) -> ConflictOpinion:
    ours, theirs = new.said[clash.i], other.said[clash.j]
    return ConflictOpinion(
        existing=other.topic.node_id,
        confidence=clash.found.confidence,
        reasoning=clash.found.reason,
        description=at_issue(ours.quote, clash.found.value_a, theirs.quote, clash.found.value_b),
        new_quote=ours.quote,
        existing_quote=theirs.quote,
    )


def _containment(ours: float, theirs: float, chinese: bool) -> str:
    if min(ours, theirs) >= MERGED_CONTENT:
        return "两者内容相同" if chinese else "both say the same"
    if ours >= theirs:
        return "已有节点包含新节点的内容" if chinese else "the existing node holds what the new one says"
    return "新节点包含已有节点的内容" if chinese else "the new node holds what the existing one says"


def _whole(topic: Topic) -> str:
    return topic.summary or topic.context


def _mentions(side: Side) -> frozenset[str]:
    """Keywords and names, in lower case."""
    names = {term.key for one in side.said for term in one.statement.terms if term.kind is Kind.NAME}
    return frozenset(names | {word.lower() for word in side.topic.keywords})


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
        context_new=naming.related_to(new.context, existing.context, existing.keywords),
        context_existing=naming.related_to(existing.context, new.context, new.keywords),
        keywords_new=_united(new.keywords, existing.keywords),
        keywords_existing=_united(existing.keywords, new.keywords),
    )


def _united(own: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """One's own keywords first, then some of the other's; `KEYWORDS` at most."""
    kept = list(dict.fromkeys(own))[:KEYWORDS]
    known = {word.lower() for word in kept}
    more = [word for word in dict.fromkeys(others) if word.lower() not in known]
    return tuple(kept + more[: min(INHERITED_KEYWORDS, KEYWORDS - len(kept))])
