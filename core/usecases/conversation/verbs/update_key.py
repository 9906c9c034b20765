"""UpdateKey: a key reworded. One of the system becomes one of the user."""

from dataclasses import dataclass, replace

from core.conversation.conversation import Conversation
from core.conversation.keys import require_room
from core.conversation.steps import KeyPut
from core.keys import ConversationKey
from core.model.conversation import KeyType
from core.ports.aggregates import Draft, RequestKey
from core.usecases.conversation.founding import require_on, required
from core.usecases.conversation.ports import ConversationPorts
from core.usecases.conversation.verbs.add_key import KeyKept, KeyNamed, kept
from core.usecases.revisions import require_unchanged
from core.usecases.user.permission import permission_to_write


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateKey:
    key: ConversationKey
    key_id: str
    text: str
    if_revision: int | None = None
    request: RequestKey | None = None


async def update_key(ports: ConversationPorts, command: UpdateKey) -> KeyKept:
    """Raises ConversationNotFound, KeyNotFound, StaleRevision, MemoryOff, LimitReached, RequestIdReused."""
    now = ports.clock.now()

    def stage(conversation: Conversation, revision: int) -> Draft[KeyNamed]:
        before = conversation.key_memory(command.key_id)
        require_on(conversation)
        require_unchanged(command.if_revision, before.revision)
        made = replace(before, type=KeyType.USER, text=command.text, update_time=now, revision=revision)
        require_room(conversation, made)
        return Draft(
            result=KeyNamed(key_id=command.key_id), steps=(KeyPut(key=made),), touches=frozenset({"keys"})
        )

    writer = (await permission_to_write(ports, command.key)).writer()
    done = await ports.conversations.commit(command.key, required(stage, writer), command.request, KeyNamed)
    return await kept(ports, command.key, done)
