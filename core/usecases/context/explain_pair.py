"""ExplainPair: what the offline Judge makes of two memories now, why, and what stands between them.

Law: reads only, and asks no language model: a model's reasons are those that its opinion was stored with.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from core.agents.offline.judge import OfflineJudge
from core.agents.offline.judging.pair import PairJudged, PairReason
from core.agents.roles import ConflictOpinion, Grade, MergeOpinion, Topic
from core.bank.bank import Bank
from core.bank.search import judging_candidates, nearest_nodes
from core.errors import InvalidField, NodeAbsorbed
from core.ids import NodeId, RecordId
from core.keys import BankKey, CollectionKey
from core.long_term.collection import Collection
from core.long_term.texts import embedded, quotation
from core.model.conflict import Conflict
from core.model.lineage import MergeRecord
from core.model.node import Node
from core.model.record import Record, RecordKind, RecordState, SupersededReason
from core.model.structuring import Purpose
from core.usecases.bank.ports import BankPorts
from core.usecases.bank.structuring.generated import judged
from core.usecases.context.ports import PairPorts
from core.usecases.long_term.judging.judge_facts import (
    agree_in_essentials,
    by_nearness,
    loses_no_word,
    topic_of_fact,
)
from core.usecases.long_term.ports import RecordPorts
from core.usecases.long_term.reading import looking

MOST_RANKED = 1_000
"""Nodes among which the rank of one is looked for."""


class NotCompared(StrEnum):
    """Why the newer of two would not be compared with the older if it came now."""

    RANK = "rank"  # others are more like it, and only so many are compared
    UNJUDGED = "unjudged"  # a caller's node, or a reference: it came without being judged
    SETTLED = "settled"  # a verdict has settled what they contradict each other in
    SPEAKER = "speaker"  # two persons say it of themselves
    GONE = "gone"  # one of them gave way, or was merged


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainPair:
    """Two nodes of a bank, or two facts of a collection: one of the two is given."""

    bank: BankKey | None
    collection: CollectionKey | None
    first: str
    second: str
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredBetween:
    """What is stored between two memories. `rank`: the place of the older among those most like the newer, of which
    `compared_with` are compared; 0: it is not among them. `gave_way`: the fact whose place the other took."""

    rank: int = 0
    compared_with: int = 0
    not_compared: NotCompared | None = None
    contested: bool = False
    gave_way: str = ""
    superseded_reason: SupersededReason | None = None
    conflicts: tuple[Conflict, ...] = ()
    merge: MergeRecord | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairExplained:
    """`is_first_newer`: the Judge saw the first one as the new one. `is_sure`: of a contradiction, whether it opens a
    conflict or contests facts; else it is suspected. `sure_line`: the likelihood from which it does."""

    judged: PairJudged
    is_first_newer: bool
    is_sure: bool
    sure_line: float
    between: StoredBetween
    model: str
    revision: int

    @property
    def are_one(self) -> bool:
        """Whether they say the same, and one takes both."""
        return isinstance(self.judged.opinion, MergeOpinion) and self.judged.reason is PairReason.SAME


@dataclass(frozen=True, slots=True, kw_only=True)
class _JudgedPair:
    """Two memories as the Judge sees them: the newer, and those it is judged against, the older ahead."""

    is_first_newer: bool
    topic: Topic
    others: Sequence[Topic]
    between: StoredBetween
    revision: int
    own_floor: float | None = None
    facts: tuple[Record, Record] | None = None


async def explain_pair(ports: PairPorts, command: ExplainPair) -> PairExplained:
    """Raises RecordNotFound, NodeNotFound, InvalidField (no FACT), AggregateNotFound, EmbedderUnavailable,
    RevisionNotReached."""
    if command.bank is not None:
        found = await _of_bank(ports, command, command.bank)
    else:
        assert command.collection is not None, "checked where a request is read"
        found = await _of_collection(ports, command, command.collection)
    judge = OfflineJudge(ports.embedder, ports.comparer)
    told = await judge.explained(found.topic, found.others, 0)
    if found.facts is not None and isinstance(told.opinion, MergeOpinion):
        told = replace(told, reason=_of_merge(*found.facts))
    floor = found.own_floor
    return PairExplained(
        judged=told,
        is_first_newer=found.is_first_newer,
        is_sure=_is_sure(told, floor),
        sure_line=told.lines.sure if floor is None else min(floor, told.lines.sure),
        between=found.between,
        model=ports.comparer.model,
        revision=found.revision,
    )


def _of_merge(fact: Record, other: Record) -> PairReason:
    """Returns what decides whether facts that say the same become one."""
    if not agree_in_essentials(fact, other):
        return PairReason.ESSENTIALS
    return PairReason.SAME if loses_no_word(fact, other) else PairReason.WORDS_LOST


def _is_sure(told: PairJudged, floor: float | None) -> bool:
    opinion = told.opinion
    return isinstance(opinion, ConflictOpinion) and (
        opinion.grade is Grade.SURE or (floor is not None and opinion.confidence >= floor)
    )


# ---- nodes ----


async def _of_bank(ports: BankPorts, command: ExplainPair, key: BankKey) -> _JudgedPair:
    async with ports.banks.reading(key, command.min_revision) as bank:
        first, second = (_node(bank, name) for name in (command.first, command.second))
        newer, older = sorted((first, second), key=lambda n: (n.create_time, n.node_id), reverse=True)
        top_k, alpha = ports.settings.retrieval.top_k_of(bank), ports.settings.retrieval.alpha_of(bank)
        vector, apart = bank.node_vectors.get(newer.node_id), {newer.node_id}
        candidates = judging_candidates(bank, newer, vector, top_k, alpha, apart)
        ranked = nearest_nodes(bank, newer, vector, MOST_RANKED, alpha, apart)
        named = [bank.nodes[each] for each in candidates if each != older.node_id]
        assistants = ports.settings.retrieval.judge_assistants_of(bank)
        between = replace(
            _between(bank, newer, older),
            rank=ranked.index(older.node_id) + 1 if older.node_id in ranked else 0,
            compared_with=top_k,
        )
        if between.not_compared is None and older.node_id not in candidates:
            between = replace(between, not_compared=NotCompared.RANK)
        return _JudgedPair(
            is_first_newer=newer is first,
            topic=judged(bank, newer, assistants),
            others=[judged(bank, node, assistants) for node in (older, *named)],
            between=between,
            revision=bank.revision,
            own_floor=bank.record.settings.validation_floor,
        )


def _node(bank: Bank, name: str) -> Node:
    """Returns a node of the bank; of one that was merged what it was. Raises NodeNotFound."""
    try:
        return bank.node_named(NodeId(name))
    except NodeAbsorbed:
        absorbed = (node for record in bank.tree.merges for node in record.absorbed if node.node_id == name)
        found = next(absorbed, None)
        if found is None:
            raise
        return found


def _between(bank: Bank, newer: Node, older: Node) -> StoredBetween:
    both = {newer.node_id, older.node_id}
    conflicts = [c for c in bank.conflicts.values() if both <= {side.node_id for side in c.sides}]
    reason = None
    if not both <= bank.nodes.keys():
        reason = NotCompared.GONE
    elif older.node_id in bank.settled_with(newer.node_id):
        reason = NotCompared.SETTLED
    elif not _was_judged(bank, newer):
        reason = NotCompared.UNJUDGED
    return StoredBetween(
        not_compared=reason,
        contested=any(conflict in bank.open_conflicts_of(newer.node_id) for conflict in conflicts),
        conflicts=tuple(conflicts),
        merge=_meeting(bank, newer.node_id, older.node_id),
    )


def _was_judged(bank: Bank, node: Node) -> bool:
    """Whether a node was judged as it came: what a caller puts beside others, or memorizes as a reference, is not."""
    if bank.tree.merge_into(node.node_id) is not None:
        return True
    structurings = (bank.tree.structurings.get(ref.interaction_id) for ref in node.segments)
    return any(each is not None and each.purpose is not Purpose.REFERENCE for each in structurings)


def _meeting(bank: Bank, first: NodeId, second: NodeId) -> MergeRecord | None:
    """Returns the merge in which two nodes became one."""
    into = {node.node_id: record for record in bank.tree.merges for node in record.absorbed}

    def ups(node_id: NodeId) -> list[NodeId]:
        path = [node_id]
        while path[-1] in into and into[path[-1]].into not in path:
            path.append(into[path[-1]].into)
        return path

    others = set(ups(second))
    met = next((each for each in ups(first) if each in others), None)
    return bank.tree.merge_into(met) if met is not None else None


# ---- facts ----


async def _of_collection(ports: RecordPorts, command: ExplainPair, key: CollectionKey) -> _JudgedPair:
    async with looking(ports, key, command.min_revision) as opened:
        collection = opened.collection
        first, second = (collection.stored(RecordId(name)) for name in (command.first, command.second))
        for field, fact in (("first", first), ("second", second)):
            if fact.kind is not RecordKind.FACT:
                raise InvalidField(field, "must name a FACT: others are not judged")
        newer, older = sorted((first, second), key=lambda r: (r.create_time, r.record_id), reverse=True)
        vector = collection.vectors.get(newer.record_id)
        if vector is None:
            (vector,) = await ports.embedder.embed_passages([embedded(newer)])
        order = by_nearness(ports, collection, newer, vector)
        bound = ports.settings.long_term.judged_against
        named = [collection.records[each] for each in order[:bound] if each != older.record_id]
        rank = order.index(older.record_id) + 1 if older.record_id in order else 0
        return _JudgedPair(
            is_first_newer=newer is first,
            topic=topic_of_fact(newer),
            others=[topic_of_fact(record) for record in (older, *named)],
            between=_between_facts(collection, newer, older, rank, bound),
            revision=collection.revision,
            facts=(newer, older),
        )


def _between_facts(
    collection: Collection, newer: Record, older: Record, rank: int, bound: int
) -> StoredBetween:
    pairs = ((newer, older), (older, newer))
    gave_way = next(
        (
            one
            for one, other in pairs
            if one.state is RecordState.SUPERSEDED and one.superseded_by == other.record_id
        ),
        None,
    )
    speakers = {quotation(record).speaker for record in (newer, older)} - {""}
    reason = None
    if not {newer.record_id, older.record_id} <= collection.standing.keys():
        reason = NotCompared.GONE
    elif len(speakers) > 1:
        reason = NotCompared.SPEAKER
    elif not 0 < rank <= bound:
        reason = NotCompared.RANK
    return StoredBetween(
        rank=rank,
        compared_with=bound,
        not_compared=reason,
        contested=older.record_id in newer.contested_with,
        gave_way=gave_way.record_id if gave_way else "",
        superseded_reason=gave_way.superseded_reason if gave_way else None,
    )
