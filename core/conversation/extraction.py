"""Which turns facts are looked for in next: each turn once.

Law: pure. What is looked through is fixed in the record, under a number of its own, before work begins
(`ExtractionOwed`): so a crash neither widens it nor does it twice. Turns of invocations are looked through at the end
of theirs. Where facts are not wanted the mark goes on all the same: what was said then is not looked through later.
"""

from bisect import bisect_right
from dataclasses import replace

from core.conversation.conversation import Conversation
from core.ids import RecordId
from core.model.conversation import ConversationRecord, ConversationState, ExtractionOwed

TOLD = 1_000  # facts of an end that are named
MOST = 15  # turns at a time: input and reply of each are what an Extractor gets at most


def next_extraction(conversation: Conversation) -> ExtractionOwed | None:
    """Returns what has been fixed, else the turns that lost what they taught with others, else the next stretch; what
    is left once the conversation is not active any more."""
    record = conversation.record
    if record.extraction is not None:
        return record.extraction
    if record.anew:
        return ExtractionOwed(attempt=record.attempts + 1, steps=record.anew[:MOST])
    every = min(conversation.tiers.summary_every, MOST)
    first = bisect_right(conversation.steps, record.extracted_to)
    stretch = conversation.steps[first : first + every]
    full = len(stretch) == every
    if not stretch or not (full or record.state is not ConversationState.ACTIVE):
        return None
    return ExtractionOwed(attempt=record.attempts + 1, steps=tuple(stretch))


def fixed(record: ConversationRecord, owed: ExtractionOwed) -> ConversationRecord:
    return replace(record, extraction=owed, attempts=owed.attempt)


def done(
    record: ConversationRecord, owed: ExtractionOwed, fact_ids: tuple[RecordId, ...] = (), withheld: int = 0
) -> ConversationRecord:
    """Returns the record after the turns have been looked through; at its end with what that taught."""
    taught = record.taught
    if record.state is ConversationState.ENDING:
        ids = tuple(dict.fromkeys((*taught.fact_ids, *fact_ids)))[:TOLD]
        taught = replace(taught, fact_ids=ids, withheld=taught.withheld + withheld)
    return replace(
        record,
        taught=taught,
        extraction=None,
        extracted_to=max(record.extracted_to, *owed.steps),
        anew=tuple(step for step in record.anew if step not in owed.steps),
    )
