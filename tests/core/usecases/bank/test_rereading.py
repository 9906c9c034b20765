"""What is read again, word for word, joins the node that holds it: no agent is asked, and nothing is judged anew."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from core.agents.roles import Cluster, ConflictOpinion, Consolidation, MergeSource, Neighbor, Piece, Topic
from core.bank.query import Target
from core.errors import AgentUnavailable, StructuringFailed
from core.ids import BankId, ConflictId, InteractionId, NodeId, SegmentRef, Tenant
from core.index.giving_way import PASSES
from core.keys import BankKey
from core.model.conflict import VerdictType
from core.model.copies import MOST_REFS
from core.model.interaction import TaskReport, TaskStatus
from core.model.node import NodeState
from core.usecases.bank.exchange.export_bank import ExportBank, export_bank
from core.usecases.bank.exchange.import_bank import ImportBank, import_bank
from core.usecases.bank.record import Context, Message, make_interaction
from core.usecases.bank.retrieval.passages import Passages
from core.usecases.bank.structuring.rereading import Rereading
from core.usecases.bank.verbs.add_nodes import AddNodes, NewNode, add_nodes
from core.usecases.bank.verbs.augment import Augment
from core.usecases.bank.verbs.delete_node import DeleteNode, delete_node
from core.usecases.bank.verbs.get_interaction import GetInteraction, get_interaction
from core.usecases.bank.verbs.get_node import GetNode, get_node
from core.usecases.bank.verbs.list_interactions import ListInteractions, list_interactions
from core.usecases.bank.verbs.memorize import Memorize, MemorizeResult, memorize
from core.usecases.bank.verbs.merge_nodes import MergeNodes, merge_nodes
from core.usecases.bank.verbs.resolve_conflict import ResolveConflict, resolve_conflict
from core.usecases.bank.verbs.restructure import Restructure, restructure
from core.usecases.bank.verbs.search import Ask, Searches, run_searches
from core.usecases.house import House
from core.usecases.task.advance_task import AdvanceTask, TaskAdvanced, advance_task
from service.adapters.store.memory_store import MemoryStore
from tests.core.usecases.bank.test_rounds import conflicting
from tests.support.house import KEY, START, CountingIds, make_bank, open_house
from tests.support.scripted_agents import ScriptedAgents, joined

NINE = "The daily ferry to Naxos leaves at nine from pier 3."
TEN = "The daily ferry to Naxos leaves at ten from pier 3."
PRICE = "One ticket of the second class costs twelve euros."
BOAT = "渡轮每天早上九点从三号码头出发去纳克索斯岛。"
FARE = "二等舱的船票每张十二欧元,儿童半价。"
LATER = START + timedelta(days=30)
COPY = BankKey(tenant=Tenant("acme"), bank_id=BankId("copy"))


def one_each(pieces: Sequence[Piece], _task: str) -> Sequence[Cluster]:
    return [Cluster(pieces=(piece.number,), context=piece.text, keywords=("topic",)) for piece in pieces]


def reading() -> ScriptedAgents:
    """Agents to whom each piece is a topic, and NINE and TEN contradict each other."""
    agents = ScriptedAgents()
    agents.clusterer.clusters.otherwise = one_each
    agents.judge.first.otherwise = contradicting
    agents.consolidator.consolidations.otherwise = refuting
    return agents


def contradicting(new: Topic, candidates: Sequence[Topic]) -> list[ConflictOpinion]:
    apart = {NINE: TEN, TEN: NINE}.get(new.summary)
    return [conflicting(new, each) for each in candidates if each.summary == apart]


def refuting(nodes: Sequence[MergeSource], neighbors: Sequence[Neighbor], *more: Any) -> Consolidation:
    return replace(joined(nodes, neighbors, *more), summary=TEN, refuted=(NINE,))


async def tell(house: House, text: str, *, reference: bool = False, **fields: Any) -> MemorizeResult:
    context = Context(text=text, **fields)
    return await memorize(house, Memorize(key=KEY, context=context, skip_judging=reference))


async def say(house: House, *messages: Message) -> MemorizeResult:
    return await memorize(house, Memorize(key=KEY, context=Context(messages=messages)))


async def advance(house: House, text: str, status: TaskStatus = TaskStatus.SUCCEEDED) -> TaskAdvanced:
    task = TaskReport(type="SEARCH", description="look it up", status=status)
    command = AdvanceTask(key=KEY, context=Context(text=text, task=task), augment=Augment(key=KEY))
    return await advance_task(house, command)


def asked(agents: ScriptedAgents) -> int:
    """How often any agent but the Planner was asked."""
    scripts = (
        agents.clusterer.clusters,
        agents.structurer.summaries,
        agents.judge.first,
        agents.judge.second,
    )
    return sum(len(script.asked) for script in (*scripts, agents.consolidator.consolidations))


async def nodes(house: House) -> list[str]:
    async with house.banks.reading(KEY) as bank:
        return sorted(node.summary for node in bank.nodes.values())


async def marked(house: House) -> list[SegmentRef]:
    async with house.banks.reading(KEY) as bank:
        return [each.ref for each in bank.tree.refutations()]


@pytest.mark.parametrize(("first", "second"), [(NINE, PRICE), (BOAT, FARE)])
async def test_the_same_words_join_their_node_and_no_agent_is_asked(first: str, second: str) -> None:
    agents = reading()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        once = await tell(house, f"{first}\n\n{second}")
        before = asked(agents)

        again = await tell(house, f"  {second.upper()}\n\n\n{first.replace(' ', '  ')}")

        assert asked(agents) == before
        assert (once.joined_node_ids, set(again.joined_node_ids)) == ((), set(once.node_ids))
        assert again.node_ids == again.joined_node_ids
        assert not any((again.conflict_ids, again.merges, again.related))
        seen = await get_node(house, GetNode(key=KEY, node_id=once.node_ids[0]))
        assert seen.copies is not None
        assert (seen.copies.count, seen.copies.refs) == (1, (SegmentRef(again.interaction_id, 1),))
        assert seen.copies.first_time == seen.copies.last_time > seen.node.event_time


async def test_what_is_new_beside_it_is_structured_alone() -> None:
    agents = reading()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        (old,) = (await tell(house, NINE)).node_ids

        told = await tell(house, f"{NINE}\n\n{PRICE}")

        assert [piece.text for piece in agents.clusterer.clusters.asked[-1][0]] == [PRICE]
        assert told.joined_node_ids == (old,)
        assert len(told.node_ids) == 2
        assert await nodes(house) == sorted([NINE, PRICE])


async def test_a_record_that_says_it_several_times_makes_one_node_of_it() -> None:
    agents = reading()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        page = f"Observation: {NINE}\n\n{PRICE}"
        steps = [f"Thought: I look once more, for the {n}th time.\nAction: open\n{page}" for n in range(4)]

        told = await tell(house, "\n\n".join(steps))

        (pieces, _) = agents.clusterer.clusters.asked[0]
        assert [piece.text for piece in pieces if NINE in piece.text or PRICE in piece.text] == [
            f"Observation: {NINE}",
            PRICE,
        ]
        async with house.banks.reading(KEY) as bank:
            counts = {bank.nodes[n].summary: copies.count for n, copies in bank.copies.items()}
        assert counts == {f"Observation: {NINE}": 3, PRICE: 3}
        assert set(told.joined_node_ids) < set(told.node_ids)


async def test_a_contested_node_is_joined_and_its_conflict_stays_what_it_is() -> None:
    agents = reading()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        await tell(house, NINE)
        await tell(house, TEN)
        async with house.banks.reading(KEY) as bank:
            conflicts, plan = bank.open_conflicts(), bank.insight
        before = asked(agents)

        again = [await tell(house, text) for text in (NINE, TEN, NINE)]

        assert asked(agents) == before
        async with house.banks.reading(KEY) as bank:
            assert bank.open_conflicts() == conflicts
            assert bank.insight == plan
            assert {node.state for node in bank.nodes.values()} == {NodeState.CONTESTED}
            assert [bank.copies[told.node_ids[0]].count for told in again] == [2, 1, 2]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (f"## Summer\n\n{NINE}", f"## Winter\n\n{NINE}"),
        (NINE, f"## Winter\n\n{NINE}"),
        (NINE, f"{NINE[:-1]}?"),
        (NINE, NINE.replace("leaves", "never leaves")),
        ("The ferry leaves at nine.", "The ferry leaves at nine."),  # four words of content: too few
        ("渡轮九点开。", "渡轮九点开。"),
    ],
)
async def test_other_words_or_another_place_are_judged(first: str, second: str) -> None:
    async with open_house(agents=reading().roles) as house:
        await make_bank(house)
        await tell(house, first)

        assert (await tell(house, second)).joined_node_ids == ()

        assert len(await nodes(house)) == 2


@pytest.mark.parametrize(
    "other",
    [
        Message(text=NINE, role="user", speaker="Bob"),
        Message(text=NINE, role="assistant", speaker="Ann"),
        Message(text=NINE, role="user"),
    ],
)
async def test_another_speaker_or_voice_is_judged(other: Message) -> None:
    async with open_house(agents=reading().roles) as house:
        await make_bank(house)
        ann = Message(text=NINE, role="user", speaker="Ann")
        await say(house, ann)

        assert (await say(house, other)).joined_node_ids == ()
        assert (await say(house, ann)).joined_node_ids != ()


async def test_words_that_mean_another_day_are_judged() -> None:
    async with open_house(agents=reading().roles) as house:
        await make_bank(house)
        tomorrow = f"Tomorrow: {NINE}"
        await tell(house, tomorrow, event_time=START)

        assert (await tell(house, tomorrow, event_time=LATER)).joined_node_ids == ()
        assert (await tell(house, tomorrow, event_time=START + timedelta(hours=1))).joined_node_ids != ()


async def test_only_a_stated_time_moves_the_nodes() -> None:
    async with open_house(agents=reading().roles) as house:
        await make_bank(house)
        (node_id,) = (await tell(house, NINE, event_time=START)).node_ids

        async def event_time(**fields: Any) -> Any:
            await tell(house, NINE, **fields)
            return (await get_node(house, GetNode(key=KEY, node_id=node_id))).node.event_time

        assert await event_time() == START
        assert await event_time(event_time=LATER) == LATER
        assert await event_time(event_time=START - timedelta(days=1)) == LATER
        copies = (await get_node(house, GetNode(key=KEY, node_id=node_id))).copies
        assert copies is not None
        assert (copies.first_time, copies.last_time) == (START - timedelta(days=1), LATER)


async def test_copies_are_all_counted_and_few_kept_of_each_source_one() -> None:
    async with open_house(agents=reading().roles) as house:
        await make_bank(house)
        (node_id,) = (await tell(house, PRICE, source="leaflet")).node_ids

        for _ in range(MOST_REFS + 20):
            await tell(house, PRICE, source="leaflet")
        captain = await tell(house, PRICE, source="captain")

        assert captain.joined_node_ids == (node_id,)
        async with house.banks.reading(KEY) as bank:
            copies = bank.copies[node_id]
            sources = {bank.tree.interaction(ref.interaction_id).source for ref in copies.refs}
        assert (copies.count, len(copies.refs), sources) == (
            MOST_REFS + 21,
            MOST_REFS,
            {"leaflet", "captain"},
        )


# ---- judged after all ----


async def test_what_was_a_reference_is_judged_where_it_is_told_as_memory() -> None:
    async with open_house(agents=reading().roles) as house:
        await make_bank(house)
        await tell(house, TEN)
        await tell(house, NINE, reference=True)

        assert (await tell(house, NINE, reference=True)).joined_node_ids != ()
        told = await tell(house, NINE)

        assert told.joined_node_ids == ()
        assert told.conflict_ids != ()


async def test_what_only_an_assistant_said_is_judged_where_an_agent_reports_it() -> None:
    async with open_house(agents=reading().roles) as house:
        await make_bank(house)
        assistant = Message(text=NINE, role="assistant")
        await say(house, assistant)

        assert (await say(house, assistant)).joined_node_ids != ()
        task = TaskReport(type="SEARCH", description="look it up")
        context = Context(messages=(assistant,), task=task)
        done = await advance_task(house, AdvanceTask(key=KEY, context=context, augment=Augment(key=KEY)))

        assert done.memory.joined_node_ids == ()


async def test_what_a_failed_step_met_is_judged_where_another_step_finds_it() -> None:
    async with open_house(agents=reading().roles) as house:
        await make_bank(house)
        failed = (await advance(house, NINE, TaskStatus.FAILED)).memory

        assert (await advance(house, NINE, TaskStatus.FAILED)).memory.joined_node_ids == failed.node_ids
        found = (await advance(house, NINE)).memory

        assert found.joined_node_ids == ()
        assert (await advance(house, NINE, TaskStatus.FAILED)).memory.joined_node_ids != ()


async def test_what_a_caller_put_beside_a_node_is_judged() -> None:
    async with open_house(agents=reading().roles) as house:
        await make_bank(house)
        await add_nodes(house, AddNodes(key=KEY, nodes=(NewNode(summary="the ferry", verbatim=NINE),)))

        assert (await tell(house, NINE)).joined_node_ids == ()


async def contested(house: House) -> ConflictId:
    await tell(house, NINE)
    (conflict_id,) = (await tell(house, TEN)).conflict_ids
    return conflict_id


async def test_after_a_verdict_it_is_judged_once_and_what_was_refuted_stays_refuted() -> None:
    agents = reading()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        conflict_id = await contested(house)
        await tell(house, NINE)
        await resolve_conflict(house, ResolveConflict(key=KEY, conflict_id=conflict_id, verdict=TEN))
        before = asked(agents)
        assert len(await marked(house)) == 2  # the copy, too

        judged = await tell(house, NINE)
        again = await tell(house, NINE)

        assert judged.joined_node_ids == ()
        assert asked(agents) > before
        assert again.joined_node_ids == judged.node_ids
        assert {ref.interaction_id for ref in await marked(house)} >= {
            judged.interaction_id,
            again.interaction_id,
        }
        async with house.banks.reading(KEY) as bank:
            assert bank.open_conflicts() == []


async def test_a_refuted_point_is_judged_again_where_another_source_tells_it() -> None:
    async with open_house(agents=reading().roles) as house:
        await make_bank(house)
        conflict_id = await contested(house)
        await resolve_conflict(house, ResolveConflict(key=KEY, conflict_id=conflict_id, verdict=TEN))
        await tell(house, NINE)

        assert (await tell(house, NINE)).joined_node_ids != ()
        assert (await tell(house, NINE, source="the captain")).joined_node_ids == ()


async def test_a_dismissed_conflict_does_not_come_back_by_reading_on() -> None:
    async with open_house(agents=reading().roles) as house:
        await make_bank(house)
        conflict_id = await contested(house)
        await resolve_conflict(
            house, ResolveConflict(key=KEY, conflict_id=conflict_id, type=VerdictType.DISMISS)
        )

        again = [await tell(house, text) for text in (NINE, TEN)]

        assert [told.conflict_ids for told in again] == [(), ()]
        assert await nodes(house) == sorted([NINE, TEN])


# ---- what becomes of copies ----


async def test_a_verdict_refutes_the_copies_of_a_sentence_too() -> None:
    async with open_house(agents=reading().roles) as house:
        await make_bank(house)
        conflict_id = await contested(house)
        again = [await tell(house, NINE.upper()) for _ in range(60)]

        await resolve_conflict(house, ResolveConflict(key=KEY, conflict_id=conflict_id, verdict=TEN))

        assert {told.interaction_id for told in again} <= {ref.interaction_id for ref in await marked(house)}
        async with house.banks.reading(KEY) as bank:
            (copies,) = bank.copies.values()
            assert copies.count == 60  # of the node that the sides became


async def test_a_node_leads_to_all_kept_copies() -> None:
    async with open_house(agents=reading().roles) as house:
        await make_bank(house)
        told = [await tell(house, PRICE) for _ in range(3)]
        (node_id,) = told[0].node_ids
        records = [each.interaction_id for each in told]

        read = await get_interaction(house, GetInteraction(key=KEY, node_id=node_id))
        passages = Passages(surroundings=0)
        pieces = await get_interaction(house, GetInteraction(key=KEY, node_id=node_id, passages=passages))
        listed = await list_interactions(house, ListInteractions(key=KEY, node_id=node_id))

        assert [each.interaction.interaction_id for each in read.interactions] == records
        assert [each.interaction.interaction_id for each in pieces.interactions] == records
        assert [each.interaction.interaction_id for each in listed.interactions] == records
        assert all(each.node_ids == (node_id,) for each in listed.interactions)


async def test_nodes_that_become_one_bring_their_copies() -> None:
    agents = reading()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        ids = (await tell(house, f"{NINE}\n\n{PRICE}")).node_ids
        again = await tell(house, f"{NINE}\n\n{PRICE}")
        await tell(house, PRICE)

        merged = (await merge_nodes(house, MergeNodes(key=KEY, node_ids=ids))).result.node
        last = await tell(house, NINE)

        assert last.joined_node_ids == (merged.node_id,)
        copies = (await get_node(house, GetNode(key=KEY, node_id=merged.node_id))).copies
        assert copies is not None
        assert (copies.count, len(copies.refs)) == (4, 4)
        assert copies.refs[:2] == (
            SegmentRef(again.interaction_id, 0),
            SegmentRef(again.interaction_id, 1),
        )


async def test_what_a_deleted_node_held_becomes_a_node_again() -> None:
    async with open_house(agents=reading().roles) as house:
        await make_bank(house)
        (node_id,) = (await tell(house, PRICE)).node_ids
        await tell(house, PRICE)
        await delete_node(house, DeleteNode(key=KEY, node_id=node_id))

        told = await tell(house, PRICE)

        assert told.joined_node_ids == ()
        assert await nodes(house) == [PRICE]
        async with house.banks.reading(KEY) as bank:
            assert bank.copies == {}


async def test_an_imported_bank_has_the_copies_and_goes_on_counting() -> None:
    async with open_house(agents=reading().roles) as house:
        await make_bank(house)
        (node_id,) = (await tell(house, PRICE)).node_ids
        await tell(house, PRICE)

        await import_bank(
            house,
            ImportBank(tenant=COPY.tenant, bank_id=COPY.bank_id),
            export_bank(house, ExportBank(key=KEY)),
        )

        async with house.banks.reading(KEY) as bank, house.banks.reading(COPY) as copy:
            assert copy.state().copies == bank.state().copies != ()
        told = await memorize(house, Memorize(key=COPY, context=Context(text=PRICE)))
        assert told.joined_node_ids == (node_id,)
        async with house.banks.reading(COPY) as copy:
            assert copy.copies[node_id].count == 2


async def test_a_search_finds_the_words_once_unless_a_copy_says_more() -> None:
    async with open_house(agents=reading().roles) as house:
        await make_bank(house)
        first = await tell(house, f"{BOAT}\n\n{FARE}", source="a")
        await tell(house, f"{FARE}\n\n{BOAT}", source="a")
        captain = await tell(house, FARE, source="b")
        dated = await tell(house, FARE, source="a", event_time=LATER)

        ask = Ask(text=FARE, top_k=10, target=Target.SEGMENTS)
        (answer,) = (await run_searches(house, Searches(key=KEY, asks=(ask,)))).answers

        found = [hit.segment.ref for hit in answer.found.hits if hit.segment]
        assert len(found) == len(set(found))
        assert set(found) >= {
            SegmentRef(first.interaction_id, 1),
            SegmentRef(captain.interaction_id, 0),
            SegmentRef(dated.interaction_id, 0),
        }
        assert [ref for ref in found if ref.interaction_id not in _ids(first, captain, dated)] == []


def _ids(*told: MemorizeResult) -> set[InteractionId]:
    return {each.interaction_id for each in told}


# ---- the work ----


async def test_the_planner_is_not_told_of_it_as_new() -> None:
    agents = reading()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        await advance(house, NINE)

        await advance(house, f"{NINE}\n\n{PRICE}")

        progress = agents.planner.plans.asked[-1][1]
        assert [topic.summary for topic in progress.new_nodes] == [PRICE]


async def test_work_that_is_taken_up_again_joins_nothing_twice() -> None:
    store, ids = MemoryStore(), CountingIds()
    failing = reading()
    failing.structurer.summaries.then(NINE, AgentUnavailable("structurer", "down"))
    async with open_house(store=store, agents=failing.roles, ids=ids) as house:
        await make_bank(house)
        (node_id,) = (await tell(house, NINE)).node_ids
        with pytest.raises(StructuringFailed):
            await tell(house, f"{NINE}\n\n{PRICE}\n\n{BOAT}\n\n{PRICE}\n\n{NINE}")

    async with open_house(store=store, agents=reading().roles, ids=ids) as house:
        await restructure(house, Restructure(key=KEY))

        async with house.banks.reading(KEY) as bank:
            assert bank.copies[node_id].count == 2
            assert sorted(node.summary for node in bank.nodes.values()) == sorted([NINE, PRICE, BOAT])
            assert [c.count for n, c in bank.copies.items() if n != node_id] == [1]


@pytest.mark.parametrize(
    "page",
    [
        "# Naxos\n\n## Ferries\n" + NINE + "\n## Prices\n" + PRICE,
        "# 纳克索斯\n\n## 渡轮\n" + BOAT + "\n## 票价\n" + FARE,
    ],
)
async def test_a_page_whose_headings_part_the_words_of_one_segment_joins(page: str) -> None:
    async with open_house(agents=reading().roles) as house:
        await make_bank(house)
        first = await say(house, Message(role="tool", text=page))
        again = await say(house, Message(role="tool", text=page))

        assert set(again.node_ids) == set(again.joined_node_ids) == set(first.node_ids)


async def test_a_node_that_goes_while_the_rest_is_clustered_is_not_joined() -> None:
    agents = reading()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        (node_id,) = (await tell(house, NINE)).node_ids
        async with house.banks.reading(KEY) as bank:
            await delete_while_clustering(house, agents, node_id)
            told = await tell(house, f"{NINE}\n\n{PRICE}")

        assert told.joined_node_ids == ()
        assert await nodes(house) == sorted([NINE, PRICE])
        assert bank.copies == {}


async def delete_while_clustering(house: House, agents: ScriptedAgents, node_id: NodeId) -> None:
    """Has the Clusterer's next question answered only when a node is gone."""
    cluster = agents.clusterer.cluster
    waiting = [node_id]

    async def deleting(pieces: Sequence[Piece], task: str) -> Sequence[Cluster]:
        while waiting:
            await delete_node(house, DeleteNode(key=KEY, node_id=waiting.pop()))
        return await cluster(pieces, task)

    object.__setattr__(agents.clusterer, "cluster", deleting)


async def test_others_have_turns_while_a_segment_is_compared_with_those_that_share_its_words() -> None:
    agents = reading()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        for number in range(15):
            await tell(house, f"{BOAT * 30}第{number}天。")
        record = await make_interaction(house, Context(text=f"{BOAT * 30}{FARE}"))
        rereading = Rereading(house, KEY, record)
        await rereading.begin()
        turns = 0

        async def others() -> None:
            nonlocal turns
            while True:
                await asyncio.sleep(0)
                turns += 1

        passing = asyncio.create_task(others())
        await rereading.repetition(range(len(record.spans)))
        passing.cancel()

        assert turns > (len(record.spans) + 1) * PASSES  # one for each segment, and more between portions
