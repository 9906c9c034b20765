"""Carrying out the end of an invocation, in a fixed order, each part under a request of its own.

Law: the conversation first, then long-term memory; then the answer is kept for a repeated call, and the invocation
goes with its feed. A crash repeats the sequence: what is done already answers as a replay, so nothing is there
twice and nothing is lost.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from core.agents.memory_roles import Passage, PassageKind, Purpose
from core.agents.offline.compressing import compress
from core.agents.offline.thinking import think
from core.agents.usage import Ledger
from core.conversation.conversation import Conversation
from core.conversation.steps import ConversationPut, InvocationDrop, InvocationPut, Step, TurnAdd
from core.errors import (
    ConversationNotFound,
    InvocationNotFound,
    LimitReached,
    MemoryOff,
    UserNotFound,
)
from core.ids import ConversationId, InvocationId, RecordId, RequestId
from core.keys import InvocationKey, UserKey
from core.model.conversation import Turn
from core.model.invocation import Ending, InvocationRecord, InvocationSummary, Item, ItemType
from core.model.record import NO_CONVERSATION
from core.model.usage import NO_USAGE, Usage
from core.ports.aggregates import Draft, RequestKey
from core.usecases.conversation.founding import require_on, required
from core.usecases.conversation.learning.compress_items import place_of
from core.usecases.conversation.learning.learn import Run, learn
from core.usecases.conversation.ports import ConclusionPorts, ConversationPorts, LearningPorts
from core.usecases.conversation.tiers.tending import SeenConversation, land, summary_of
from core.usecases.conversation.verbs.add_turns import grown
from core.usecases.ports import HasMemoryAgents, HasSettings, HasUsers
from core.usecases.user.permission import permission_of
from core.user.user import UserAggregate

DID = 2_000  # tokens of what was done, its results among it, as the Summariser sees it
SHOWN = 2_000  # code points of query and result in a summary; the turn has them whole
CUT = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """What came of an end: names, no texts. `revision` and `step` are the conversation's; 0: nothing was told it."""

    invocation_id: InvocationId
    conversation_id: ConversationId = NO_CONVERSATION
    step: int = 0
    revision: int = 0
    episode_id: str = ""
    strategy_ids: tuple[RecordId, ...] = ()
    fact_ids: tuple[RecordId, ...] = ()
    withheld: int = 0
    usage: Usage = NO_USAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class StepGiven:
    """What is kept in the conversation for a repetition."""

    step: int


async def conclude(ports: ConclusionPorts, key: InvocationKey) -> None:
    """Concludes an invocation, one at a time in a process; does nothing where it is gone, or has no end. Raises
    AgentUnavailable, AgentReplyInvalid, BudgetSpent."""
    async with ports.workshop.turn(key):
        await _conclude(ports, key)


async def _conclude(ports: ConclusionPorts, key: InvocationKey) -> None:
    try:
        async with ports.invocations.reading(key) as invocation:
            record, items = invocation.record, invocation.in_order()
    except InvocationNotFound:
        return
    if record.ending is None:
        return
    place = place_of(record)
    ledger = ports.workshop.ledger(place or key)
    concluded = await _tell_conversation(ports, ledger, record, record.ending, items)
    if concluded.conversation_id == record.conversation_id:  # else it is gone, or memory is off
        run = Run(record=record, ending=record.ending, items=items, step=concluded.step)
        learned = await learn(ports, ledger, run)
        await _count(ports, ledger, record)
        concluded = replace(
            concluded,
            fact_ids=learned.fact_ids,
            episode_id=learned.episode_id,
            strategy_ids=learned.strategy_ids,
            withheld=learned.withheld,
            usage=ledger.total(),
        )
    await _keep_answer(ports, record, concluded)
    with suppress(InvocationNotFound):
        await ports.invocations.delete(key, record.uid)


async def _count(ports: ConversationPorts, ledger: Ledger, record: InvocationRecord) -> None:
    """Adds what the agents cost since the turn to the conversation's record."""
    key = place_of(record)
    if key is None or not ledger.unrecorded:
        return
    seen = SeenConversation(
        uid=record.conversation_uid, generation=-1
    )  # nothing is made: only what was spent lands
    with suppress(ConversationNotFound, MemoryOff, UserNotFound):
        await land(ports, key, seen, ledger, lambda _: None)


def request_of(record: InvocationRecord) -> RequestKey:
    """Returns the request under which the answer is kept: that of the call that ended it, or one of its own."""
    ending = record.ending
    if ending is not None and ending.request_id:
        return RequestKey(request_id=RequestId(ending.request_id), verb="EndInvocation", digest=ending.digest)
    return part_of(record, "end")


def part_of(record: InvocationRecord, part: str) -> RequestKey:
    """Returns the request under which a part of the end is carried out."""
    return RequestKey(request_id=RequestId(f"{part}-{record.uid}"), verb="EndInvocation", digest=record.uid)


async def _keep_answer(ports: HasUsers, record: InvocationRecord, concluded: Conclusion) -> None:
    def stage(_user: UserAggregate, _revision: int) -> Draft[Conclusion]:
        return Draft(result=concluded)

    user = UserKey(tenant=record.key.tenant, user=record.key.user)
    with suppress(UserNotFound):  # purged: nothing is kept of them
        await ports.users.commit(user, stage, request_of(record), Conclusion)


# ---- the conversation ----


async def _tell_conversation(
    ports: LearningPorts, ledger: Ledger, record: InvocationRecord, ending: Ending, items: tuple[Item, ...]
) -> Conclusion:
    """Stores the summary and the turn, unless the conversation is gone, or memory is off: then nothing is kept."""
    nothing = Conclusion(invocation_id=record.key.invocation_id)
    key = place_of(record)
    if key is None:
        return nothing
    try:
        tender = (await permission_of(ports, key)).tender()
        async with ports.conversations.reading(key) as conversation:
            _require_same(conversation, record)
            limit = conversation.tiers.summary_length
        text = await _summarised(ports, ledger, record.query, ending.result, items, limit)
        tokens = ledger.unrecorded
        actions = sum(item.type is ItemType.ACTION for item in items)
        stage = _staging(ports, record, ending, text, record.tokens_spent + tokens, actions)
        request = part_of(record, "turn")
        done = await ports.conversations.commit(key, required(stage, tender), request, StepGiven)
        ledger.put_on_record(0 if done.replayed else tokens, 0)
    except (ConversationNotFound, MemoryOff, UserNotFound):
        return nothing
    return replace(
        nothing, conversation_id=record.conversation_id, step=done.result.step, revision=done.revision
    )


def _require_same(conversation: Conversation, record: InvocationRecord) -> None:
    """Raises ConversationNotFound where another one has its name now, MemoryOff."""
    if conversation.uid != record.conversation_uid:
        raise ConversationNotFound(record.user, record.conversation_id)
    require_on(conversation)


async def _summarised(
    ports: HasMemoryAgents, ledger: Ledger, query: str, result: str, items: tuple[Item, ...], limit: int
) -> str:
    did = await think(compress, items, DID)
    answer = (
        (PassageKind.INPUT, query),
        (PassageKind.SUMMARY, did),
        (PassageKind.REPLY, result),
    )
    passages = [
        Passage(number=number, kind=kind, text=text)
        for number, (kind, text) in enumerate(each for each in answer if each[1].strip())
    ]
    return await summary_of(ports, ledger, passages, limit, Purpose.INVOCATION)


def _staging(
    ports: HasSettings, record: InvocationRecord, ending: Ending, text: str, tokens: int, actions: int
) -> Callable[[Conversation, int], Draft[StepGiven]]:
    def stage(conversation: Conversation, _revision: int) -> Draft[StepGiven]:
        _require_same(conversation, record)
        turn = None if ending.skip_turn else _turn(ports, conversation, record, ending)
        summary = InvocationSummary(
            invocation_id=record.key.invocation_id,
            query=_clipped(record.query),
            summary=text,
            result=_clipped(ending.result),
            succeeded=ending.succeeded,
            step=turn.step if turn else 0,
            event_time=ending.end_time,
            actions=actions,
        )
        steps = put_invocation(conversation, summary)
        after = replace(conversation.record, tokens_spent=conversation.record.tokens_spent + tokens)
        if turn is not None:
            steps = [TurnAdd(turn=turn), *steps]
            after = grown(after, (turn,), ending.end_time)
        if after != conversation.record:
            steps = [ConversationPut(record=after), *steps]
        return Draft(
            result=StepGiven(step=summary.step), steps=tuple(steps), touches=frozenset({"conversation"})
        )

    return stage


def _turn(
    ports: HasSettings, conversation: Conversation, record: InvocationRecord, ending: Ending
) -> Turn | None:
    """Returns the turn; None where the conversation is full."""
    turn = Turn(
        step=conversation.record.last_step + 1,
        input=record.query,
        reply=ending.result,
        event_time=record.create_time,
        create_time=ending.end_time,
        invocation_id=record.key.invocation_id,
        stated=record.stated,
        writer=record.writer,
    )
    try:
        ports.settings.limits.check_conversation(grown(conversation.record, (turn,), ending.end_time))
    except LimitReached:
        return None
    return turn


def put_invocation(conversation: Conversation, summary: InvocationSummary) -> list[Step]:
    """Adds a summary; the oldest go where there are too many."""
    others = [e for e in conversation.invocations_in_order() if e.invocation_id != summary.invocation_id]
    gone = others[: max(0, len(others) + 1 - conversation.tiers.invocation_summaries)]
    drops = (InvocationDrop(invocation_id=each.invocation_id) for each in gone)
    return [InvocationPut(summary=summary), *drops]


def _clipped(text: str) -> str:
    return text if len(text) <= SHOWN else text[: SHOWN - len(CUT)] + CUT
