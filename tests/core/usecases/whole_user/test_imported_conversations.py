"""What an imported conversation owes is carried out, and holds up nothing that comes later."""

from collections.abc import AsyncIterator
from dataclasses import replace

from core.ids import Collection, ConversationId, RecordId
from core.keys import CollectionKey, ConversationKey
from core.model.conversation import (
    ConversationRecord,
    ConversationState,
    ForgettingOwed,
    StepRange,
    SummaryKind,
    SummaryOwed,
    Turn,
)
from core.usecases.conversation.learning.forget_turns import forget_turns
from core.usecases.conversation.verbs.delete_turns import DeleteTurns, delete_turns
from core.usecases.conversation.verbs.end_conversation import EndConversation, end_conversation
from core.usecases.conversation.verbs.list_turns import PlacedTurn
from core.usecases.whole_user.import_user import ImportUser, import_user
from core.usecases.whole_user.user_lines import Piece, Progress, Read, ReadLine
from tests.core.usecases.whole_user.test_import_user import ACME, ADA, THEN
from tests.support.house import open_house
from tests.support.long_term import OBSERVED, tell

TALK = ConversationKey(tenant=ACME, user=ADA.user, conversation_id=ConversationId("c0"))
MEMORY = CollectionKey(tenant=ACME, user=ADA.user, collection=Collection(""))
NOTHING_DONE = Progress(placed_to=0, summarised_to=0)


async def talk(progress: Progress) -> AsyncIterator[Piece]:
    """A conversation of one turn that was active."""
    path = "conversations/c0.jsonl"
    record = ConversationRecord(
        key=TALK,
        uid="",
        user=ADA.user,
        collection=Collection(""),
        create_time=THEN,
        update_time=THEN,
        last_turn_time=THEN,
    )
    turn = Turn(step=1, input="渡轮九点开。", reply="Noted.", event_time=THEN, create_time=THEN)
    values: tuple[Read, ...] = (record, progress, PlacedTurn(turn=turn))
    for line, value in enumerate(values, 1):
        yield ReadLine(path=path, line=line, value=value)


async def test_a_summary_that_is_owed_of_turns_that_did_not_come_is_passed_over() -> None:
    owed = SummaryOwed(
        summary_id="s7-9", kind=SummaryKind.LONG, ranges=(StepRange(first_step=7, last_step=9),)
    )
    async with open_house(unasked=False) as house:
        await import_user(house, ImportUser(key=ADA), talk(replace(NOTHING_DONE, owed=(owed,))))

        ended = await end_conversation(house, EndConversation(key=TALK, wait=True))

        async with house.conversations.reading(TALK) as conversation:
            assert list(conversation.summaries) == ["s1-1"]
    assert ended.record.state is ConversationState.ENDED


async def test_what_is_deleted_after_an_import_is_forgotten_though_the_import_had_owed_to_forget() -> None:
    owed = ForgettingOwed(number=1, steps=(7,))
    async with open_house(unasked=False) as house:
        await import_user(house, ImportUser(key=ADA), talk(replace(NOTHING_DONE, forgetting=(owed,))))
        source = {"conversation_id": TALK.conversation_id, "steps": (1,), "origin": OBSERVED}
        await tell(house, "The ferry leaves at nine.", key=MEMORY, record_id=RecordId("r1"), **source)
        await forget_turns(house, TALK)

        await delete_turns(house, DeleteTurns(key=TALK, steps=(1,)))

        async with house.collections.reading(MEMORY) as collection:
            assert not collection.records
