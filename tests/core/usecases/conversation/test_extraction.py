"""Facts come out of a conversation by themselves: each turn once, and only from what the user said."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from core.agents.memory_roles import Candidate, Passage
from core.agents.offline.remembering import offline_memory_agents
from core.errors import AgentUnavailable, CollectionNotFound, MemoryOff
from core.ids import Collection, ConversationId
from core.keys import CollectionKey, UserKey
from core.model.conversation import ConversationSettings
from core.model.record import Origin, Record, RecordKind, RecordState
from core.usecases.conversation.learning.extract_facts import extract_facts
from core.usecases.conversation.tiers.embed_turns import embed_turns
from core.usecases.conversation.verbs.add_turns import AddTurns, add_turns
from core.usecases.conversation.verbs.create_conversation import CreateConversation, create_conversation
from core.usecases.conversation.verbs.delete_turns import DeleteTurns, delete_turns
from core.usecases.conversation.verbs.end_conversation import EndConversation, end_conversation
from core.usecases.house import House
from core.usecases.limits import Limits
from core.usecases.long_term.judging.judge_facts import judge_facts
from core.usecases.long_term.verbs.delete_records import DeleteRecords, delete_records
from core.usecases.user.update_user import UpdateUser, update_user
from service.adapters.store.memory_store import MemoryStore
from tests.support.house import CountingIds, open_house
from tests.support.reading import candidates, local_reader
from tests.support.talking import KEY, said, say

MEMORY = CollectionKey(tenant=KEY.tenant, user=KEY.user, collection=Collection(""))
ADA = UserKey(tenant=KEY.tenant, user=KEY.user)
TALK = (
    said("My sister Anna lives in Lyon.", "You live in Rome, I believe."),
    said("Can you book a table?", "Done, at eight."),
    said("我对花生过敏。", "好的，记住了。"),
    *(said(f"Okay, go on {n}.", "Fine.") for n in range(7)),
)


async def extracted(house: House) -> None:
    await extract_facts(house, KEY, house.workshop.ledger(KEY))


async def done_by_itself(house: House, chore: str) -> None:
    async with house.conversations.reading(KEY) as conversation:
        house.chores.look(conversation)
    await house.chores.finished(KEY, chore)


async def facts(house: House) -> list[Record]:
    async with house.collections.reading(MEMORY) as collection:
        return [record for record in collection.records.values() if record.kind is RecordKind.FACT]


async def test_ten_turns_teach_what_the_user_said_in_them_and_nothing_the_agent_said() -> None:
    async with open_house(unasked=False) as house:
        await say(house, *TALK)
        await extracted(house)
        found = await facts(house)
        async with house.conversations.reading(KEY) as conversation:
            record = conversation.record

    assert [fact.content for fact in found] == ["My sister Anna lives in Lyon.", "我对花生过敏。"]
    assert [fact.steps for fact in found] == [(1,), (3,)]
    assert {fact.origin for fact in found} == {Origin.STATED}
    assert {fact.conversation_id for fact in found} == {KEY.conversation_id}
    assert {fact.confidence for fact in found} == {0.6}
    assert (record.extracted_to, record.extraction) == (10, None)


async def test_it_is_done_by_itself_and_judged_as_a_stored_fact_is() -> None:
    async with open_house() as house:
        await say(house, *TALK)
        await done_by_itself(house, "extract")
        await judge_facts(house, MEMORY)
        found = await facts(house)

    assert len(found) == 2
    assert all(fact.judged for fact in found)


async def test_fewer_turns_wait_until_the_conversation_ends() -> None:
    async with open_house(unasked=False) as house:
        await say(house, *TALK[:3])
        await extracted(house)
        async with house.conversations.reading(KEY) as conversation:
            assert conversation.record.extracted_to == 0
        await end_conversation(house, EndConversation(key=KEY))
        await extracted(house)

        assert len(await facts(house)) == 2


async def test_each_turn_is_looked_through_once() -> None:
    seen: list[int] = []

    class Watching:
        async def extract(self, passages: Sequence[Passage], known: Sequence[str]) -> Sequence[Candidate]:
            seen.extend(dict.fromkeys(passage.step for passage in passages if not passage.is_known))
            return await candidates(passages)

    agents = replace(offline_memory_agents(local_reader()), extractor=Watching())
    async with open_house(memory_agents=agents, unasked=False) as house:
        for turn in (*TALK, *TALK, *TALK[:4]):
            await say(house, turn)
            await extracted(house)
        await end_conversation(house, EndConversation(key=KEY))
        await extracted(house)
        await extracted(house)

    assert seen == list(range(1, 25))


async def test_the_same_said_twice_is_one_fact_with_both_its_sources() -> None:
    async with open_house(unasked=False) as house:
        await say(house, *TALK)
        await say(house, *TALK)
        await extracted(house)
        first, _ = await facts(house)

    assert first.steps == (1,)
    assert [source.steps for source in first.also_from] == [(11,)]
    assert first.confidence > 0.6


@pytest.mark.parametrize(
    ("before", "said_"),
    [("My cousin Nora comes on Sunday.", "She is allergic to nuts."), ("我表妹周日来。", "她在杭州当护士。")],
)
async def test_what_refers_to_the_turn_before_stands_beside_it_and_goes_with_it(
    before: str, said_: str
) -> None:
    async with open_house(unasked=False) as house:
        await say(house, *(said("ok", "") for _ in range(9)))
        await say(house, said(before, "Noted."))  # the tenth: those that follow are looked through later
        await extracted(house)
        await say(house, said(said_, ""))
        await end_conversation(house, EndConversation(key=KEY))
        await extracted(house)
        (first,) = [one for one in await facts(house) if one.content == said_]
        await delete_turns(house, DeleteTurns(key=KEY, first_step=10, last_step=10))
        await extracted(house)
        left = await facts(house)

    assert (first.context, first.steps) == (before, (10, 11))
    assert [(one.content, one.context, one.steps) for one in left] == [(said_, "", (11,))]


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("I want to learn Spanish properly.", "I want to learn Danish properly."),
        ("我想好好学西班牙语。", "我想好好学丹麦语。"),
    ],
)
async def test_what_is_doubtful_is_a_fact_once_two_conversations_say_it(text: str, other: str) -> None:
    talks = [replace(KEY, conversation_id=ConversationId(name)) for name in ("c1", "c2", "c3", "c4")]
    async with open_house(unasked=False) as house:
        found = []
        for key, words in zip(talks, (text, text, other, text), strict=True):
            collection = Collection("apart") if key is talks[0] else Collection("")
            turns = (said(words, "Fine."), said(words, "Fine."))
            await add_turns(house, AddTurns(key=key, collection=collection, turns=turns, request=None))
            await embed_turns(house, key, house.workshop.ledger(key))
            await end_conversation(house, EndConversation(key=key))
            await extract_facts(house, key, house.workshop.ledger(key))
            found.append([one.content for one in await facts_if_any(house)])

    assert found == [[], [], [], [text]]


async def facts_if_any(house: House) -> list[Record]:
    try:
        return await facts(house)
    except CollectionNotFound:
        return []


async def test_what_is_sensitive_is_withheld() -> None:
    async with open_house(unasked=False) as house:
        await say(house, said("My sister Anna lives in Lyon, her mail is anna@example.org."))
        await say(house, said("My brother Tom lives in Rome."))
        await end_conversation(house, EndConversation(key=KEY))
        await extracted(house)
        found = await facts(house)

    assert [fact.content for fact in found] == ["My brother Tom lives in Rome."]


async def test_what_was_deleted_does_not_come_back_out_of_older_turns_and_said_again_it_does() -> None:
    async with open_house(unasked=False) as house:
        await say(house, *TALK)
        await extracted(house)
        (anna, _) = await facts(house)
        old = said("My sister Anna lives in Lyon.", at=anna.event_time)
        await delete_records(house, DeleteRecords(key=MEMORY, record_ids=(anna.record_id,)))
        await say(house, *[old] * 10)
        await extracted(house)
        assert len(await facts(house)) == 1
        await say(house, *TALK)
        await extracted(house)

        assert len(await facts(house)) == 2


@pytest.mark.parametrize("wanted", [False, True])
async def test_a_conversation_may_want_no_facts_and_what_was_said_then_is_passed_over(wanted: bool) -> None:
    async with open_house(unasked=False) as house:
        await create_conversation(
            house,
            CreateConversation(
                tenant=KEY.tenant,
                user=KEY.user,
                conversation_id=KEY.conversation_id,
                collection=Collection(""),
                goal="",
                labels={},
                settings=ConversationSettings(extract_facts=wanted),
                enabled=True,
                ttl=None,
            ),
        )
        await say(house, *TALK)
        await extracted(house)
        async with house.conversations.reading(KEY) as conversation:
            assert conversation.record.extracted_to == 10
        async with house.conversations.reading(KEY):
            pass

        assert (await house.store.count(MEMORY.tenant, MEMORY.kind, MEMORY.user)) == int(wanted)


async def test_while_memory_is_off_nothing_is_found_and_nothing_is_lost() -> None:
    async with open_house(unasked=False) as house:
        await say(house, *TALK)
        await update_user(house, UpdateUser(key=ADA, fields={"enabled"}, enabled=False))
        with pytest.raises(MemoryOff):
            await extracted(house)
        await update_user(house, UpdateUser(key=ADA, fields={"enabled"}, enabled=True))
        await extracted(house)

        assert len(await facts(house)) == 2


async def test_an_extractor_that_cannot_be_had_leaves_the_turns_due() -> None:
    class Away:
        async def extract(self, passages: Sequence[Passage], known: Sequence[str]) -> Sequence[Candidate]:
            raise AgentUnavailable("extractor", "away")

    store, ids = MemoryStore(), CountingIds()
    agents = replace(offline_memory_agents(local_reader()), extractor=Away())
    async with open_house(store=store, ids=ids, memory_agents=agents, unasked=False) as house:
        await say(house, *TALK)
        with pytest.raises(AgentUnavailable):
            await extracted(house)
    async with open_house(store=store, ids=ids, unasked=False) as house:
        await say(house, *TALK[3:5])
        await extracted(house)

        assert [fact.steps for fact in await facts(house)] == [(1,), (3,)]


async def test_in_a_full_collection_what_no_user_said_gives_way_and_else_nothing_more_is_kept() -> None:
    async with open_house(unasked=False, limits=Limits(records_per_collection=2)) as house:
        await say(house, *TALK)
        await say(house, said("My brother Tom lives in Rome."), *TALK[3:], *TALK[3:5])
        await extracted(house)

        assert [fact.steps for fact in await facts(house)] == [(1,), (3,)]
        assert {fact.state for fact in await facts(house)} == {RecordState.ACTIVE}


async def test_a_conversation_left_alone_is_ended_and_looked_through() -> None:
    async with open_house() as house:
        await say(house, *TALK[:3])
        house.clock.skip(timedelta(hours=1))  # type: ignore[attr-defined]
        await done_by_itself(house, "end")
        await done_by_itself(house, "extract")

        assert len(await facts(house)) == 2
