"""StartInvocation: one run of an agent begins, with a working memory of its own."""

from dataclasses import dataclass
from hashlib import sha256

from core.conversation.conversation import Conversation
from core.conversation.invocation import RunningPut
from core.errors import LimitReached, MemoryOff
from core.ids import Collection, ConversationId, InvocationId, Tenant, User
from core.keys import ConversationKey, InvocationKey
from core.model.invocation import NO_INVOCATION, InvocationRecord
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.conversation.founding import require_on, written
from core.usecases.conversation.ports import InvocationPorts, TurnPorts
from core.usecases.ports import CommonPorts, MakingPorts
from core.usecases.replays import repeated
from core.usecases.user.permission import SCOPE, Permission, permission_to_write


@dataclass(frozen=True, slots=True, kw_only=True)
class StartInvocation:
    """No `invocation_id`: one is made. No `conversation_id`: it belongs to none. None: as configured. `stated`:
    the query counts as the user's own words. `writer`: the subject of the API key that starts it."""

    tenant: Tenant
    user: User
    collection: Collection
    conversation_id: ConversationId | None
    invocation_id: InvocationId | None
    query: str
    enable_memory: bool
    threshold: int | None = None
    context_window: int | None = None
    keep_steps: int | None = None
    stated: bool = True
    writer: str = ""
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InvocationNamed:
    """What is kept for a repetition."""

    invocation_id: InvocationId


@dataclass(frozen=True, slots=True, kw_only=True)
class InvocationStarted:
    invocation_id: InvocationId
    revision: int = 0
    replayed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """The conversation that was there when the invocation began."""

    uid: str
    collection: Collection


async def start_invocation(ports: InvocationPorts, command: StartInvocation) -> InvocationStarted:
    """Begins an invocation. Without memory, also where the user's is off, nothing is kept, and the id is empty. Raises
    InvocationExists, MemoryOff (of the conversation), LimitReached, RequestIdReused."""
    if not command.enable_memory:
        return InvocationStarted(invocation_id=NO_INVOCATION)
    invocation_id = command.invocation_id or _new_id(ports, command)
    key = InvocationKey(tenant=command.tenant, user=command.user, invocation_id=invocation_id)
    try:
        done = await _found(ports, command, key)
    except (LimitReached, MemoryOff) as refused:
        known = await repeated(ports.invocations, key, command.request, InvocationNamed)
        if known is None and isinstance(refused, MemoryOff) and refused.scope == SCOPE:
            return InvocationStarted(invocation_id=NO_INVOCATION)
        if known is None:
            raise
        done = known
    return InvocationStarted(
        invocation_id=done.result.invocation_id, revision=done.revision, replayed=done.replayed
    )


async def _found(
    ports: InvocationPorts, command: StartInvocation, key: InvocationKey
) -> CommitResult[InvocationNamed]:
    permission = await permission_to_write(ports, key)
    writer = permission.writer()
    await _require_room(ports, key)
    record = _record(ports, command, key, await _place(ports, command, permission))
    draft = Draft(
        result=InvocationNamed(invocation_id=key.invocation_id),
        steps=(RunningPut(record=record),),
        requires=(writer,),
    )
    return await ports.invocations.found(key, draft, command.request)


async def _place(ports: TurnPorts, command: StartInvocation, permission: Permission) -> _Place:
    """Returns the conversation, made if it is not there. Raises MemoryOff, LimitReached."""
    if command.conversation_id is None:
        return _Place(uid="", collection=command.collection)
    key = ConversationKey(tenant=command.tenant, user=command.user, conversation_id=command.conversation_id)

    def stage(conversation: Conversation, _revision: int) -> Draft[_Place]:
        require_on(conversation)
        return Draft(result=_Place(uid=conversation.uid, collection=conversation.record.collection))

    return (await written(ports, key, command.collection, stage, None, _Place, permission)).result


def _record(
    ports: CommonPorts, command: StartInvocation, key: InvocationKey, place: _Place
) -> InvocationRecord:
    now, working = ports.clock.now(), ports.settings.working
    half = None if command.context_window is None else command.context_window // 2
    asked = [tokens for tokens in (command.threshold, half) if tokens is not None]
    return InvocationRecord(
        key=key,
        uid=ports.ids.new("u"),
        user=key.user,
        collection=place.collection,
        conversation_id=command.conversation_id or ConversationId(""),
        conversation_uid=place.uid,
        query=command.query,
        stated=command.stated,
        writer=command.writer,
        threshold=min(asked, default=working.threshold),
        keep_steps=command.keep_steps or working.keep_steps,
        create_time=now,
        due_time=now + working.idle,
    )


async def _require_room(ports: TurnPorts, key: InvocationKey) -> None:
    most = ports.settings.limits.open_invocations_per_user
    if await ports.store.count(key.tenant, key.kind, key.user) >= most:
        raise LimitReached("open_invocations_per_user", most, "end invocations, or raise the limit")


def _new_id(ports: MakingPorts, command: StartInvocation) -> InvocationId:
    """Returns an id that follows from the request's: a repeated request must find the invocation it made."""
    if command.request is None:
        return InvocationId(ports.ids.new("i"))
    asked = f"{command.tenant}\n{command.user}\n{command.request.identity}"
    return InvocationId(f"i-{sha256(asked.encode()).hexdigest()[:32]}")
