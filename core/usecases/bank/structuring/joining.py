"""Segments that join the node which holds their words: whether they may, and what changes then.

Law: pure; reads the bank, changes nothing. A copy is judged after all where the one that stands was judged less than
the copy will be, where a verdict has settled something in these words since, or where it brings news on a refuted
point.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from core.bank.bank import Bank
from core.bank.steps import CopiesPut, NodePut, SegmentRefute, Step
from core.ids import NodeId, SegmentRef
from core.model.conflict import Conflict, ConflictStatus
from core.model.copies import MOST_REFS, Copies
from core.model.interaction import InteractionOrigin
from core.model.structuring import Purpose
from core.usecases.bank.structuring.generated import is_generated
from core.usecases.bank.structuring.repetition import repetitions_in
from core.usecases.bank.structuring.rewording import touched
from core.usecases.bank.structuring.settled import brings_news
from core.usecases.moment import Moment
from core.verbatim.fingerprints import stated_time


def may_join(
    bank: Bank, copy: SegmentRef, first: SegmentRef, says_same: Callable[[SegmentRef], bool]
) -> bool:
    """Whether a segment may join the nodes of one with the same words. `says_same`: whether another segment has these
    words, too."""
    return bool(bank.tree.nodes_of(first)) and not (
        _weighs_less(bank, first, copy)
        or _settled_since(bank, first, says_same)
        or any(brings_news(bank, _source(bank, copy), (copy,), c) for c in _refuting(bank, first))
    )


def joined(bank: Bank, node_id: NodeId, refs: Sequence[SegmentRef], moment: Moment) -> list[Step]:
    """Returns the steps by which segments become copies of a node's evidence."""
    node = bank.nodes[node_id]
    steps: list[Step] = [CopiesPut(copies=_grown(bank, node_id, refs))]
    stated = [time for ref in refs if (time := _stated(bank, ref)) is not None and time > node.event_time]
    if stated:
        steps.append(NodePut(node=replace(touched(node, moment), event_time=max(stated))))
    return [*steps, *_refuted(bank, refs)]


def of_all(bank: Bank, into: NodeId, node_ids: Iterable[NodeId]) -> Copies | None:
    """Returns the copies of nodes that become one; None where they have none."""
    found = [bank.copies[node_id] for node_id in node_ids if node_id in bank.copies]
    if not found:
        return None
    refs = dict.fromkeys(ref for copies in found for ref in copies.refs)
    return Copies(
        node_id=into,
        count=sum(copies.count for copies in found),
        first_time=min(copies.first_time for copies in found),
        last_time=max(copies.last_time for copies in found),
        refs=tuple(refs)[:MOST_REFS],
    )


# ---- whether it may ----


def _weighs_less(bank: Bank, first: SegmentRef, copy: SegmentRef) -> bool:
    """Whether the first was judged less than its copy will be: as an assistant's words, a reference, an attempt, or
    what a caller put beside a node."""
    tree = bank.tree
    less = (
        is_generated(bank, first) and not is_generated(bank, copy),
        _is_reference(bank, first) and not _is_reference(bank, copy),
        first.interaction_id in tree.failed and copy.interaction_id not in tree.failed,
        tree.interaction(first.interaction_id).origin is InteractionOrigin.VERBATIM,
    )
    return any(less)


def _is_reference(bank: Bank, ref: SegmentRef) -> bool:
    structuring = bank.tree.structurings.get(ref.interaction_id)
    return structuring is not None and structuring.purpose is Purpose.REFERENCE


def _settled_since(bank: Bank, first: SegmentRef, says_same: Callable[[SegmentRef], bool]) -> bool:
    """Whether a verdict has resolved a conflict that rested on these words since the first was learned."""
    learned = bank.tree.interaction(first.interaction_id).create_time
    nodes = bank.tree.nodes_of(first)
    for conflict in bank.conflicts.values():
        if conflict.status is not ConflictStatus.RESOLVED or conflict.node_id is None:
            continue
        if conflict.close_time is None or conflict.close_time <= learned:
            continue
        if (bank.tree.standing_for(conflict.node_id) or conflict.node_id) in nodes:
            rested = {ref for side in conflict.sides for ref in side.segments}
            if first in rested or any(map(says_same, rested)):
                return True
    return any(c.close_time is not None and c.close_time > learned for c in _refuting(bank, first))


def _refuting(bank: Bank, ref: SegmentRef) -> list[Conflict]:
    """Returns the conflicts whose verdicts speak against words of a segment."""
    return [bank.conflict(words.conflict_id) for words in bank.tree.refuted.get(ref, ())]


def _source(bank: Bank, ref: SegmentRef) -> str:
    return bank.tree.interaction(ref.interaction_id).source


# ---- what changes ----


def _grown(bank: Bank, node_id: NodeId, refs: Sequence[SegmentRef]) -> Copies:
    times = [bank.tree.segment(ref).event_time for ref in refs]
    before = bank.copies.get(node_id)
    if before is not None:
        times += [before.first_time, before.last_time]
    kept = list(before.refs) if before else []
    for ref in refs:
        _keep(bank, node_id, kept, ref)
    return Copies(
        node_id=node_id,
        count=len(refs) + (before.count if before else 0),
        first_time=min(times),
        last_time=max(times),
        refs=tuple(kept),
    )


def _keep(bank: Bank, node_id: NodeId, kept: list[SegmentRef], ref: SegmentRef) -> None:
    """Keeps a copy as evidence while there is room; then the first of another source, in place of one whose source has
    others."""
    if len(kept) < MOST_REFS:
        kept.append(ref)
        return
    sources = Counter(_source(bank, each) for each in (*bank.nodes[node_id].segments, *kept))
    if _source(bank, ref) in sources:
        return
    spare = next((n for n in reversed(range(len(kept))) if sources[_source(bank, kept[n])] > 1), None)
    if spare is not None:
        kept[spare] = ref


def _stated(bank: Bank, ref: SegmentRef) -> datetime | None:
    record = bank.tree.interaction(ref.interaction_id)
    return stated_time(record, record.spans[ref.index])


def _refuted(bank: Bank, refs: Sequence[SegmentRef]) -> list[SegmentRefute]:
    """Returns the words of copies that verdicts have refuted."""
    return [words for ref in refs for words in repetitions_in(bank, _source(bank, ref), (ref,))]
