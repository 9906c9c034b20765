"""What deleted turns taught goes with them, and only that."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from core.agents.memory_roles import Candidate, Passage
from core.agents.offline.remembering import offline_memory_agents
from core.conversation.conversation import Conversation
from core.conversation.due import FORGET, due
from core.conversation.steps import ConversationPut, TurnDrop
from core.errors import ConversationNotFound, MemoryOff, StaleRevision
from core.ids import RecordId, RequestId
from core.long_term.collection import Collection
from core.long_term.standing import Contradiction, Rewriting
from core.model.record import Record, RecordState, SupersededReason
from core.model.retraction import RetractionState
from core.ports.aggregates import Draft, RequestKey
from core.usecases.conversation.learning.forget_turns import forget_turns, forgetting
from core.usecases.conversation.verbs.close_turns import CloseTurns, close_turns
from core.usecases.conversation.verbs.delete_conversation import (
    DeleteConversation,
    _close,
    delete_conversation,
)
from core.usecases.conversation.verbs.delete_turns import DeleteTurns, delete_turns
from core.usecases.conversation.verbs.end_conversation import EndConversation, end_conversation
from core.usecases.conversation.verbs.retract_turns import RetractTurns, retract_turns
from core.usecases.house import House
from core.usecases.long_term.judging.judge_facts import judge_facts
from core.usecases.retractions import RetractionNotice
from core.usecases.user.update_user import UpdateUser, update_user
from tests.core.usecases.conversation.test_extraction import ADA, MEMORY, TALK, extracted, facts
from tests.support.house import open_house
from tests.support.long_term import tell
from tests.support.reading import candidates, local_reader
from tests.support.scripted_agents import ScriptedAgents
from tests.support.talking import KEY, said, say

ANNA = "My sister Anna lives in Lyon."


async def taught(house: House, *texts: str) -> None:
    """A conversation of these inputs, all of which have been looked through."""
    for text in texts:
        await say(house, said(text))
    await end_conversation(house, EndConversation(key=KEY))
    await extracted(house)


async def delete(house: House, *steps: int, keep_records: bool = False) -> None:
    await delete_turns(house, DeleteTurns(key=KEY, steps=steps, keep_records=keep_records))


async def contents(house: House) -> list[str]:
    return [fact.content for fact in await facts(house)]


async def test_what_only_the_deleted_turns_taught_goes_and_leaves_a_tombstone() -> None:
    async with open_house(unasked=False) as house:
        await taught(house, "My sister Anna lives in Lyon.", "我对花生过敏。")
        before = await facts(house)
        await delete(house, 1)
        async with house.collections.reading(MEMORY) as collection:
            tombstones = set(collection.tombstones)
        async with house.conversations.reading(KEY) as conversation:
            owed = conversation.record.forgetting

        assert await contents(house) == ["我对花生过敏。"]
    assert tombstones == {before[0].record_id}
    assert owed == ()


async def test_what_other_turns_taught_too_stays_and_rests_on_these() -> None:
    async with open_house(unasked=False) as house:
        await taught(house, "My sister Anna lives in Lyon.", "Okay.", *["Okay, go on."] * 8)
        await taught(house, "My sister Anna lives in Lyon.")
        (first,) = await facts(house)
        await delete(house, 1)
        (after,) = await facts(house)
        await delete(house, 11)

        assert await facts(house) == []
    assert (first.steps, after.steps) == ((1,), (11,))
    assert after.also_from == ()
    assert after.content == ANNA


async def test_a_source_among_others_is_taken_away() -> None:
    async with open_house(unasked=False) as house:
        await taught(house, "My sister Anna lives in Lyon.", *["Okay, go on."] * 9)
        await taught(house, "My sister Anna lives in Lyon.")
        await delete(house, 11)
        (after,) = await facts(house)

    assert (after.steps, after.also_from) == ((1,), ())


async def test_records_may_be_kept() -> None:
    async with open_house(unasked=False) as house:
        await taught(house, "My sister Anna lives in Lyon.")
        await delete(house, 1, keep_records=True)

        assert await contents(house) == [ANNA]


async def test_a_fact_of_several_turns_goes_and_those_that_are_left_are_looked_through_again() -> None:
    asked: list[list[int]] = []

    class Joining:
        """One fact of all passages that tell something."""

        async def extract(self, passages: list[Passage], known: list[str]) -> list[Candidate]:
            asked.append([passage.step for passage in passages])
            found = await candidates(passages)
            numbers = tuple(number for one in found for number in one.passages)
            content = " ".join(one.content for one in found)
            return [replace(found[0], content=content, passages=numbers)] if found else []

    agents = replace(offline_memory_agents(local_reader()), extractor=Joining())  # type: ignore[arg-type]
    async with open_house(memory_agents=agents, unasked=False) as house:
        await taught(house, "My sister Anna lives in Lyon.", "My brother Tom lives in Rome.")
        assert len(await facts(house)) == 1
        await delete(house, 1)
        assert await facts(house) == []
        await extracted(house)

        assert await contents(house) == ["My brother Tom lives in Rome."]
    assert asked == [[1, 2], [2]]


@pytest.mark.parametrize("relation", ["conflict", "merge"])
async def test_what_a_fact_that_goes_stood_for_or_superseded_stands_again(relation: str) -> None:
    roles = ScriptedAgents()
    async with open_house(agents=roles.roles, unasked=False) as house:
        await taught(house, "My sister Anna lives in Lyon.")
        await taught(house, "My sister Anna lives in Lyons, in the 5th arrondissement.")
        old, new = await facts(house)
        await _put(house, old, new, relation)
        await delete(house, 2)
        (left,) = await facts(house)

    assert left.record_id == old.record_id
    assert (left.state, left.superseded_by, left.judged) == (RecordState.ACTIVE, RecordId(""), False)
    assert left.needs_revision is (relation == "conflict")  # the same in other words is in no doubt


async def _put(house: House, old: Record, new: Record, relation: str) -> None:
    """As a judgement leaves them."""

    def stage(collection: Collection, _revision: int) -> Draft[None]:
        rewriting = Rewriting(collection, house.settings.long_term)
        found = Contradiction(with_id=old.record_id, reason=SupersededReason.MODEL)
        conflicts = [found] if relation == "conflict" else []
        merges = [old.record_id] if relation == "merge" else []
        rewriting.judge(new.record_id, conflicts, merges)
        return Draft(result=None, steps=tuple(rewriting.steps))

    await house.collections.commit(MEMORY, stage)


async def test_it_is_forgotten_where_memory_is_off_too() -> None:
    async with open_house(unasked=False) as house:
        await taught(house, "My sister Anna lives in Lyon.")
        await update_user(house, UpdateUser(key=ADA, fields={"enabled"}, enabled=False))
        await delete(house, 1)

        assert await facts(house) == []


async def test_what_is_found_in_turns_that_are_deleted_meanwhile_is_not_kept() -> None:
    house_of: list[House] = []
    asked: list[list[int]] = []

    class Interrupted:
        async def extract(self, passages: list[Passage], known: list[str]) -> list[Candidate]:
            asked.append(sorted({passage.step for passage in passages}))
            if len(asked) == 1:
                await delete(house_of[0], 1)
            return list(await candidates(passages))

    agents = replace(offline_memory_agents(local_reader()), extractor=Interrupted())  # type: ignore[arg-type]
    async with open_house(memory_agents=agents, unasked=False) as house:
        house_of.append(house)
        await say(house, *TALK)
        await end_conversation(house, EndConversation(key=KEY))
        await extracted(house)

        assert await contents(house) == ["我对花生过敏。"]
    assert asked == [list(range(1, 11)), list(range(2, 11))]


async def test_a_conversation_goes_when_what_its_deleted_turns_taught_is_forgotten() -> None:
    async with open_house(unasked=False) as house:
        await taught(house, "My sister Anna lives in Lyon.", "我对花生过敏。")
        await _owe(house, 1)
        await delete_conversation(house, DeleteConversation(key=KEY))

        assert await contents(house) == ["我对花生过敏。"]
        with pytest.raises(ConversationNotFound):
            await forget_turns(house, KEY)


async def test_a_process_that_dies_before_it_forgets_leaves_it_to_others() -> None:
    async with open_house() as house:
        await taught(house, "My sister Anna lives in Lyon.")
        await _owe(house, 1)
        async with house.conversations.reading(KEY) as conversation:
            house.chores.look(conversation)
        await house.chores.finished(KEY, "forget")
        await judge_facts(house, MEMORY)

        assert await facts(house) == []


async def _owe(house: House, *steps: int) -> None:
    """The turns are gone, and what they taught is not."""

    def stage(conversation: Conversation, _revision: int) -> Draft[None]:
        record = forgetting(conversation.record, frozenset(steps))
        drops = tuple(TurnDrop(step=step) for step in steps)
        return Draft(result=None, steps=(ConversationPut(record=record), *drops))

    await house.conversations.commit(KEY, stage)


async def purge(house: House, **changed: object) -> None:
    command = DeleteConversation(key=KEY, forget_records=True)
    await delete_conversation(house, replace(command, **changed))  # type: ignore[arg-type]


async def test_what_a_conversation_taught_stays_after_it_unless_it_is_to_be_forgotten() -> None:
    async with open_house(unasked=False) as house:
        await taught(house, "My sister Anna lives in Lyon.", "我对花生过敏。")
        await delete_conversation(house, DeleteConversation(key=KEY))
        kept = await contents(house)
        await taught(house, "My brother Tom lives in Rome.")
        await purge(house)

        assert kept == [ANNA, "我对花生过敏。"]
        assert await contents(house) == []
        async with house.collections.reading(MEMORY) as collection:
            assert len(collection.tombstones) == 3


async def test_what_was_taught_elsewhere_too_stays_when_a_conversation_is_forgotten() -> None:
    async with open_house(unasked=False) as house:
        await taught(house, "My sister Anna lives in Lyon.")
        await tell(house, ANNA, key=MEMORY)
        await purge(house)
        (left,) = await facts(house)

    assert left.content == ANNA
    assert (left.conversation_id, left.steps) == ("", ())
    assert KEY.conversation_id not in [source.conversation_id for source in left.also_from]


async def test_a_stale_revision_forgets_nothing_and_a_conversation_that_is_gone_may_be_missing() -> None:
    async with open_house(unasked=False) as house:
        await taught(house, "My sister Anna lives in Lyon.")
        with pytest.raises(StaleRevision):
            await purge(house, if_revision=1)
        assert await contents(house) == [ANNA]
        await purge(house)
        with pytest.raises(ConversationNotFound):
            await purge(house)
        await purge(house, allow_missing=True)

        assert await contents(house) == []


async def test_a_forgetting_purge_that_was_cut_short_teaches_nothing_more_and_is_repeated() -> None:
    async with open_house(unasked=False) as house:
        await taught(house, "My sister Anna lives in Lyon.")
        await _close(house, DeleteConversation(key=KEY, forget_records=True))
        with pytest.raises(MemoryOff):
            await say(house, said("My brother Tom lives in Rome."))
        async with house.conversations.reading(KEY) as conversation:
            assert FORGET in due(conversation, house.clock.now())
        await forget_turns(house, KEY)
        assert await contents(house) == []
        await purge(house)

        with pytest.raises(ConversationNotFound):
            async with house.conversations.reading(KEY):
                pass


async def test_facts_found_while_a_conversation_is_forgotten_do_not_land() -> None:
    class Interrupted:
        async def extract(self, passages: Sequence[Passage], known: Sequence[str]) -> Sequence[Candidate]:
            await purge(houses[0])
            return await candidates(passages)

    houses: list[House] = []
    agents = replace(offline_memory_agents(local_reader()), extractor=Interrupted())
    async with open_house(memory_agents=agents, unasked=False) as house:
        houses.append(house)
        await say(house, said("My sister Anna lives in Lyon."))
        await end_conversation(house, EndConversation(key=KEY))
        with pytest.raises(ConversationNotFound):
            await extracted(house)

        assert await house.store.count(MEMORY.tenant, MEMORY.kind, MEMORY.user) == 0


async def test_what_is_taken_back_with_turns_is_followed_up_where_a_process_died_over_it() -> None:
    async with open_house(unasked=False) as house:
        await taught(house, "My sister Anna lives in Lyon.", "我对花生过敏。")
        before = await facts(house)

        for closes in (None, RetractionState.RELEASED):
            await owe(house, closes)
            async with house.conversations.reading(KEY) as conversation:
                assert FORGET in due(conversation, conversation.record.update_time)
            await forget_turns(house, KEY)
            await forget_turns(house, KEY)
            async with house.collections.reading(MEMORY) as collection:
                states = [each.state for each in collection.retractions.values()]
            left = await facts(house)
            assert states == [closes or RetractionState.QUARANTINED]
            kept = before[1:] if closes is None else before
            assert {fact.content for fact in left} == {fact.content for fact in kept}


async def owe(house: House, closes: RetractionState | None) -> None:
    """Stores what RetractTurns and ReleaseTurns of the first turn owe long-term memory, and no more."""

    def stage(conversation: Conversation, _revision: int) -> Draft[None]:
        record = replace(conversation.record, generation=conversation.record.generation + 1)
        owed = forgetting(record, frozenset({1}), retraction_id="x-1", closes=closes)
        return Draft(result=None, steps=(ConversationPut(record=owed),))

    await house.conversations.commit(KEY, stage)


async def test_what_becomes_of_turns_is_told_also_again_so_that_a_restored_store_repeats_it() -> None:
    told: list[RetractionNotice] = []
    async with open_house(unasked=False) as opened:
        house = replace(opened, retracted=told.append)
        await taught(house, "My sister Anna lives in Lyon.", "我对花生过敏。")
        taken = await retract_turns(house, RetractTurns(key=KEY, steps=(1,)))
        assert taken.result.retraction is not None
        closing = CloseTurns(
            key=KEY,
            retraction_id=taken.result.retraction.retraction_id,
            erases=True,
            request=RequestKey(request_id=RequestId("e1"), verb="EraseTurns", digest="e1"),
        )

        for _ in range(2):
            await close_turns(house, closing)

    notices = [notice for notice in told if notice.kind == KEY.kind]
    assert [(n.state, n.ids) for n in notices] == [
        (RetractionState.QUARANTINED, ("1",)),
        *[(RetractionState.ERASED, ("1",))]
        * 2,  # a process may have died between the first write and its line
    ]
