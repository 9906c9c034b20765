"""What background work a conversation's state asks for.

Law: pure; while memory is switched off all of it waits. The record's `due_time` is when any process may look: soon
after a change, then at the moment that ends a conversation left alone, then never.
"""

from collections.abc import Sequence
from datetime import datetime

from core.aggregate.kind import Chore
from core.conversation.conversation import Conversation
from core.conversation.extraction import next_extraction
from core.conversation.keys import to_distil, uncompared
from core.conversation.mid import coldest
from core.conversation.stretches import next_owed
from core.model.conversation import ConversationState
from core.model.expiry import expiry_after

EMBED = Chore(name="embed")
PLACE = Chore(name="place")
FOLD = Chore(name="fold")
PROMOTE = Chore(name="promote")
SUMMARISE = Chore(name="summarise")
EXTRACT = Chore(name="extract")
FORGET = Chore(name="forget")
END = Chore(name="end")
FINISH = Chore(name="finish")
SETTLE = Chore(name="settle")


def due(conversation: Conversation, now: datetime) -> Sequence[Chore]:
    """Returns the chores that have something to do. Quick: called after every change."""
    owes = [FORGET] if conversation.record.forgetting else []
    if not conversation.record.enabled:
        return owes  # what only deletes goes on
    unplaced = conversation.unplaced(1)
    asked = (
        (EMBED, bool(conversation.verbatim.wanting)),
        (PLACE, bool(unplaced) and conversation.is_embedded(unplaced[0])),
        (FOLD, coldest(conversation) is not None),
        (PROMOTE, to_distil(conversation) is not None or bool(uncompared(conversation))),
        (SUMMARISE, next_owed(conversation) is not None),
        (EXTRACT, next_extraction(conversation) is not None),
        (END, is_idle(conversation, now)),
        (FINISH, is_to_finish(conversation)),
    )
    found = owes + [chore for chore, is_due in asked if is_due]
    looked_at = conversation.record.due_time
    return found or ([SETTLE] if looked_at is not None and now >= looked_at else [])


def is_to_finish(conversation: Conversation) -> bool:
    """Whether of its end only the last part is left."""
    is_ending = conversation.record.state is ConversationState.ENDING
    return is_ending and next_owed(conversation) is None and next_extraction(conversation) is None


def next_look(conversation: Conversation) -> datetime | None:
    """Returns when there may be something to do though nothing changes; None: never."""
    record = conversation.record
    if record.state is not ConversationState.ACTIVE or record.last_turn_time is None or not record.enabled:
        return None
    return expiry_after(record.last_turn_time, conversation.tiers.idle_timeout)


def is_idle(conversation: Conversation, now: datetime) -> bool:
    """Whether an active conversation has had no turn for as long as ends it."""
    ends = next_look(conversation)
    return ends is not None and now >= ends
