"""DeleteKey: a key goes; the cluster it was made of is not promoted again."""

from dataclasses import dataclass

from core.conversation.conversation import Conversation
from core.conversation.steps import KeyDrop
from core.keys import ConversationKey
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.conversation.ports import KeyDeletionPorts
from core.usecases.conversation.verbs.add_key import KeyNamed
from core.usecases.deletions import tell_deleted


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteKey:
    key: ConversationKey
    key_id: str
    request: RequestKey | None = None


async def delete_key(ports: KeyDeletionPorts, command: DeleteKey) -> CommitResult[KeyNamed]:
    """Raises ConversationNotFound, KeyNotFound, RequestIdReused."""

    def stage(conversation: Conversation, _revision: int) -> Draft[KeyNamed]:
        conversation.key_memory(command.key_id)
        return Draft(
            result=KeyNamed(key_id=command.key_id),
            steps=(KeyDrop(key_id=command.key_id),),
            touches=frozenset({"keys"}),
            erase=True,
        )

    done = await ports.conversations.commit(command.key, stage, command.request, KeyNamed)
    return await tell_deleted(ports, ports.conversations, command.key, done)
