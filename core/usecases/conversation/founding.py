"""Conversations come to be: by CreateConversation, or by the first turn or key that names one."""

from collections.abc import Callable
from typing import TypeVar

from core.conversation.conversation import Conversation
from core.conversation.steps import ConversationPut, Step
from core.errors import ConversationExists, ConversationNotFound, MemoryOff
from core.ids import Collection
from core.keys import ConversationKey
from core.model.conversation import ConversationRecord
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.ports.store import Require
from core.usecases.conversation.ports import TurnPorts
from core.usecases.ports import MakingPorts
from core.usecases.user.permission import Permission, permission_to_write
from core.usecases.user.quotas import require_room

Result = TypeVar("Result")

SCOPE = "conversation"


def new_record(ports: MakingPorts, key: ConversationKey, collection: Collection) -> ConversationRecord:
    now = ports.clock.now()
    return ConversationRecord(
        key=key,
        uid=ports.ids.new("u"),
        user=key.user,
        collection=collection,
        create_time=now,
        update_time=now,
    )


async def written(
    ports: TurnPorts,
    key: ConversationKey,
    collection: Collection,
    stage: Callable[[Conversation, int], Draft[Result]],
    request: RequestKey | None,
    answer: type[Result],
    permission: Permission | None = None,
) -> CommitResult[Result]:
    """Commits a draft of the user's on a conversation, which is made if it is not there. `permission`: the user's,
    where the call has asked for it.

    Raises MemoryOff, LimitReached, RequestIdReused, and what `stage` raises.
    """
    permission = permission or await permission_to_write(ports, key)
    staging = required(stage, permission.writer())
    try:
        return await ports.conversations.commit(key, staging, request, answer)
    except ConversationNotFound:
        await _found(ports, key, collection, permission)
    return await ports.conversations.commit(key, staging, request, answer)


async def _found(
    ports: TurnPorts, key: ConversationKey, collection: Collection, permission: Permission
) -> None:
    await require_room(ports, permission, key.kind)
    record = new_record(ports, key, collection)
    steps: tuple[Step, ...] = (ConversationPut(record=record),)
    try:
        await ports.conversations.found(
            key, Draft(result=record, steps=steps, requires=(permission.writer(),))
        )
    except ConversationExists:
        return  # another call was quicker


def required(
    stage: Callable[[Conversation, int], Draft[Result]], writer: Require
) -> Callable[[Conversation, int], Draft[Result]]:
    """Returns the same draft, stored only while the user's memory is on."""

    def staged(conversation: Conversation, revision: int) -> Draft[Result]:
        draft = stage(conversation, revision)
        return Draft(
            result=draft.result,
            steps=draft.steps,
            touches=draft.touches,
            requires=(*draft.requires, writer),
            erase=draft.erase,
        )

    return staged


def require_on(conversation: Conversation) -> None:
    """Raises MemoryOff for a conversation that is switched off."""
    if not conversation.record.enabled:
        raise MemoryOff(SCOPE)
