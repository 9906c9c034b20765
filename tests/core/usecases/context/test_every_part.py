"""One prompt out of all memories: their order, what is left out, what is not there, and that none waits for another."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from core.agents.offline.agents import offline_agents
from core.context.sections import Loss
from core.errors import BudgetTooSmall, EmbedderUnavailable, MemoryOff, PartTimedOut
from core.ids import BankId, Collection, InvocationId
from core.keys import BankKey, CollectionKey, InvocationKey, Key, UserKey
from core.model.instructions import Level, Owner, SourceRef
from core.model.invocation import ItemType
from core.model.record import PREFERENCE, STRATEGY, Episode, RecordKind, RecordState
from core.text.tokens import estimate
from core.usecases.bank.record import Context
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.context.asked import AssembleContext, Form, Part
from core.usecases.context.assemble_context import assemble_context
from core.usecases.conversation.verbs.add_key import AddKey, add_key
from core.usecases.conversation.verbs.add_working_items import AddWorkingItems, NewItem, add_working_items
from core.usecases.conversation.verbs.end_invocation import EndInvocation, end_invocation
from core.usecases.conversation.verbs.start_invocation import StartInvocation, start_invocation
from core.usecases.house import House
from core.usecases.instructions.load_sources import LoadSources
from core.usecases.instructions.put_source import PutSource, put_source
from core.usecases.long_term.verbs.generate_reflection import GenerateReflection, generate_reflection
from core.usecases.user.update_user import UpdateUser, update_user
from tests.support.embedders import local_comparer
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.house import make_bank, open_house
from tests.support.long_term import tell
from tests.support.talking import KEY, said, say, talked, tend

BANK = BankKey(tenant=KEY.tenant, bank_id=BankId("trip"))
FACTS = CollectionKey(tenant=KEY.tenant, user=KEY.user, collection=Collection(""))
RUN = InvocationKey(tenant=KEY.tenant, user=KEY.user, invocation_id=InvocationId("i2"))
OWNER = Owner(level=Level.USER, name=KEY.user)
ALL = AssembleContext(
    input="When does the ferry to the island leave?",
    system="Be brief.",
    conversation=KEY,
    bank=BANK,
    instructions=LoadSources(tenant=KEY.tenant, refs=(SourceRef(owner=OWNER),)),
    collection=FACTS,
    invocation=RUN,
    tools=True,
)
ORDER = [
    "system",
    "tools",
    "instructions",
    "key",
    "insight",
    "recorded",
    "promoted",
    "preferences",
    "strategies",
    "facts",
    "episodes",
    "reflections",
    "long",
    "invocations",
    "memories",
    "neighbors",
    "mid",
    "recall",
    "short",
    "working",
    "input",
]


@asynccontextmanager
async def furnished() -> AsyncIterator[House]:
    """A house with something in every memory."""
    embedder = HashingEmbedder()
    async with open_house(embedder=embedder, agents=offline_agents(embedder, local_comparer())) as house:
        await put_source(
            house, PutSource(tenant=KEY.tenant, owner=OWNER, path="AGENTS.md", text="- Answer politely.")
        )
        await make_bank(house, BANK)
        await memorize(house, Memorize(key=BANK, context=Context(text="The island ferry leaves at nine.")))
        await _long_term(house)
        await _ended(house)
        await say(house, said("My sister's boat is called Marmalade.", "What a name!"))
        await talked(house, 60)
        await tend(house)
        await add_key(house, AddKey(key=KEY, text="The budget is 500 euros."))
        await _started(house)
        yield house


async def _long_term(house: House) -> None:
    await tell(house, "Prefers a seat by the window.", FACTS, category=PREFERENCE)
    await tell(house, "Lives on the island since 2020. Has a cat there.", FACTS)
    strategies = [
        await tell(
            house,
            "Ask the harbour office for the ferry's timetable.",
            FACTS,
            kind=RecordKind.MEMORY,
            category=STRATEGY,
        ),
        await tell(
            house,
            "Book the ferry a day before.",
            FACTS,
            kind=RecordKind.MEMORY,
            category=STRATEGY,
            reward=0.9,
        ),
    ]
    told = Episode(goal="reach the island", steps=("find a ferry",), outcome="arrived", lessons="book early")
    await tell(house, "Reach the island by ferry", FACTS, kind=RecordKind.EPISODE, episode=told)
    await generate_reflection(
        house,
        GenerateReflection(
            key=FACTS,
            title="Ferries",
            category=STRATEGY,
            record_ids=tuple(kept.kept.record_ids[0] for kept in strategies),
        ),
    )


async def _ended(house: House) -> None:
    """An invocation that is over, long before the latest turns."""
    key = replace(RUN, invocation_id=InvocationId("i1"))
    await _start(house, key, "Which ferry is the cheapest?")
    end = EndInvocation(key=key, result="The one at nine.", succeeded=True, skip_turn=True, wait=True)
    await end_invocation(house, end)


async def _started(house: House) -> None:
    await _start(house, RUN, ALL.input)
    items = (
        NewItem(type=ItemType.THOUGHT, content="The timetable tells."),
        NewItem(
            type=ItemType.ACTION, content="looked it up", tool="timetable", arguments_json='{"to":"island"}'
        ),
    )
    await add_working_items(house, AddWorkingItems(key=RUN, items=items))


async def _start(house: House, key: InvocationKey, query: str) -> None:
    await start_invocation(
        house,
        StartInvocation(
            tenant=KEY.tenant,
            user=KEY.user,
            collection=FACTS.collection,
            conversation_id=KEY.conversation_id,
            invocation_id=key.invocation_id,
            query=query,
            enable_memory=True,
        ),
    )


async def test_every_memory_has_its_section_in_the_order_of_the_contract() -> None:
    async with furnished() as house:
        made = await assemble_context(house, ALL)

    names = [section.name for section in made.sections]
    assert names == [name for name in ORDER if name in names]
    assert {"promoted", "neighbors", "mid", "recall"} >= set(ORDER) - set(names)
    for words in (
        "Prefers a seat by the window.",
        "Lives on the island since 2020. Has a cat there.",
        "Book the ferry a day before.",
        "Lessons: book early",
        "Ferries",
        "Which ferry is the cheapest?",
        "The island ferry leaves at nine.",
        'ACTION timetable {"to":"island"}',
    ):
        assert words in made.prompt
    assert made.missing == ()
    assert made.tokens == estimate(made.prompt)


async def test_all_revisions_that_were_read_are_told_and_each_can_be_asked_for_again() -> None:
    async with furnished() as house:
        made = await assemble_context(house, ALL)
        again = await assemble_context(house, replace(ALL, min_revisions=made.revisions))

    kinds = {name.partition("/")[0] for name in made.revisions}
    assert kinds == {"instructions", "collection", "conversation", "bank", "invocation"}
    assert all(again.revisions[name] >= revision for name, revision in made.revisions.items())


async def test_tools_of_bank_and_long_term_memory_are_declared_where_they_are_wanted() -> None:
    async with furnished() as house:
        with_tools = await assemble_context(house, ALL)
        without = await assemble_context(house, replace(ALL, tools=False))

    names = ("deep_retrieval", "RetrieveFacts", "RecallEpisodes", "StoreFact")
    assert all(any(f'"{name}"' in tool for tool in with_tools.tools) for name in names)
    assert without.tools == ()
    assert "deep_retrieval" in with_tools.prompt
    assert "deep_retrieval" not in without.prompt


@pytest.mark.parametrize("form", list(Form))
async def test_in_every_budget_what_holds_always_is_whole_and_what_stands_is_told_apart_from_what_does_not(
    form: Form,
) -> None:
    async with furnished() as house:
        whole = await assemble_context(house, replace(ALL, form=form))
        with pytest.raises(BudgetTooSmall) as refused:
            await assemble_context(house, replace(ALL, form=form, token_budget=1))
        for budget in range(refused.value.needed, whole.tokens, 211):
            made = await assemble_context(house, replace(ALL, form=form, token_budget=budget))
            said_ = made.prompt or "\n".join(message.text for message in made.messages)
            assert made.tokens <= budget
            assert all(
                words in said_
                for words in ("Be brief.", "Answer politely.", "The budget is 500 euros.", ALL.input)
            )
            standing = {s.name: {item.item_id for item in s.items} for s in made.sections}
            lost = {(one.section, one.item_id) for one in made.left_out if one.loss is Loss.DROPPED}
            assert not any(item_id in standing.get(section, ()) for section, item_id in lost)
            assert budget == refused.value.needed or "61" in standing["short"]


async def test_a_contested_fact_says_so_and_a_superseded_one_is_not_there() -> None:
    async with open_house() as house:
        await tell(house, "The ferry leaves at nine.", FACTS, state=RecordState.CONTESTED)
        await tell(house, "The ferry leaves at ten.", FACTS, state=RecordState.SUPERSEDED)
        made = await assemble_context(
            house, AssembleContext(input="When does the ferry leave?", collection=FACTS)
        )

    assert "CONTESTED The ferry leaves at nine." in made.prompt
    assert "at ten" not in made.prompt


async def test_records_found_count_a_use_each() -> None:
    async with open_house() as house:
        kept = await tell(house, "The ferry leaves at nine.", FACTS)
        made = await assemble_context(
            house, AssembleContext(input="When does the ferry leave?", collection=FACTS)
        )
        await house.uses.flush(house.collections)
        async with house.collections.reading(FACTS) as collection:
            uses = collection.uses[kept.kept.record_ids[0]].count

    assert made.record_ids == kept.kept.record_ids
    assert uses == 1


async def test_memory_of_a_user_that_is_off_is_empty_and_told() -> None:
    async with furnished() as house:
        owner = UserKey(tenant=KEY.tenant, user=KEY.user)
        await update_user(house, UpdateUser(key=owner, fields={"enabled"}, enabled=False))
        made = await assemble_context(house, ALL)

    off = {each.part for each in made.missing if isinstance(each.error, MemoryOff)}
    assert {Part.CONVERSATION, Part.LONG_TERM, Part.WORKING} <= off
    assert "Marmalade" not in made.prompt
    assert "window" not in made.prompt


async def test_titles_speak_the_language_of_the_input() -> None:
    async with open_house() as house:
        await tell(house, "住在岛上。", FACTS)
        await tell(house, "喜欢靠窗的座位。", FACTS, category=PREFERENCE)
        made = await assemble_context(house, AssembleContext(input="喜欢坐哪里的座位？", collection=FACTS))

    assert "## 用户偏好" in made.prompt


async def test_what_was_disliked_or_does_not_bear_on_the_input_fills_no_room() -> None:
    async with open_house() as house:
        await tell(house, "Likes a seat by the window.", FACTS, category=PREFERENCE, reward=-0.5)
        await tell(house, "Likes a seat on deck.", FACTS, category=PREFERENCE, needs_revision=True)
        await tell(house, "Hates coffee.", FACTS, category=PREFERENCE)
        made = await assemble_context(house, AssembleContext(input="Which seat on deck?", collection=FACTS))

    shown = [line for line in made.prompt.splitlines() if line.startswith("- ")]
    assert [line.partition("2024 ")[2] for line in shown] == [
        "IN DOUBT Likes a seat on deck.",
        "DISLIKED Likes a seat by the window.",
    ]


async def test_looking_counts_nothing_and_an_input_without_a_need_brings_no_evidence() -> None:
    async with furnished() as house:
        before = len(house.uses)
        await assemble_context(house, replace(ALL, observe=True))
        counted = len(house.uses) - before, house.hits.take()
        idle = await assemble_context(house, replace(ALL, input="Thanks a lot!"))
        busy = await assemble_context(house, ALL)

    evidence = {"memories", "neighbors", "mid", "recall", "facts", "strategies", "episodes"}
    assert counted == (0, {})
    assert not evidence & {section.name for section in idle.sections}
    assert evidence & {section.name for section in busy.sections}
    assert len(idle.prompt) < 3_000 + len(idle.tools[0]) + len("guidelines" * 200)


# ---- none waits for another ----


class Meeting:
    """Aggregates that are first read only when all of a party want to read."""

    def __init__(self, inner: Any, barrier: asyncio.Barrier) -> None:
        self._inner, self._barrier, self._has_met = inner, barrier, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def reading(self, key: Key, min_revision: int = 0) -> AbstractAsyncContextManager[Any]:
        @asynccontextmanager
        async def met() -> AsyncIterator[Any]:
            if not self._has_met:
                await self._barrier.wait()
                self._has_met = True
            async with self._inner.reading(key, min_revision) as aggregate:
                yield aggregate

        return met()


async def test_parts_are_read_at_once() -> None:
    async with furnished() as house:
        barrier = asyncio.Barrier(6)  # the collection is read for its records, and for turns that teach it
        waiting = replace(
            house,
            banks=Meeting(house.banks, barrier),
            instructions=Meeting(house.instructions, barrier),
            collections=Meeting(house.collections, barrier),
            conversations=Meeting(house.conversations, barrier),
            invocations=Meeting(house.invocations, barrier),
        )
        made = await asyncio.wait_for(assemble_context(waiting, ALL), 180)

    assert made.missing == ()


async def test_a_part_that_takes_too_long_is_missing_and_the_others_are_there() -> None:
    async with furnished() as house:
        never = replace(house, collections=Meeting(house.collections, asyncio.Barrier(9)))
        patient = replace(ALL, allow_partial=True, patience=timedelta(milliseconds=500))
        made = await assemble_context(never, patient)
        with pytest.raises(PartTimedOut):
            await assemble_context(never, replace(patient, allow_partial=False))

    assert [(each.part, type(each.error)) for each in made.missing] == [(Part.LONG_TERM, PartTimedOut)]
    assert "Ticket 59 costs twelve euros." in made.prompt
    assert "Be brief." in made.prompt


async def test_without_an_embedder_what_needs_none_is_there() -> None:
    async with furnished() as house:
        down = replace(house, embedder=Down())
        made = await assemble_context(down, replace(ALL, allow_partial=True))

    assert {each.part for each in made.missing} == {Part.LONG_TERM, Part.CONVERSATION, Part.BANK}
    assert {type(each.error) for each in made.missing} == {EmbedderUnavailable}
    assert [section.name for section in made.sections] == [
        "system",
        "instructions",
        "recorded",
        "working",
        "input",
    ]


class Down(HashingEmbedder):
    """An embedder that answers nobody."""

    async def embed_queries(self, texts: Any) -> Any:
        raise EmbedderUnavailable("down")
