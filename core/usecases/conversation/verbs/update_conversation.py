"""UpdateConversation: goal, labels, settings, the switch, the ttl."""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from datetime import timedelta

from core.conversation.conversation import Conversation
from core.conversation.steps import ConversationPut
from core.keys import ConversationKey
from core.model.conversation import NO_SETTINGS, ConversationRecord, ConversationSettings
from core.model.expiry import expiry_after
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.conversation.ports import ConversationPorts
from core.usecases.revisions import require_unchanged


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateConversation:
    """`fields` names what is set: `goal`, `labels`, `settings`, `enabled`, `ttl`."""

    key: ConversationKey
    fields: Set[str]
    goal: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    settings: ConversationSettings = NO_SETTINGS
    enabled: bool = True
    ttl: timedelta | None = None
    if_revision: int | None = None
    request: RequestKey | None = None


async def update_conversation(
    ports: ConversationPorts, command: UpdateConversation
) -> CommitResult[ConversationRecord]:
    """Changes the settings; switching off also ends what is at work. Raises ConversationNotFound, StaleRevision,
    RequestIdReused."""
    now = ports.clock.now()

    def stage(conversation: Conversation, revision: int) -> Draft[ConversationRecord]:
        before = conversation.record
        require_unchanged(command.if_revision, before.edited_at)
        record = replace(
            before,
            **{name: getattr(command, name) for name in command.fields},
            update_time=now,
            edited_at=revision,
        )
        if before.enabled and not record.enabled:
            record = replace(record, generation=record.generation + 1)
        last = record.last_turn_time or record.create_time
        record = replace(
            record,
            purge_time=expiry_after(last, record.ttl),
            due_time=now if record.enabled else None,
        )
        return Draft(
            result=record, steps=(ConversationPut(record=record),), touches=frozenset({"conversation"})
        )

    return await ports.conversations.commit(command.key, stage, command.request, ConversationRecord)
