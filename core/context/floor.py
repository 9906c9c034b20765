"""What a floor leaves out of a prompt, as it is told.

Law: pure. Of all that weighs less than the floor the heaviest are named, each with the section that it was to stand in.
"""

from core.context.bank_evidence import MEMORIES
from core.context.conversing import RECALL
from core.context.elsewhere import ELSEWHERE
from core.context.evidence import Candidate, Kind, Placement
from core.context.long_term import EPISODES, FACTS, STRATEGIES, CollectionEvidence
from core.context.sections import LeftOut, Loss

_SECTIONS = {Kind.ELSEWHERE: ELSEWHERE, Kind.PASSAGE: MEMORIES, Kind.PAIR: MEMORIES, Kind.TURN: RECALL}


def below_floor(placement: Placement, known: CollectionEvidence | None = None) -> tuple[LeftOut, ...]:
    """Returns what weighs less than the floor, the heaviest first; `known`: the records among it."""
    return tuple(
        LeftOut(_section(each, known), each.item_id, Loss.BELOW_FLOOR, 0) for each in placement.below
    )


def _section(candidate: Candidate, known: CollectionEvidence | None) -> str:
    if candidate.kind is not Kind.FACT or known is None:
        return _SECTIONS.get(candidate.kind, FACTS)
    if any(record.record_id == candidate.item_id for record in known.strategies):
        return STRATEGIES
    return EPISODES if any(one.record_id == candidate.item_id for one in known.episodes) else FACTS
