"""The Consolidator on a model: one memory of several, every neighbour reworded, the refuted named."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from core.agents.llm.consolidator import LlmConsolidator
from core.agents.roles import Consolidation, MergeSource, Neighbor, Rewording, Topic
from core.errors import AgentReplyInvalid
from core.ids import NodeId
from core.model.lineage import MergeReason
from core.ports.chat import ChatMessage, ReplyShape
from core.text.tokens import estimate
from tests.core.agents.llm.hostile import HOSTILE
from tests.core.agents.llm.replies import bytes_of, objections, question, said
from tests.support.scripted_chat import ScriptedChat

TIME = datetime(2024, 5, 1, tzinfo=UTC)


def absorbed(node_id: str, summary: str, days: int = 0) -> MergeSource:
    topic = Topic(node_id=NodeId(node_id), summary=summary, context=f"关于{node_id}", keywords=(node_id,))
    return MergeSource(topic=topic, event_time=TIME + timedelta(days=days))


def neighbor(node_id: str, *of: str) -> Neighbor:
    return Neighbor(
        node_id=NodeId(node_id),
        context="量子纠缠研究（与2020年量子计算进展相关）",
        keywords=("量子纠缠", "2020"),
        neighbor_of=tuple(map(NodeId, of)),
    )


A = absorbed("A", "IBM的Condor芯片有1121个量子比特。它于2023年发布。", 3)
B = absorbed("B", "2020年量子计算取得进展。IBM的芯片有65个量子比特。")


def update(name: str) -> dict[str, Any]:
    return {"node_id": name, "context": f"{name}（与综合报告相关）", "keywords": ["综合报告"]}


def merged(*updates: str, **changed: Any) -> str:
    fields: dict[str, Any] = {
        "summary": "2020-2023年量子计算进展，包含IBM芯片技术。",
        "context": "2020-2023年量子计算综合报告",
        "keywords": ["量子计算", "IBM"],
        "neighbor_updates": [update(name) for name in updates],
        "interaction_tree_description": "综合了节点A、B的内容",
    }
    return said(**fields | changed)


async def merge(
    chat: ScriptedChat,
    nodes: Sequence[MergeSource] = (A, B),
    neighbors: Sequence[Neighbor] = (),
    verdict: str = "",
) -> Consolidation:
    reason = MergeReason.CONFLICT if verdict else MergeReason.MERGE
    return await LlmConsolidator(chat).consolidate(nodes, neighbors, reason, verdict, "保留两者")


async def test_nodes_become_one_and_every_neighbour_is_reworded() -> None:
    chat = ScriptedChat([merged("neighbor_1", "neighbor_2")])

    made = await merge(chat, neighbors=[neighbor("C", "B"), neighbor("D", "A", "B")])

    assert made == Consolidation(
        summary="2020-2023年量子计算进展，包含IBM芯片技术。",
        context="2020-2023年量子计算综合报告",
        keywords=("量子计算", "IBM"),
        neighbor_updates={
            NodeId("C"): Rewording(context="neighbor_1（与综合报告相关）", keywords=("综合报告",)),
            NodeId("D"): Rewording(context="neighbor_2（与综合报告相关）", keywords=("综合报告",)),
        },
        description="综合了节点A、B的内容",
    )
    asked = question(chat)
    assert "neighbour of: node_1, node_2" in asked
    assert "time: 2024-05-04" in asked
    assert "保留两者" in asked


async def test_without_neighbours_and_verdict_nothing_is_asked_about_them() -> None:
    chat = ScriptedChat([merged()])

    await merge(chat)

    assert list(chat.asked[0][1].schema["properties"]) == [
        "summary",
        "context",
        "keywords",
        "interaction_tree_description",
    ]


async def test_a_verdict_names_the_sentences_it_refutes_and_they_come_back_verbatim() -> None:
    chat = ScriptedChat([merged(refuted=["node_2.2"])])

    made = await merge(chat, verdict="核实：IBM的芯片有1121个量子比特。")

    assert made.refuted == ("IBM的芯片有65个量子比特。",)
    assert "node_2.2: IBM的芯片有65个量子比特。" in question(chat)
    refuted = chat.asked[0][1].schema["properties"]["refuted"]
    assert refuted["items"]["enum"] == ["node_1.1", "node_1.2", "node_2.1", "node_2.2"]


BAD = {
    "a neighbour left out": merged("neighbor_1"),
    "an invented neighbour": merged("neighbor_1", "neighbor_2", "neighbor_3"),
    "a neighbour twice": merged("neighbor_1", "neighbor_1", "neighbor_2"),
    "an id instead of a name": merged("C", "D"),
    "no summary": merged("neighbor_1", "neighbor_2", summary=" "),
    "no note for the tree": merged("neighbor_1", "neighbor_2", interaction_tree_description=""),
    "keywords that are no list": merged("neighbor_1", "neighbor_2", keywords="量子"),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
async def test_a_bad_consolidation_is_asked_again_and_given_up_in_the_end(bad: str) -> None:
    neighbors = [neighbor("C", "B"), neighbor("D", "B")]
    chat = ScriptedChat([bad, merged("neighbor_1", "neighbor_2")])

    made = await merge(chat, neighbors=neighbors)

    assert set(made.neighbor_updates) == {"C", "D"}
    assert len(objections(chat)) == 1
    with pytest.raises(AgentReplyInvalid) as invalid:
        await merge(ScriptedChat([bad] * 3), neighbors=neighbors)
    assert invalid.value.role == "consolidator"


async def test_an_invented_sentence_cannot_be_refuted() -> None:
    chat = ScriptedChat([merged(refuted=["node_1.9"]), merged(refuted=[])])

    made = await merge(chat, verdict="核实过。")

    assert made.refuted == ()
    assert '"node_1.9", which was not given' in objections(chat)[0]


def obliging(_messages: Sequence[ChatMessage], shape: ReplyShape) -> str:
    """Does all that is asked for."""
    properties = shape.schema["properties"]
    names = properties.get("neighbor_updates", {"items": {"properties": {"node_id": {"enum": []}}}})
    return merged(*names["items"]["properties"]["node_id"]["enum"], refuted=[])


async def test_neighbours_beyond_the_window_are_reworded_in_further_calls() -> None:
    chat = ScriptedChat(obliging, window=4_000)
    neighbors = [neighbor(f"N{n:03d}", "A") for n in range(100)]

    made = await merge(chat, neighbors=neighbors)

    assert set(made.neighbor_updates) == {n.node_id for n in neighbors}
    assert [shape.name for _, shape in chat.asked][:2] == ["consolidation", "neighbors"]
    assert all(sum(estimate(m.text) for m in messages) <= 3_000 for messages, _ in chat.asked)


@pytest.mark.parametrize("verdict", ["", "核实的结论：进展属实。" * 2_000])
async def test_memories_beyond_the_window_are_shortened_alike(verdict: str) -> None:
    chat = ScriptedChat(obliging, window=4_000)
    long = [absorbed(f"L{n}", f"第{n}条：进展很大，细节很多。" * 1_000) for n in range(3)]

    await merge(chat, [*long, A], verdict=verdict)

    assert sum(estimate(m.text) for m in chat.asked[0][0]) <= 3_000
    assert "它于2023年发布。" in question(chat)
    assert question(chat).count("left out") == (4 if verdict else 3)


async def test_hostile_memories_verdicts_and_neighbours_stay_material() -> None:
    for start in range(0, len(HOSTILE), 5):
        texts = HOSTILE[start : start + 5]
        chat = ScriptedChat(obliging, window=300_000)
        near = Neighbor(
            node_id=NodeId("X"), context=texts[0], keywords=texts[1:3], neighbor_of=(NodeId("0"),)
        )

        made = await merge(chat, [absorbed(str(n), t) for n, t in enumerate(texts)], [near], texts[-1] + "!")

        assert list(made.neighbor_updates) == ["X"]


async def test_the_same_merge_is_asked_for_in_the_same_bytes() -> None:
    chats = [ScriptedChat(obliging) for _ in range(2)]
    for chat in chats:
        await merge(chat, neighbors=[neighbor("C", "B")], verdict="核实过。")

    assert bytes_of(chats[0]) == bytes_of(chats[1])


async def test_words_of_any_length_still_leave_room() -> None:
    chat = ScriptedChat(obliging, window=6_000)
    wordy = Neighbor(
        node_id=NodeId("W"),
        context="很长的主题。" * 5_000,
        keywords=("关键词",) * 5_000,
        neighbor_of=(NodeId("A"),),
    )

    made = await merge(chat, neighbors=[wordy, neighbor("C", "A")])

    assert set(made.neighbor_updates) == {"W", "C"}
    assert all(sum(estimate(m.text) for m in messages) <= 4_500 for messages, _ in chat.asked)
