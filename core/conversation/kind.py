"""The conversation as a kind of aggregate."""

from core.aggregate.kind import Kind
from core.conversation.conversation import Conversation
from core.conversation.due import due
from core.conversation.steps import PARTS, STEPS, ConversationPut, Step, text_length
from core.errors import ConversationExists, ConversationNotFound
from core.keys import ConversationKey

CONVERSATION: Kind[Conversation, Step] = Kind(
    name=ConversationKey.kind,
    key_of=ConversationKey.named,
    steps=STEPS,
    puts=ConversationPut,
    found=Conversation.found,
    load=Conversation.load,
    missing=lambda key: ConversationNotFound(key.user, key.conversation_id),
    taken=lambda key: ConversationExists(key.user, key.conversation_id),
    text_length=text_length,
    parts=PARTS,
    due=due,
)

Conversation.kind = CONVERSATION
