"""The level of a Judge on pairs: each second sentence is judged as a bank has it judged, among its nearest.

Law: the candidates are the pair's first sentence and the nearest of the other pairs' first ones, so that what
stands out does so among others, as in a bank. Conflicts and merges with those others count as strays.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from core.agents.roles import ConflictOpinion, Grade, Judge, MergeOpinion, Topic
from core.ids import NodeId
from core.ports.embedder import Embedder
from tests.judging.pairs import Label, Pair

NEAREST = 8  # candidates of a judgement, the pair's own among them
CONFLICT = "conflict"
LIKELY = "likely"
MERGE = "merge"


@dataclass(slots=True)
class Level:
    """What a Judge said of the pairs that were counted, by the pairs' labels."""

    pairs: dict[Label, int] = field(default_factory=lambda: dict.fromkeys(Label, 0))
    conflicts: dict[Label, int] = field(default_factory=lambda: dict.fromkeys(Label, 0))
    likely: dict[Label, int] = field(default_factory=lambda: dict.fromkeys(Label, 0))
    merges: dict[Label, int] = field(default_factory=lambda: dict.fromkeys(Label, 0))
    strays: int = 0

    @property
    def found(self) -> float:
        """The share of contradictions that were called conflicts."""
        return self.conflicts[Label.CONFLICT] / max(1, self.pairs[Label.CONFLICT])

    @property
    def agreeing(self) -> int:
        """The pairs whose sentences may both hold: all but contradictions."""
        return sum(count for label, count in self.pairs.items() if label is not Label.CONFLICT)

    @property
    def false(self) -> int:
        """The pairs that agree and were called conflicts."""
        return sum(count for label, count in self.conflicts.items() if label is not Label.CONFLICT)

    @property
    def merged(self) -> float:
        """The share of paraphrases that were merged."""
        return self.merges[Label.SAME] / max(1, self.pairs[Label.SAME])

    @property
    def likely_falsely(self) -> int:
        """The pairs that agree and were called likely conflicts."""
        return sum(count for label, count in self.likely.items() if label is not Label.CONFLICT)

    @property
    def wrongly_merged(self) -> int:
        """The pairs that were merged and are no paraphrases, contradictions among them."""
        return sum(count for label, count in self.merges.items() if label is not Label.SAME)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A pair and what was said of it: `CONFLICT` (one that is sure), `LIKELY`, `MERGE` or "". `strays`: conflicts and
    merges with others."""

    pair: Pair
    said: str
    strays: int


def level(judged: Sequence[Judged]) -> Level:
    """Counts what was said."""
    found = Level()
    for one in judged:
        label = one.pair.label
        found.pairs[label] += 1
        found.conflicts[label] += one.said == CONFLICT
        found.likely[label] += one.said == LIKELY
        found.merges[label] += one.said == MERGE
        found.strays += one.strays
    return found


async def judge_pairs(judge: Judge, pairs: Sequence[Pair], nearest: Sequence[Sequence[int]]) -> list[Judged]:
    """Judges each pair's second sentence against the first ones in `nearest`, places in `pairs`."""
    firsts = [_topic(f"{pair.pair_id}-a", pair.told()[0]) for pair in pairs]
    judged = []
    for place, (pair, near) in enumerate(zip(pairs, nearest, strict=True)):
        new = _topic(f"{pair.pair_id}-b", pair.told()[1])
        opinions = await judge.conflicts_and_merges(new, [firsts[n] for n in near])
        kinds = {opinion.existing: _kind(opinion) for opinion in opinions}
        said = kinds.pop(firsts[place].node_id, "")
        strays = sum(kind != LIKELY for kind in kinds.values())
        judged.append(Judged(pair=pair, said=said, strays=strays))
    return judged


def _kind(opinion: ConflictOpinion | MergeOpinion) -> str:
    if isinstance(opinion, MergeOpinion):
        return MERGE
    return CONFLICT if opinion.grade is Grade.SURE else LIKELY


async def nearest_firsts(embedder: Embedder, pairs: Sequence[Pair]) -> list[list[int]]:
    """For each pair its own place and those of the nearest other first sentences, nearest first."""
    firsts = await embedder.embed_passages([pair.told()[0] for pair in pairs])
    seconds = await embedder.embed_passages([pair.told()[1] for pair in pairs])
    near = seconds @ firsts.T
    found = []
    for place, row in enumerate(near):
        others = [int(n) for n in np.argsort(-row, kind="stable") if n != place][: NEAREST - 1]
        found.append(sorted([place, *others], key=lambda n: (-row[n], n)))
    return found


def _topic(node_id: str, text: str) -> Topic:
    return Topic(node_id=NodeId(node_id), summary=text, context=text, keywords=())
