"""Takes back once more what had been taken back before a store was set back to an earlier state, and erases it where it
had been erased.

Law: as the verbs do it, with all that rests on it, under the retraction's own id: it can be released as before. One
that had been released is left. What is not there any more is passed over.
"""

from collections.abc import Mapping
from contextlib import suppress

from core.errors import RetractionClosed, RetractionNotFound
from core.ids import ConversationId, InteractionId, RecordId
from core.keys import BankKey, CollectionKey, ConversationKey, Key
from core.long_term.collection import Collection
from core.long_term.unlearning import Selection
from core.model.retraction import RetractionState
from core.usecases.bank.ports import BankRetractionPorts, ClosingPorts
from core.usecases.bank.verbs.close_interactions import CloseInteractions, close_interactions
from core.usecases.bank.verbs.retract_interactions import RetractInteractions, retract_interactions
from core.usecases.conversation.ports import ForgettingPorts
from core.usecases.conversation.verbs.close_turns import CloseTurns, close_turns
from core.usecases.conversation.verbs.retract_turns import RetractTurns, retract_turns
from core.usecases.long_term.ports import RetractionPorts
from core.usecases.long_term.verbs.close_retraction import CloseRetraction, close_retraction
from core.usecases.long_term.verbs.retract_records import RetractRecords, retract_records
from core.usecases.restore.ports import RepeatedRetractionPorts
from core.usecases.restore.repeat_erasures import standing
from core.usecases.retractions import RetractionNotice, digest_of

REASON = "repeated after a restore"

Notices = Mapping[str, RetractionNotice]
"""By the retraction's id."""


async def repeat_retractions(ports: RepeatedRetractionPorts, retracted: Mapping[str, Notices]) -> int:
    """Repeats what was taken back of the memories with these uids; returns how many retractions found anything."""
    count = 0
    async for key, uid in standing(ports.store):
        for notice in retracted.get(uid, {}).values():
            if notice.state is not RetractionState.RELEASED:
                count += await _repeat(ports, key, notice)
    return count


async def _repeat(ports: RepeatedRetractionPorts, key: Key, notice: RetractionNotice) -> bool:
    is_erased = notice.state is RetractionState.ERASED
    match key:
        case BankKey():
            taken = await _interactions(ports, key, notice)
            return await _erased_interactions(ports, key, notice) or taken if is_erased else taken
        case ConversationKey():
            taken = await _turns(ports, key, notice)
            return await _erased_turns(ports, key, notice) or taken if is_erased else taken
        case CollectionKey():
            taken = await _records(ports, key, notice)
            return await _erased_records(ports, key, notice) or taken if is_erased else taken
        case _:
            return False


async def _interactions(ports: BankRetractionPorts, key: BankKey, notice: RetractionNotice) -> bool:
    async with ports.banks.reading(key) as bank:
        there = tuple(InteractionId(each) for each in notice.ids if each in bank.tree.interactions)
        is_known = notice.retraction_id in bank.retractions
    if is_known or not there:
        return False
    command = RetractInteractions(
        key=key, interaction_ids=there, reason=REASON, retraction_id=notice.retraction_id
    )
    return (await retract_interactions(ports, command)).result.retraction is not None


async def _erased_interactions(ports: ClosingPorts, key: BankKey, notice: RetractionNotice) -> bool:
    with suppress(RetractionNotFound, RetractionClosed):
        closing = CloseInteractions(key=key, retraction_id=notice.retraction_id, erases=True)
        await close_interactions(ports, closing)
        return True
    return False


async def _turns(ports: ForgettingPorts, key: ConversationKey, notice: RetractionNotice) -> bool:
    async with ports.conversations.reading(key) as conversation:
        steps = tuple(step for step in map(int, notice.ids) if conversation.has_turn(step))
        is_known = notice.retraction_id in conversation.retractions
    if is_known or not steps:
        return False
    command = RetractTurns(key=key, steps=steps, reason=REASON, retraction_id=notice.retraction_id)
    return (await retract_turns(ports, command)).result.retraction is not None


async def _erased_turns(ports: ForgettingPorts, key: ConversationKey, notice: RetractionNotice) -> bool:
    with suppress(RetractionNotFound, RetractionClosed):
        await close_turns(ports, CloseTurns(key=key, retraction_id=notice.retraction_id, erases=True))
        return True
    return False


async def _records(ports: RetractionPorts, key: CollectionKey, notice: RetractionNotice) -> bool:
    async with ports.collections.reading(key) as collection:
        chosen = _chosen(collection, notice)
        is_known = notice.retraction_id in collection.retractions
    if is_known or chosen is None:
        return False
    command = RetractRecords(key=key, chosen=chosen, reason=REASON, retraction_id=notice.retraction_id)
    return (await retract_records(ports, command)).result.retraction is not None


async def _erased_records(ports: RetractionPorts, key: CollectionKey, notice: RetractionNotice) -> bool:
    with suppress(RetractionNotFound, RetractionClosed):
        await close_retraction(
            ports, CloseRetraction(key=key, retraction_id=notice.retraction_id, erases=True)
        )
        return True
    return False


def _chosen(collection: Collection, notice: RetractionNotice) -> Selection | None:
    """Returns what of the collection is meant; None where nothing of it is there."""
    if notice.ids:
        there = frozenset(
            RecordId(each) for each in notice.ids if collection.record_or_proposal(RecordId(each))
        )
        return Selection(record_ids=there) if there else None
    source = _source(collection, notice.source) if notice.source else ""
    if notice.source and not source:
        return None
    chosen = Selection(
        source=source,
        conversation_id=ConversationId(notice.conversation_id),
        steps=frozenset(notice.steps),
        writer=notice.writer,
        since=notice.since,
        until=notice.until,
    )
    return chosen if chosen.filters else None


def _source(collection: Collection, digest: str) -> str:
    """Returns the source of this digest, if anything of the collection comes from it."""
    proposed = (proposal.record for proposal in collection.proposals.values())
    for record in (*collection.records.values(), *proposed):
        for evidence in (record.provenance, *record.also_from):
            if evidence.source and digest_of(evidence.source) == digest:
                return evidence.source
    return ""
