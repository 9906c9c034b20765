"""The tiers in the background: embedding, placing, folding, promoting, summarising; and what deleting does to them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from core.agents.memory_roles import MemoryAgents, Passage, Purpose, Unit
from core.agents.offline.extracting import OfflineExtractor
from core.agents.offline.remembering import OfflineDistiller, OfflineSummariser
from core.aggregate.aggregate import Tuning
from core.conversation.conversation import Conversation
from core.conversation.due import FORGET, due
from core.conversation.steps import KeyDrop, MidPut
from core.errors import LimitReached, MemoryOff, StaleRevision
from core.keys import UserKey
from core.model.conversation import KeyType, SummaryKind, Tiers
from core.ports.aggregates import Draft
from core.usecases.conversation.tiers.chores import conversation_chores
from core.usecases.conversation.tiers.count_hits import count_hits
from core.usecases.conversation.verbs.add_key import AddKey, add_key
from core.usecases.conversation.verbs.delete_summaries import DeleteSummaries, delete_summaries
from core.usecases.conversation.verbs.delete_turns import DeleteTurns, delete_turns
from core.usecases.conversation.verbs.end_conversation import EndConversation, end_conversation
from core.usecases.conversation.verbs.list_keys import ListKeys, list_keys
from core.usecases.conversation.verbs.list_summaries import ListSummaries, list_summaries
from core.usecases.conversation.verbs.update_key import UpdateKey, update_key
from core.usecases.house import House
from core.usecases.user.update_user import UpdateUser, update_user
from service.holding.held import Holding
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.house import open_house
from tests.support.reading import local_reader
from tests.support.talking import KEY, said, say, talked, tend

EMBEDDER = HashingEmbedder()


def holding(**tiers: Any) -> Holding:
    chosen = replace(Tiers(short_turns=4, summary_every=5, hit_threshold=3), **tiers)
    return Holding(tuning=Tuning(space=EMBEDDER.space.name, dimension=EMBEDDER.space.dimension, tiers=chosen))


async def at_hand(house: House) -> Conversation:
    async with house.conversations.reading(KEY) as conversation:
        return conversation


def tier_of(conversation: Conversation, step: int) -> set[str]:
    found = {"mid"} if step in conversation.cluster_names() else set()
    if step in conversation.short_steps:
        found.add("short")
    if any(
        s.kind is SummaryKind.FOLDED and s.tells_of(frozenset({step}))
        for s in conversation.summaries.values()
    ):
        found.add("folded")
    return found


async def test_every_turn_is_in_one_tier_before_and_after_the_background_has_been_at_work() -> None:
    async with open_house(holding=holding()) as house:
        await talked(house, 30)
        conversation = await at_hand(house)
        before = [tier_of(conversation, step) for step in range(1, 31)]
        await tend(house)
        after = [tier_of(conversation, step) for step in range(1, 31)]

        assert before == [{"short"}] * 30
        assert after == [{"mid"}] * 26 + [{"short"}] * 4
        assert due(conversation, house.clock.now()) == []


@pytest.mark.slow
async def test_what_is_more_than_there_may_be_is_folded_the_coldest_first() -> None:
    async with open_house(holding=holding(max_clusters=1, similarity=0.7)) as house:
        await talked(house, 3)
        for number in range(230):
            await say(house, said(f"the weather is fine today {number}"))
        await tend(house)
        conversation = await at_hand(house)
        folded = [s for s in conversation.summaries.values() if s.kind is SummaryKind.FOLDED]

        assert {(s.first_step, s.last_step) for s in folded} >= {(2, 2), (3, 3)}
        assert all(tier_of(conversation, step) - {"short"} for step in (2, 3))


async def test_each_full_stretch_gets_a_summary_and_the_rest_at_the_end() -> None:
    async with open_house(holding=holding()) as house:
        await talked(house, 13)
        await tend(house)
        full = (await list_summaries(house, ListSummaries(key=KEY))).summaries
        await end_conversation(house, EndConversation(key=KEY))
        await tend(house)
        ended = (await list_summaries(house, ListSummaries(key=KEY))).summaries

    assert [(s.first_step, s.last_step) for s in full] == [(1, 5), (6, 10)]
    assert [(s.first_step, s.last_step) for s in ended] == [(1, 5), (6, 10), (11, 13)]


async def test_turns_without_a_word_are_summed_up_as_they_are_and_become_no_key() -> None:
    async with open_house(holding=holding()) as house:
        for _ in range(30):
            await say(house, said("?", "…"))
        await tend(house)
        conversation = await at_hand(house)
        cluster = conversation.clusters_in_order()[0]
        for _ in range(20):
            await count_hits(
                house, KEY, conversation.uid, {frozenset({cluster.cluster_id}): 1}, house.clock.now()
            )
        await tend(house)
        summaries = (await list_summaries(house, ListSummaries(key=KEY))).summaries

        assert {summary.text for summary in summaries} == {"? … ? … ? … ? … ? …"}
        assert conversation.clusters[cluster.cluster_id].promoted
        assert not conversation.keys


async def test_a_question_hits_all_clusters_of_the_matter_that_it_used() -> None:
    async with open_house(holding=holding(cluster_turns=4)) as house:
        for number in range(8):
            await say(house, said(f"the weather in Lyon is fine today {number}"))
        await talked(house, 8)
        await tend(house)
        conversation = await at_hand(house)
        full, rest = conversation.cluster_names()[1], conversation.cluster_names()[5]
        used = frozenset({full})

        await count_hits(house, KEY, conversation.uid, {used: 4}, house.clock.now())
        await count_hits(house, KEY, conversation.uid, {used | {rest}: 1}, house.clock.now())

        assert full != rest
        assert {name: hits.hits for name, hits in conversation.hits.items()} == {full: 5, rest: 5}
        assert len(conversation.clusters) > 2


async def test_a_cluster_recalled_often_becomes_a_key_once() -> None:
    async with open_house(holding=holding()) as house:
        await talked(house, 30)
        await tend(house)
        conversation = await at_hand(house)
        cluster = conversation.clusters_in_order()[0]
        for _ in range(3):
            await count_hits(
                house, KEY, conversation.uid, {frozenset({cluster.cluster_id}): 1}, house.clock.now()
            )
        await tend(house)
        assert not conversation.keys

        for _ in range(20):
            await count_hits(
                house, KEY, conversation.uid, {frozenset({cluster.cluster_id}): 1}, house.clock.now()
            )
            await tend(house)
        (key,) = conversation.keys.values()

        assert (key.type, key.cluster_id) == (KeyType.SYSTEM, cluster.cluster_id)
        assert set(key.from_steps) <= set(cluster.steps)
        assert conversation.clusters[cluster.cluster_id].promoted
        assert conversation.hits[cluster.cluster_id].hits == 23


@pytest.mark.parametrize(
    ("first", "later", "old", "new"),
    [
        (
            "The fitter of the ovens comes on 8 May.",
            "Correction: the fitter of the ovens comes on 22 May.",
            "8",
            "22",
        ),
        ("厨房的安装师傅5月8日来。", "更正一下，厨房的安装师傅改到5月22日来。", "8日", "22日"),
    ],
)
async def test_a_key_is_made_anew_when_a_turn_joins_its_cluster(
    first: str, later: str, old: str, new: str
) -> None:
    async with open_house(holding=holding(short_turns=1, similarity=0.5)) as house:
        for said_ in (first, "ok"):
            await say(house, said(said_, ""))
        await tend(house)
        conversation = await at_hand(house)
        (cluster,) = conversation.clusters_in_order()
        await count_hits(
            house, KEY, conversation.uid, {frozenset({cluster.cluster_id}): 9}, house.clock.now()
        )
        await tend(house)
        (before,) = conversation.keys.values()
        for said_ in (first, later, "ok"):
            await say(house, said(said_, ""))
        await tend(house)
        (after,) = conversation.keys.values()

    assert old in before.text
    assert new in after.text
    assert old not in after.text.replace(new, "")
    assert (after.key_id, after.create_time) == (before.key_id, before.create_time)
    assert after.revision > before.revision
    assert after.event_time is not None


@pytest.mark.parametrize(
    ("first", "beside", "later", "old", "new"),
    [
        (
            "The launch of the Heron app is on 3 June.",
            "We moved the checklist of the launch to a wiki.",
            "We moved the launch to 12 June.",
            "3 June",
            "12 June",
        ),
        (
            "苍鹭应用的发布会定在6月3日。",
            "发布会的清单由李娜负责。",
            "发布会推迟九天，定在6月12日。",
            "6月3日",
            "6月12日",
        ),
    ],
)
async def test_a_key_says_what_was_changed_elsewhere_and_goes_on_saying_it(
    first: str, beside: str, later: str, old: str, new: str
) -> None:
    async with open_house(holding=holding(short_turns=2, similarity=1.0)) as house:
        for said_ in (first, "ok", "ok"):
            await say(house, said(said_, ""))
        await tend(house)
        conversation = await at_hand(house)
        await count_hits(house, KEY, conversation.uid, {frozenset({"c1"}): 9}, house.clock.now())
        await tend(house)
        await say(house, said(beside, ""))
        await tend(house)
        (before,) = conversation.keys.values()

        await say(house, said(later, ""))
        await tend(house)
        (after,) = conversation.keys.values()
        for _ in range(4):
            await say(house, said("ok", ""))
            await tend(house)
        await promoted_anew(house, "c1")
        (last,) = conversation.keys.values()

    assert old in before.text
    assert before.from_steps == (1,)
    assert (old in after.text.replace(new, ""), new in after.text) == (False, True)
    assert after.from_steps == (5,)
    assert conversation.cluster_names()[5] != "c1"
    assert last.text == after.text


async def promoted_anew(house: House, cluster_id: str) -> None:
    """As if no key had been made of the cluster yet."""

    def stage(conversation: Conversation, _revision: int) -> Draft[None]:
        cluster = replace(conversation.clusters[cluster_id], promoted=False)
        drops = [KeyDrop(key_id=key_id) for key_id in conversation.keys]
        return Draft(result=None, steps=(*drops, MidPut(cluster=cluster)))

    await house.conversations.commit(KEY, stage)
    await tend(house)


async def test_no_two_keys_say_the_same() -> None:
    async with open_house(holding=holding(short_turns=1, similarity=0.5)) as house:
        await add_key(house, AddKey(key=KEY, text="The fitter comes on 8 May."))
        for said_ in ("The fitter comes on 8 May.", "ok"):
            await say(house, said(said_, ""))
        await tend(house)
        conversation = await at_hand(house)
        (cluster,) = conversation.clusters_in_order()
        await count_hits(
            house, KEY, conversation.uid, {frozenset({cluster.cluster_id}): 9}, house.clock.now()
        )
        await tend(house)

    assert [key.type for key in conversation.keys.values()] == [KeyType.USER]
    assert conversation.clusters[cluster.cluster_id].promoted


async def test_keys_of_the_user_are_never_displaced() -> None:
    async with open_house(holding=holding(key_tokens=300)) as house:
        await talked(house, 30)
        await tend(house)
        await add_key(house, AddKey(key=KEY, text="预算不能超过10万元 " * 10))
        conversation = await at_hand(house)
        for cluster in conversation.clusters_in_order():
            await count_hits(
                house, KEY, conversation.uid, {frozenset({cluster.cluster_id}): 9}, house.clock.now()
            )
        await tend(house)

        assert [key.type for key in conversation.keys.values()] == [KeyType.USER]
        assert not due(conversation, house.clock.now())


async def test_keys_have_a_bound_of_their_own_and_are_listed_the_users_first() -> None:
    async with open_house(holding=holding(key_tokens=60)) as house:
        await add_key(house, AddKey(key=KEY, text="The budget is 500 euros."))
        with pytest.raises(LimitReached, match="key_tokens"):
            await add_key(house, AddKey(key=KEY, text="word " * 60))

        assert [k.text for k in (await list_keys(house, ListKeys(key=KEY))).keys] == [
            "The budget is 500 euros."
        ]


async def test_a_key_of_the_system_that_is_reworded_is_the_users() -> None:
    async with open_house(holding=holding()) as house:
        await talked(house, 30)
        await tend(house)
        conversation = await at_hand(house)
        cluster = conversation.clusters_in_order()[0]
        await count_hits(
            house, KEY, conversation.uid, {frozenset({cluster.cluster_id}): 9}, house.clock.now()
        )
        await tend(house)
        (key,) = conversation.keys.values()
        stale = key.revision - 1
        with pytest.raises(StaleRevision):
            await update_key(house, UpdateKey(key=KEY, key_id=key.key_id, text="x", if_revision=stale))
        kept = await update_key(
            house, UpdateKey(key=KEY, key_id=key.key_id, text="改写了", if_revision=key.revision)
        )

    assert kept.key is not None
    assert (kept.key.type, kept.key.text) == (KeyType.USER, "改写了")


async def test_deleting_a_turn_takes_what_rests_on_it_and_makes_the_rest_anew() -> None:
    async with open_house(holding=holding(similarity=0.9)) as house:
        await say(house, said("The secret word is marmalade.", "I will remember marmalade."))
        await talked(house, 29)
        await tend(house)
        conversation = await at_hand(house)
        await count_hits(
            house, KEY, conversation.uid, {frozenset({conversation.cluster_names()[1]}): 9}, house.clock.now()
        )
        await tend(house)
        promoted = len(conversation.keys)

        done = await delete_turns(house, DeleteTurns(key=KEY, steps=(1,)))
        at_once = repr(conversation.state())
        await tend(house)
        later = repr(conversation.state())

        assert (promoted, done.result.turns, done.result.summaries, done.result.keys) == (1, 1, 1, 1)
        assert "marmalade" not in at_once
        assert "marmalade" not in later
        summaries = conversation.summaries_in_order()
        assert (summaries[0].first_step, summaries[0].last_step) == (1, 5)
        assert not conversation.record.owed


async def test_deleting_every_turn_of_a_stretch_leaves_nothing_owed() -> None:
    async with open_house(holding=holding()) as house:
        await talked(house, 12)
        await tend(house)
        done = await delete_turns(house, DeleteTurns(key=KEY, first_step=1, last_step=5))
        await tend(house)
        conversation = await at_hand(house)

        assert done.result.turns == 5
        assert [s.first_step for s in conversation.summaries_in_order()] == [6]


async def test_deleted_summaries_stay_deleted() -> None:
    async with open_house(holding=holding()) as house:
        await talked(house, 12)
        await tend(house)
        done = await delete_summaries(house, DeleteSummaries(key=KEY, first_step=1, last_step=7))
        await tend(house)
        conversation = await at_hand(house)

        assert done.result.summaries == 1
        assert [s.first_step for s in conversation.summaries_in_order()] == [6]


class DeletingSummariser(OfflineSummariser):
    """Deletes turn 2 while it thinks, the first time it is asked."""

    def __init__(self) -> None:
        self.house: House | None = None

    async def summarise(self, passages: Sequence[Passage], limit: int, unit: Unit, purpose: Purpose) -> str:
        house, self.house = self.house, None
        if house is not None:
            await delete_turns(house, DeleteTurns(key=KEY, steps=(2,)))
        return await super().summarise(passages, limit, unit, purpose)


async def test_what_was_made_of_turns_deleted_meanwhile_does_not_land() -> None:
    summariser = DeletingSummariser()
    agents = MemoryAgents(
        summariser=summariser, distiller=OfflineDistiller(), extractor=OfflineExtractor(local_reader())
    )
    async with open_house(holding=holding(), memory_agents=agents) as house:
        await talked(house, 6)
        summariser.house = house
        await tend(house)
        conversation = await at_hand(house)

        assert conversation.summaries
        assert "第1次备份" not in repr(conversation.state())


async def test_nothing_is_made_of_turns_once_the_users_memory_is_off() -> None:
    async with open_house(holding=holding()) as house:
        await talked(house, 6)
        await house.chores.close()
        user = UserKey(tenant=KEY.tenant, user=KEY.user)
        await update_user(house, UpdateUser(key=user, fields={"enabled"}, enabled=False))
        before = await house.store.heads([KEY])

        adding = dict(conversation_chores(house))
        await adding.pop(FORGET.name)(KEY)  # what deletes goes on
        for chore in adding.values():
            with pytest.raises(MemoryOff):
                await chore(KEY)
        with pytest.raises(MemoryOff):
            await tend(house)

        assert await house.store.heads([KEY]) == before


async def test_an_idle_conversation_is_due_to_end() -> None:
    async with open_house(holding=holding()) as house:
        await talked(house, 2)
        await tend(house)
        conversation = await at_hand(house)
        soon = due(conversation, house.clock.now())
        later = due(conversation, house.clock.now() + timedelta(hours=1))

    assert [chore.name for chore in soon] == []
    assert [chore.name for chore in later] == ["end"]
