"""A bank's segments ranked by their places: what the bank adds to `core.verbatim.placed`.

Law: reads only.
"""

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from core.bank.bank import Bank
from core.bank.plan import BankPlan
from core.ids import NodeId, SegmentRef
from core.index.scoring import ScoredCandidate
from core.verbatim import placed as by_place
from core.verbatim.candidates import sides
from core.verbatim.plan import Plan, Source
from core.verbatim.segment_order import Positions

REFUTED = 0.5  # what a segment's score is multiplied with when a verdict speaks against all of it
FAILED = 0.5  # the same for the context of a step that failed


class BankOfSegments:
    """The owner of a bank's segments: their topics are the nodes that summarise them."""

    def __init__(self, bank: Bank) -> None:
        self._bank = bank

    def quoting(self, refs: Sequence[SegmentRef], quotation: str) -> list[bool]:
        text = self._bank.tree.text
        return [quotation in text(ref) for ref in refs]

    def credibility(self, refs: Sequence[SegmentRef]) -> NDArray[np.float64] | None:
        """Returns what scores are multiplied with: less for what verdicts speak against, or what failed."""
        if not (self._bank.tree.refuted or self._bank.tree.failed):
            return None
        return np.array([credibility(self._bank, ref) for ref in refs])

    def topics(self, plan: Plan, positions: Positions) -> NDArray[np.float64]:
        """Returns of each segment, the plain score of the best node that summarises it; 0 where none does."""
        bank = self._bank
        owners = bank.tree.nodes_at(positions.tolist())
        groups = dict.fromkeys(owners)
        nodes = list(dict.fromkeys(chain.from_iterable(groups)))
        if not nodes:
            return np.zeros(len(positions))
        source = Source(bank.node_words, bank.node_vectors)
        plain = sides(plan, source, source.rows(nodes)).plain
        scores = dict(zip(nodes, plain.tolist(), strict=True))
        best = {each: _best(scores, each) for each in groups}
        return np.array([best[each] for each in owners])


def credibility(bank: Bank, ref: SegmentRef) -> float:
    """Returns what a segment's score is multiplied with: the less of it verdicts have left standing, the lower it
    ranks, and lower what a step met that failed."""
    attempt = FAILED if ref.interaction_id in bank.tree.failed else 1.0
    return attempt * (1.0 - (1.0 - REFUTED) * bank.tree.refuted_share(ref))


def placed(plan: BankPlan) -> list[ScoredCandidate[SegmentRef]]:
    """Returns the best `top_k` segments, in order."""
    bank = plan.bank
    return by_place.placed(plan.plan, plan.segments, bank.verbatim.order, BankOfSegments(bank))


def _best(scores: Mapping[NodeId, float], nodes: Sequence[NodeId]) -> float:
    if len(nodes) == 1:  # as a rule
        return scores[nodes[0]]
    return max(map(scores.__getitem__, nodes), default=0.0)
