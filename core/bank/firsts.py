"""Copies that a search does not find, because it finds the segment whose words they repeat.

Law: reads only. A copy of another source, or that happened at another time by what its caller stated, is found itself:
it says more than the first. So is one whose first the query does not admit.
"""

from collections.abc import Callable

from core.bank.bank import Bank
from core.ids import SegmentRef
from core.text.wording import letters_of
from core.verbatim.fingerprints import stated_time

Admits = Callable[[SegmentRef], bool]


def found_once(bank: Bank, admits: Admits | None) -> Admits | None:
    """Returns what a query admits besides copies of what it admits."""
    if not bank.tree.copies:
        return admits

    def allowed(ref: SegmentRef) -> bool:
        if admits is not None and not admits(ref):
            return False
        first = first_of(bank, ref)
        return first is None or not (admits is None or admits(first))

    return allowed


def first_of(bank: Bank, ref: SegmentRef) -> SegmentRef | None:
    """Returns the segment that stands for a copy; None for a segment that stands for itself."""
    firsts, node_id = bank.tree.firsts, bank.tree.copies.get(ref)
    if node_id is None:
        return None
    if ref not in firsts:
        node = bank.nodes.get(bank.tree.standing_for(node_id) or node_id)
        if node is None:
            return None
        firsts[ref] = next((each for each in node.segments if _stands_for(bank, each, ref)), None)
    return firsts[ref]


def _stands_for(bank: Bank, first: SegmentRef, copy: SegmentRef) -> bool:
    record = bank.tree.interaction(copy.interaction_id)
    stated = stated_time(record, record.spans[copy.index])
    before = bank.tree.segment(first)
    if first == copy or before.source != record.source or stated not in (None, before.event_time):
        return False
    own, others = letters_of(bank.tree.text(copy)), letters_of(before.text)
    return own in others or others in own
