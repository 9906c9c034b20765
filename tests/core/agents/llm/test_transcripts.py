"""The worked examples of source document 000, through the use cases, with a model that answers by rule.

What the model is asked and answers is compared byte for byte with `transcripts/`; see `conftest`
for how to write them anew.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from core.agents.llm.agents import llm_agents
from core.ids import ConflictId, NodeId
from core.model.interaction import TaskReport
from core.model.node import NodeState
from core.usecases.bank.record import Context
from core.usecases.bank.verbs.add_nodes import AddNodes, NewNode, add_nodes
from core.usecases.bank.verbs.augment import Augment
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.bank.verbs.relate import Relate, relate
from core.usecases.house import House
from core.usecases.task.advance_task import AdvanceTask, TaskAdvanced, advance_task
from core.usecases.task.start_task import StartTask, start_task
from tests.core.agents.llm.rule_model import by_rule
from tests.core.agents.llm.transcript import FOLDER, Transcribed, refuted_words
from tests.support.house import KEY, make_bank, open_house
from tests.support.scripted_chat import ScriptedChat

ROLES = ("clusterer", "structurer", "judge", "consolidator", "planner")


@asynccontextmanager
async def told(name: str, title: str, rewrites: bool) -> AsyncIterator[tuple[House, Transcribed]]:
    """A house whose agents ask the rule model; the story is compared when it has been told."""
    story = Transcribed(ScriptedChat(by_rule), title)
    async with open_house(agents=llm_agents(dict.fromkeys(ROLES, story))) as house:
        yield house, story
    path = FOLDER / f"{name}.md"
    if rewrites:
        path.parent.mkdir(exist_ok=True)
        path.write_text(story.text(), encoding="utf-8")
    assert story.text() == path.read_text(encoding="utf-8")


def on(day: int) -> datetime:
    return datetime(2024, 5, day, 9, 0, tzinfo=UTC)


# ---- merge, with the neighbours rewritten (§3.2.4) ----


@dataclass(frozen=True, slots=True, kw_only=True)
class Merging:
    name: str
    title: str
    nodes: Sequence[tuple[str, str, str, tuple[str, ...]]]  # id, summary, context, keywords
    text: str
    neighbor: str  # C's context afterwards


MERGES = [
    Merging(
        name="merge_zh",
        title="合并：A并入B，邻居C、D改述",
        nodes=(
            ("B", "2020年量子计算取得进展。", "2020年量子计算进展", ("量子计算", "2020", "进展")),
            ("C", "量子纠缠研究。", "量子纠缠研究（与2020年量子计算进展相关）", ("量子纠缠", "研究", "2020")),
            ("D", "量子算法优化。", "量子算法优化（与2020年量子计算进展相关）", ("量子算法", "优化", "2020")),
            ("E", "潮汐表的编制。", "潮汐表", ("潮汐",)),
        ),
        text="IBM于2023年发布了新的量子计算芯片Condor，有1121个量子比特。",
        neighbor="量子纠缠研究（与2020-2023年量子计算综合报告相关）",
    ),
    Merging(
        name="merge_en",
        title="Merge: A joins B, the neighbours C and D are reworded",
        nodes=(
            ("B", "In 2020 quantum computing made progress.", "Progress in 2020", ("quantum", "2020")),
            (
                "C",
                "Entanglement was studied.",
                "Entanglement (related to Progress in 2020)",
                ("entanglement", "2020"),
            ),
            (
                "D",
                "Algorithms were improved.",
                "Algorithms (related to Progress in 2020)",
                ("algorithms", "2020"),
            ),
            ("E", "How tide tables are made.", "Tide tables", ("tides",)),
        ),
        text="IBM announced in 2023 a chip for quantum computing, Condor, with 1,121 qubits.",
        neighbor="Entanglement (related to Report on quantum computing 2020-2023)",
    ),
]


@pytest.mark.parametrize("example", MERGES, ids=lambda example: example.name)
async def test_a_new_memory_merges_and_the_inherited_neighbours_speak_of_the_merged_one(
    example: Merging, rewrites: bool
) -> None:
    async with told(example.name, example.title, rewrites) as (house, story):
        await make_bank(house)
        for node_id, summary, context, keywords in example.nodes:
            node = NewNode(
                node_id=NodeId(node_id), summary=summary, context=context, keywords=keywords, event_time=on(1)
            )
            await add_nodes(house, AddNodes(key=KEY, nodes=(node,)))
        for neighbor in ("C", "D"):
            await relate(house, Relate(key=KEY, node_id=NodeId("B"), other_node_id=NodeId(neighbor)))
        story.tell("Memorize", example.text)

        memorized = await memorize(
            house, Memorize(key=KEY, context=Context(text=example.text, event_time=on(2)))
        )

        await story.show(house)
        (merged,) = memorized.node_ids
        async with house.banks.reading(KEY) as bank:
            assert sorted(bank.nodes) == sorted(["C", "D", "E", merged])
            assert bank.graph.neighbors(merged) == ("C", "D")
            assert bank.nodes[NodeId("C")].context == example.neighbor


# ---- conflict, with its validation (§4.2, §4.3) ----


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflicting:
    name: str
    title: str
    goal: str
    given: str
    found: str
    verdict: str
    answer: str
    refuted: str


CONFLICTS = [
    Conflicting(
        name="conflict_zh",
        title="冲突：CEO是谁，经交叉验证解决",
        goal="Acme的CEO是谁？",
        given="Acme的CEO是李四。公司总部在上海。",
        found="Acme的CEO是张三。他于五月上任。",
        verdict="工商登记和公司公告都显示：Acme的CEO是张三。李四已于四月卸任。",
        answer="Acme的CEO是张三。",
        refuted="Acme的CEO是李四。",
    ),
    Conflicting(
        name="conflict_en",
        title="Conflict: who the CEO is, settled by cross-validation",
        goal="Who is the CEO of Acme?",
        given="The CEO of Acme is Li Si. The head office is in Shanghai.",
        found="The CEO of Acme is Zhang San. He took office in May.",
        verdict="The register and the company's notice agree: the CEO of Acme is Zhang San. Li Si left in April.",
        answer="The CEO of Acme is Zhang San.",
        refuted="The CEO of Acme is Li Si.",
    ),
]


@pytest.mark.parametrize("example", CONFLICTS, ids=lambda example: example.name)
async def test_a_conflict_is_found_validated_first_and_settled_by_the_verdict(
    example: Conflicting, rewrites: bool
) -> None:
    async with told(example.name, example.title, rewrites) as (house, story):
        story.tell("StartTask", f"{example.goal}\n\n{example.given}")
        started = await start_task(
            house,
            StartTask(
                key=KEY,
                augment=Augment(key=KEY),
                goal=example.goal,
                context=Context(text=example.given, event_time=on(1)),
            ),
        )
        await story.show(house)
        search = started.insight.pending[0]

        story.tell("AdvanceTask: SEARCH", example.found)
        searched = await advance(house, example.found, 2, search.type, search.description)
        await story.show(house)

        (conflict_id,) = searched.memory.conflict_ids
        validation, answering = searched.memory.insight.pending
        assert (validation.type, answering.type) == ("CROSS_VALIDATION", "ANSWER")
        assert validation.conflict_id == conflict_id
        async with house.banks.reading(KEY) as bank:
            assert {node.state for node in bank.nodes.values()} == {NodeState.CONTESTED}

        story.tell("AdvanceTask: CROSS_VALIDATION", example.verdict)
        settled = await advance(
            house, example.verdict, 3, validation.type, validation.description, ConflictId(conflict_id)
        )
        await story.show(house)

        (node_id,) = settled.memory.node_ids
        async with house.banks.reading(KEY) as bank:
            assert list(bank.nodes) == [node_id]
            assert bank.nodes[node_id].state is NodeState.ACTIVE
            assert bank.nodes[node_id].summary.startswith(example.verdict)
            assert [said for said, _ in refuted_words(bank)] == [example.refuted]

        story.tell("AdvanceTask: ANSWER", example.answer)
        answered = await advance(house, example.answer, 4, answering.type, answering.description)
        await story.show(house)
        assert answered.finished


async def advance(
    house: House, text: str, day: int, kind: str, description: str, conflict_id: ConflictId | None = None
) -> TaskAdvanced:
    context = Context(text=text, event_time=on(day), task=TaskReport(type=kind, description=description))
    command = AdvanceTask(key=KEY, augment=Augment(key=KEY), context=context, conflict_id=conflict_id)
    return await advance_task(house, command)
