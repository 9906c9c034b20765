"""CreateConversation: an empty conversation, with settings of its own."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from hashlib import sha256

from core.conversation.steps import ConversationPut
from core.errors import LimitReached
from core.ids import Collection, ConversationId, Tenant, User
from core.keys import ConversationKey
from core.model.conversation import NO_SETTINGS, ConversationRecord, ConversationSettings
from core.model.expiry import expiry_after
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.conversation.founding import new_record
from core.usecases.conversation.ports import TurnPorts
from core.usecases.ports import MakingPorts
from core.usecases.replays import repeated
from core.usecases.user.permission import permission_to_write
from core.usecases.user.quotas import require_room


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateConversation:
    """No `conversation_id`: one is made."""

    tenant: Tenant
    user: User
    conversation_id: ConversationId | None = None
    collection: Collection
    goal: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    settings: ConversationSettings = NO_SETTINGS
    enabled: bool = True
    ttl: timedelta | None = None
    request: RequestKey | None = None


async def create_conversation(
    ports: TurnPorts, command: CreateConversation
) -> CommitResult[ConversationRecord]:
    """Raises ConversationExists, MemoryOff, LimitReached, RequestIdReused."""
    key = ConversationKey(
        tenant=command.tenant,
        user=command.user,
        conversation_id=command.conversation_id or _new_id(ports, command),
    )
    permission = await permission_to_write(ports, key)
    writer = permission.writer()
    try:
        await require_room(ports, permission, key.kind)
    except LimitReached:
        if (known := await repeated(ports.conversations, key, command.request, ConversationRecord)) is None:
            raise
        return known
    made = new_record(ports, key, command.collection)
    record = replace(
        made,
        goal=command.goal,
        labels=command.labels,
        settings=command.settings,
        enabled=command.enabled,
        ttl=command.ttl,
        purge_time=expiry_after(made.create_time, command.ttl),
    )
    draft = Draft(result=record, steps=(ConversationPut(record=record),), requires=(writer,))
    return await ports.conversations.found(key, draft, command.request)


def _new_id(ports: MakingPorts, command: CreateConversation) -> ConversationId:
    """Returns an id that follows from the request's: a repeated request must find the conversation it made."""
    if command.request is None:
        return ConversationId(ports.ids.new("c"))
    asked = f"{command.tenant}\n{command.user}\n{command.request.identity}"
    return ConversationId(f"c-{sha256(asked.encode()).hexdigest()[:32]}")
