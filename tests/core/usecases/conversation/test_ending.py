"""The end of a conversation: durable first, then carried out, and what it leaves in long-term memory."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from core.agents.memory_roles import Candidate, Passage
from core.agents.offline.remembering import offline_memory_agents
from core.errors import AgentUnavailable
from core.ids import Collection
from core.model.conversation import ConversationSettings, ConversationState
from core.model.record import Record, RecordKind
from core.usecases.conversation.learning import finish_conversation
from core.usecases.conversation.verbs.create_conversation import CreateConversation, create_conversation
from core.usecases.conversation.verbs.delete_turns import DeleteTurns, delete_turns
from core.usecases.conversation.verbs.end_conversation import (
    ConversationEnded,
    EndConversation,
    end_conversation,
)
from core.usecases.conversation.verbs.end_invocation import end_invocation
from core.usecases.house import House
from service.adapters.store.memory_store import MemoryStore
from tests.core.usecases.conversation.test_extraction import MEMORY, TALK, done_by_itself, facts
from tests.core.usecases.conversation.test_invocations import the_end
from tests.core.usecases.conversation.test_learning import call, run
from tests.support.house import CountingIds, open_house, request
from tests.support.reading import local_reader
from tests.support.talking import KEY, said, say


async def made(house: House, goal: str = "", **settings: bool) -> None:
    command = CreateConversation(
        tenant=KEY.tenant,
        user=KEY.user,
        conversation_id=KEY.conversation_id,
        collection=Collection(""),
        goal=goal,
        labels={},
        settings=ConversationSettings(record_episodes=settings.get("record_episodes")),
        enabled=True,
        ttl=None,
    )
    await create_conversation(house, command)


async def end(house: House, *, wait: bool = True, name: str = "") -> ConversationEnded:
    asked = request(name, verb="EndConversation") if name else None
    return await end_conversation(house, EndConversation(key=KEY, wait=wait, request=asked))


async def episodes(house: House) -> list[Record]:
    async with house.collections.reading(MEMORY) as collection:
        return [r for r in collection.records.values() if r.kind is RecordKind.EPISODE]


async def test_a_call_that_waits_is_told_what_the_end_taught_and_again_if_it_is_repeated() -> None:
    async with open_house(unasked=False) as house:
        await made(house, goal="Plan the trip to Lyon.")
        await say(house, *TALK[:3], said("I live in Lyon with Anna, my mail is ada@example.org."))
        first = await end(house, name="r1")
        again = await end(house, name="r1")
        (whole,) = await episodes(house)
        learned = [fact.record_id for fact in await facts(house)]

    assert first.record.state is ConversationState.ENDED
    assert list(first.record.taught.fact_ids) == learned
    assert first.record.taught.withheld == 1
    assert first.record.taught.episode_id == whole.record_id
    assert first.usage.roles.keys() == {"summariser", "extractor"}
    assert (again.replayed, again.record.taught) == (True, first.record.taught)
    assert whole.episode is not None
    assert whole.episode.goal == "Plan the trip to Lyon."
    assert whole.episode.outcome
    assert whole.steps == (1, 2, 3, 4)


async def test_runs_of_several_calls_make_a_conversation_an_episode_and_talk_alone_does_not() -> None:
    async with open_house(unasked=False) as house:
        await say(house, *TALK[:3])
        first = await end(house)
        await run(house, call("{}", "search"), call("{}"))
        await end_invocation(house, the_end())
        second = await end(house)
        whole = next(each for each in await episodes(house) if not each.invocation_id)

    assert first.record.taught.episode_id == ""
    assert second.record.taught.episode_id == whole.record_id
    assert whole.episode is not None
    assert whole.episode.steps == ("When does the ferry leave?",)


async def test_runs_that_lie_before_what_an_episode_is_of_make_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finish_conversation, "NEWEST", 1)
    async with open_house(unasked=False) as house:
        await run(house, call("{}", "search"), call("{}"))
        await end_invocation(house, the_end())
        await say(house, said("Thanks, that is all."))

        done = await end(house)

    assert done.record.state is ConversationState.ENDED
    assert done.record.taught.episode_id == ""


async def test_a_later_end_puts_another_episode_in_its_place() -> None:
    async with open_house(unasked=False) as house:
        await made(house, goal="Plan the trip.")
        await say(house, *TALK[:3])
        first = await end(house)
        await say(house, said("My brother Tom lives in Rome."))
        second = await end(house)
        (whole,) = await episodes(house)

    assert first.record.taught.episode_id == second.record.taught.episode_id == whole.record_id
    assert whole.steps == (1, 2, 3, 4)
    assert len(second.record.taught.fact_ids) == 1


async def test_the_episode_goes_with_any_of_its_turns() -> None:
    async with open_house(unasked=False) as house:
        await made(house, goal="Plan the trip.")
        await say(house, *TALK[:3])
        await end(house)
        await delete_turns(house, DeleteTurns(key=KEY, steps=(2,)))
        async with house.conversations.reading(KEY) as conversation:
            anew = conversation.record.anew

        assert await episodes(house) == []
        assert len(await facts(house)) == 2
    assert anew == ()


@pytest.mark.parametrize("said_", ["What a lovely day.", "今天天气真好。"])
async def test_a_talk_in_which_nothing_was_done_is_no_episode(said_: str) -> None:
    async with open_house(unasked=False) as house:
        await made(house, goal="Plan the trip.")
        await say(house, said(said_, ""))
        ended = await end(house)

    assert ended.record.taught.episode_id == ""


async def test_episodes_may_be_switched_off() -> None:
    async with open_house(unasked=False) as house:
        await made(house, goal="Plan the trip.", record_episodes=False)
        await say(house, *TALK[:3])
        ended = await end(house)

        assert ended.record.taught.episode_id == ""
        assert await episodes(house) == []


async def test_while_a_model_is_away_the_end_stands_and_another_process_carries_it_out() -> None:
    class Away:
        async def extract(self, passages: Sequence[Passage], known: Sequence[str]) -> Sequence[Candidate]:
            raise AgentUnavailable("extractor", "away")

    store, ids = MemoryStore(), CountingIds()
    agents = replace(offline_memory_agents(local_reader()), extractor=Away())
    async with open_house(store=store, ids=ids, memory_agents=agents, unasked=False) as house:
        await say(house, *TALK[:3])
        with pytest.raises(AgentUnavailable):
            await end(house)
        async with house.conversations.reading(KEY) as conversation:
            assert conversation.record.state is ConversationState.ENDING
    async with open_house(store=store, ids=ids) as house:
        for chore in ("extract", "finish"):
            await done_by_itself(house, chore)
        async with house.conversations.reading(KEY) as conversation:
            assert conversation.record.state is ConversationState.ENDED

        assert len(await facts(house)) == 2


async def test_a_call_that_does_not_wait_is_answered_at_once() -> None:
    async with open_house(unasked=False) as house:
        await say(house, *TALK[:3])
        ended = await end(house, wait=False)

    assert ended.record.state is ConversationState.ENDING
    assert not ended.usage.roles
