"""DeleteConversation: a purge. Nothing of the conversation remains; what it taught long-term memory, only if asked.

Law: forgetting comes first, so that a call that was cut short can be repeated. By then the conversation is switched
off, and what was at work for it does not land: nothing is taught between forgetting and purge.
"""

from contextlib import suppress
from dataclasses import dataclass, replace

from core.conversation.conversation import Conversation
from core.conversation.steps import ConversationPut
from core.errors import ConversationNotFound, StaleRevision
from core.keys import ConversationKey
from core.model.conversation import ForgettingOwed
from core.ports.aggregates import Draft
from core.ports.store import PurgeCounts
from core.usecases.conversation.learning.forget_turns import forget_turns
from core.usecases.conversation.ports import ConversationPorts, ForgettingPorts


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteConversation:
    """`if_revision`: only one that has not changed since. `allow_missing`: one that is gone is a success.
    `forget_records`: what it taught long-term memory goes, too."""

    key: ConversationKey
    allow_missing: bool = False
    if_revision: int | None = None
    forget_records: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationPurged:
    """What was removed, and the revision of the purge (0: there was nothing)."""

    counts: PurgeCounts
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedConversation:
    """The conversation that was closed: another one may have its name meanwhile."""

    uid: str


async def delete_conversation(ports: ForgettingPorts, command: DeleteConversation) -> ConversationPurged:
    """Raises ConversationNotFound, StaleRevision."""
    try:
        counts, revision = await _purged(ports, command)
    except ConversationNotFound:
        if not command.allow_missing:
            raise
        return ConversationPurged(counts=PurgeCounts(), revision=0)
    return ConversationPurged(counts=counts, revision=revision)


async def _purged(ports: ForgettingPorts, command: DeleteConversation) -> tuple[PurgeCounts, int]:
    if command.forget_records:
        uid = await _close(ports, command)
        await forget_turns(ports, command.key)
        return await ports.conversations.delete(command.key, uid)
    with suppress(ConversationNotFound):
        await forget_turns(ports, command.key)  # else what deleted turns taught would be unknown
    return await ports.conversations.delete(command.key, if_revision=command.if_revision)


async def _close(ports: ConversationPorts, command: DeleteConversation) -> str:
    """Switches it off, and notes that all it taught is to be forgotten; returns its uid."""
    now = ports.clock.now()

    def stage(conversation: Conversation, _revision: int) -> Draft[ClosedConversation]:
        if command.if_revision not in (None, conversation.revision):
            raise StaleRevision(command.if_revision or 0, conversation.revision)
        before = conversation.record
        owed = ForgettingOwed(number=before.generation + 1, steps=(), everything=True)
        record = replace(
            before,
            enabled=False,
            generation=owed.number,
            extraction=None,
            forgetting=(*before.forgetting, owed),
            due_time=now,
        )
        return Draft(
            result=ClosedConversation(uid=conversation.uid),
            steps=(ConversationPut(record=record),),
            touches=frozenset({"conversation"}),
        )

    return (await ports.conversations.commit(command.key, stage)).result.uid
