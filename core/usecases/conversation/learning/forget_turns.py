"""What deleted turns taught goes out of long-term memory; records that others taught too lose them as a source. What
turns taught that were taken back is taken back with them.

Law: carried out also where memory is off. First the collection, under a request of its own, then the mark in the
conversation: a crash repeats it, and nothing goes twice.
"""

from dataclasses import dataclass, replace

from core.conversation.conversation import Conversation
from core.conversation.steps import ConversationPut
from core.errors import CollectionNotFound, LimitReached, RetractionClosed, RetractionNotFound
from core.ids import RequestId
from core.keys import CollectionKey, ConversationKey
from core.long_term.collection import Collection
from core.long_term.unlearning import Selection, Turns
from core.model.conversation import ConversationRecord, ForgettingOwed
from core.model.retraction import RetractionState
from core.ports.aggregates import Draft, RequestKey
from core.usecases.conversation.ports import ForgettingPorts
from core.usecases.long_term.ports import RetractionPorts
from core.usecases.long_term.verbs.close_retraction import CloseRetraction, close_retraction
from core.usecases.long_term.verbs.delete_records import drops
from core.usecases.long_term.verbs.retract_records import RetractRecords, retract_records
from core.usecases.long_term.writing import Edit, edit
from core.usecases.ports import HasConversations

VERB = "ForgetTurns"


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetOutcome:
    """What is kept for a repetition: the steps to be looked through again."""

    anew: tuple[int, ...]


def forgetting(
    record: ConversationRecord,
    gone: frozenset[int],
    *,
    again: bool = False,
    retraction_id: str = "",
    closes: RetractionState | None = None,
) -> ConversationRecord:
    """Returns the record of a conversation that owes it to forget what these turns taught, or as ForgettingOwed
    says."""
    owed = ForgettingOwed(
        number=record.generation,
        steps=tuple(sorted(gone)),
        again=again,
        retraction_id=retraction_id,
        closes=closes,
    )
    return replace(record, forgetting=(*record.forgetting, owed))


async def forget_turns(ports: ForgettingPorts, key: ConversationKey) -> None:
    """Forgets what turns taught until nothing is owed. Raises ConversationNotFound."""
    while True:
        async with ports.conversations.reading(key) as conversation:
            uid, owed = conversation.uid, conversation.record.forgetting[:1]
            collection = conversation.record.collection
        if not owed:
            return
        place = CollectionKey(tenant=key.tenant, user=key.user, collection=collection)
        await _mark(ports, key, uid, owed[0], await _forget(ports, key, place, uid, owed[0]))


async def _forget(
    ports: RetractionPorts, key: ConversationKey, place: CollectionKey, uid: str, owed: ForgettingOwed
) -> tuple[int, ...]:
    """Returns the steps that are left of what went."""
    if owed.retraction_id:
        return await _with_retraction(ports, key, place, uid, owed)
    now = ports.clock.now()
    turns = Turns(
        conversation_id=key.conversation_id, steps=frozenset(owed.steps), everything=owed.everything
    )

    def compose(collection: Collection, _revision: int) -> Edit[ForgetOutcome]:
        steps, done = drops(ports, collection, turns, now, marks=not owed.again)
        return Edit(result=ForgetOutcome(anew=done.anew), steps=steps, sees_all=True, erase=bool(steps))

    name = f"forget-{uid}-{owed.number}"
    request = RequestKey(request_id=RequestId(name), verb=VERB, digest=name)
    try:
        return (await edit(ports, place, compose, request, ForgetOutcome, None)).result.anew
    except CollectionNotFound:
        return ()


async def _with_retraction(
    ports: RetractionPorts, key: ConversationKey, place: CollectionKey, uid: str, owed: ForgettingOwed
) -> tuple[int, ...]:
    """Takes back what turns taught, or closes that. What does not fit into the collection any more stays in its
    quarantine, where the collection's own retraction tells of it."""
    name = f"forget-{uid}-{owed.number}"
    request = RequestKey(request_id=RequestId(name), verb=VERB, digest=name)
    try:
        if owed.closes is None:
            taking = RetractRecords(
                key=place,
                chosen=Selection(conversation_id=key.conversation_id, steps=frozenset(owed.steps)),
                retraction_id=owed.retraction_id,
                request=request,
            )
            return (await retract_records(ports, taking)).result.anew
        closing = CloseRetraction(
            key=place,
            retraction_id=owed.retraction_id,
            erases=owed.closes is RetractionState.ERASED,
            even_off=True,
            request=request,
        )
        await close_retraction(ports, closing)
    except (CollectionNotFound, RetractionNotFound, RetractionClosed, LimitReached):
        pass
    return ()


async def _mark(
    ports: HasConversations, key: ConversationKey, uid: str, owed: ForgettingOwed, anew: tuple[int, ...]
) -> None:
    def stage(conversation: Conversation, _revision: int) -> Draft[None]:
        record = conversation.record
        if conversation.uid != uid or owed not in record.forgetting:
            return Draft(result=None)
        steps = {*anew, *(owed.steps if owed.again else ())}
        left = {step for step in steps if conversation.has_turn(step) and step <= record.extracted_to}
        after = replace(
            record,
            forgetting=tuple(each for each in record.forgetting if each != owed),
            anew=tuple(sorted(left.union(record.anew))),
        )
        return Draft(result=None, steps=(ConversationPut(record=after),), touches=frozenset({"conversation"}))

    await ports.conversations.commit(key, stage)
