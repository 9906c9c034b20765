"""AddKey: a short statement that every prompt shows."""

from dataclasses import dataclass

from core.conversation.conversation import Conversation
from core.conversation.keys import require_room
from core.conversation.steps import KeyPut
from core.ids import Collection
from core.keys import ConversationKey
from core.model.conversation import KeyMemory, KeyType
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.conversation.founding import require_on, written
from core.usecases.conversation.ports import TurnPorts
from core.usecases.ports import HasConversations
from core.usecases.replays import stored_steps


@dataclass(frozen=True, slots=True, kw_only=True)
class AddKey:
    key: ConversationKey
    text: str
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyNamed:
    """What is kept for a repetition: its id and when it was made, no text."""

    key_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyKept:
    """The key; None where it was deleted since the first answer."""

    key: KeyMemory | None
    key_id: str
    revision: int
    replayed: bool


async def add_key(ports: TurnPorts, command: AddKey) -> KeyKept:
    """Raises MemoryOff, LimitReached, RequestIdReused."""
    now, key_id = ports.clock.now(), ports.ids.new("k")

    def stage(conversation: Conversation, revision: int) -> Draft[KeyNamed]:
        require_on(conversation)
        made = KeyMemory(
            key_id=key_id,
            type=KeyType.USER,
            text=command.text,
            create_time=now,
            update_time=now,
            revision=revision,
        )
        require_room(conversation, made)
        return Draft(result=KeyNamed(key_id=key_id), steps=(KeyPut(key=made),), touches=frozenset({"keys"}))

    done = await written(ports, command.key, Collection(""), stage, command.request, KeyNamed)
    return await kept(ports, command.key, done)


async def kept(ports: HasConversations, key: ConversationKey, done: CommitResult[KeyNamed]) -> KeyKept:
    """Returns the answer, with the key as the call left it; as it stands, where the feed does not tell any more."""
    key_id = done.result.key_id
    put = [
        step.key for step in await stored_steps(ports.conversations, key, done) if isinstance(step, KeyPut)
    ]
    found = next((each for each in put if each.key_id == key_id), None)
    if found is None:
        async with ports.conversations.reading(key, done.revision) as conversation:
            found = conversation.keys.get(key_id)
    return KeyKept(key=found, key_id=key_id, revision=done.revision, replayed=done.replayed)
