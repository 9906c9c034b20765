"""EndInvocation: the end is durable first, then carried out.

Law: the first end wins. Whatever stops a process afterwards, the end is carried out once (`conclude_invocation`); a
call that is repeated with its request_id gets the same answer, also when the invocation is gone.
"""

from dataclasses import dataclass, replace

from core.conversation.invocation import Invocation, RunningPut
from core.errors import ConversationNotFound, InvocationEnded, InvocationNotFound, UserNotFound
from core.ids import RequestId
from core.keys import ConversationKey, InvocationKey, UserKey
from core.model.invocation import Ending, InvocationRecord, InvocationState, InvocationSummary
from core.ports.aggregates import Draft, RequestKey
from core.usecases.conversation.learning.conclude_invocation import Conclusion, conclude, request_of
from core.usecases.conversation.ports import ConclusionPorts, InvocationPorts
from core.usecases.ports import HasConversations, HasUsers
from core.user.user import UserAggregate


@dataclass(frozen=True, slots=True, kw_only=True)
class EndInvocation:
    """No `key`: memory was not enabled, nothing is done. `wait`: answer when the end has been carried out."""

    key: InvocationKey | None
    result: str
    succeeded: bool
    skip_turn: bool = False
    wait: bool = False
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InvocationEndedAnswer:
    """`concluded`: what came of the end; None for a call that did not wait. `summary`: None where there is none, or
    where it went since."""

    concluded: Conclusion | None = None
    summary: InvocationSummary | None = None
    replayed: bool = False


async def end_invocation(ports: ConclusionPorts, command: EndInvocation) -> InvocationEndedAnswer:
    """Raises InvocationNotFound, InvocationEnded; where it waits, AgentUnavailable, AgentReplyInvalid, BudgetSpent: the
    end is stored then all the same."""
    key = command.key
    if key is None:
        return InvocationEndedAnswer()
    try:
        record, replayed = await _store_end(ports, key, command)
    except InvocationNotFound:
        kept = await _answer(ports, key, command.request)
        if not command.wait:
            return InvocationEndedAnswer(replayed=True)
        return await _told(ports, key, kept, replayed=True)
    if not command.wait:
        return InvocationEndedAnswer(replayed=replayed)
    await conclude(ports, key)
    kept = await _answer(ports, key, request_of(record))
    return await _told(ports, key, kept, replayed)


async def _store_end(
    ports: InvocationPorts, key: InvocationKey, command: EndInvocation
) -> tuple[InvocationRecord, bool]:
    """Stores the record with its end; returns it, and whether the same call had stored it before."""
    request = command.request
    given = (str(request.request_id), request.digest) if request else ("", "")
    now = ports.clock.now()
    stored: InvocationRecord | None = None
    replayed = False

    def stage(invocation: Invocation, _revision: int) -> Draft[None]:
        nonlocal stored, replayed
        stored, replayed = invocation.record, False
        if (ending := stored.ending) is not None:
            if not given[0] or given != (ending.request_id, ending.digest):
                raise InvocationEnded(key.invocation_id)
            replayed = True
            return Draft(result=None)
        ending = Ending(
            result=command.result,
            succeeded=command.succeeded,
            skip_turn=command.skip_turn,
            request_id=given[0],
            digest=given[1],
            end_time=now,
        )
        stored = ended(stored, ending)
        return Draft(result=None, steps=(RunningPut(record=stored),), touches=frozenset({"invocation"}))

    await ports.invocations.commit(key, stage)
    assert stored is not None, "it was staged"
    return stored, replayed


def ended(record: InvocationRecord, ending: Ending) -> InvocationRecord:
    """Returns the record with its end stored, due at once."""
    return replace(record, state=InvocationState.ENDING, ending=ending, due_time=ending.end_time)


async def _answer(ports: HasUsers, key: InvocationKey, request: RequestKey | None) -> Conclusion:
    """Returns what is kept under the request of an end that has been carried out. Raises InvocationNotFound."""
    missing = InvocationNotFound(key.user, key.invocation_id)

    def stage(_user: UserAggregate, _revision: int) -> Draft[Conclusion]:
        raise missing

    if request is None:
        raise missing
    try:
        user = UserKey(tenant=key.tenant, user=key.user)
        return (await ports.users.commit(user, stage, request, Conclusion)).result
    except UserNotFound:
        raise missing from None


async def _told(
    ports: HasConversations, key: InvocationKey, concluded: Conclusion, replayed: bool
) -> InvocationEndedAnswer:
    """Returns the answer with the summary read back: what is kept under a request has no texts."""
    summary = None
    if concluded.conversation_id:
        place = ConversationKey(tenant=key.tenant, user=key.user, conversation_id=concluded.conversation_id)
        try:
            async with ports.conversations.reading(place, concluded.revision) as conversation:
                summary = conversation.invocations.get(key.invocation_id)
        except ConversationNotFound:
            pass  # it went since
    return InvocationEndedAnswer(concluded=concluded, summary=summary, replayed=replayed)


async def end_idle(ports: InvocationPorts, key: InvocationKey) -> None:
    """Ends an invocation that was left alone, as failed; its items belong to the caller that began it. Raises
    InvocationNotFound."""
    now = ports.clock.now()

    def stage(invocation: Invocation, _revision: int) -> Draft[None]:
        record = invocation.record
        if record.state is not InvocationState.RUNNING or now < record.due_time:
            return Draft(result=None)
        ending = Ending(
            result="",
            succeeded=False,
            skip_turn=True,
            request_id=RequestId(""),
            digest="",
            end_time=now,
            idle=True,
        )
        step = RunningPut(record=ended(record, ending))
        return Draft(result=None, steps=(step,), touches=frozenset({"invocation"}))

    await ports.invocations.commit(key, stage)
