"""The design document's own examples over the wire, in Chinese: the merge of A and B into H, and who is CEO."""

import asyncio
from pathlib import Path

import pytest

from core.agents.roles import Cluster, Consolidation, MergeOpinion, Rewording
from core.ids import NodeId
from memorybank.v1.memory_bank_pb2 import AdvanceTaskResponse
from memorybank.v1.query_graph_pb2 import NewNode
from memorybank.v1.retrieval_pb2 import SEARCH_TARGET_SEGMENTS
from memorybank.v1.types_pb2 import (
    CONFLICT_STATUS_RESOLVED,
    MERGE_REASON_CONFLICT,
    MERGE_REASON_MERGE,
    NODE_STATE_ACTIVE,
    NODE_STATE_CONTESTED,
    TASK_STATUS_SUCCEEDED,
    TaskReport,
)
from memorybank_client import MemoryBankClient
from service.assembly.server import running
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.postgres import empty_database
from tests.support.process import served_process
from tests.support.scripted_agents import ScriptedAgents
from tests.support.server import settings_for

BANK = "case"


@pytest.fixture(params=["sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest) -> str:
    """Empty: a SQLite file."""
    return empty_database().url if request.param == "postgres" else ""


BEFORE = [
    NewNode(
        node_id="B",
        summary="2020年量子计算取得进展。",
        context="2020年量子计算进展",
        keywords=["量子计算", "2020", "进展"],
    ),
    NewNode(
        node_id="C",
        summary="量子纠缠研究。",
        context="量子纠缠研究（与2020年量子计算进展相关）",
        keywords=["量子纠缠", "研究", "2020"],
        related_node_ids=["B"],
    ),
    NewNode(
        node_id="D",
        summary="量子算法优化。",
        context="量子算法优化（与2020年量子计算进展相关）",
        keywords=["量子算法", "优化", "2020"],
        related_node_ids=["B"],
    ),
    NewNode(node_id="E", summary="量子通信网络。", context="量子通信网络", keywords=["量子通信"]),
]
C_AFTER = Rewording(
    context="量子纠缠研究（与2020-2023年量子计算综合报告相关）",
    keywords=("量子纠缠", "研究", "2020-2023", "综合报告"),
)
D_AFTER = Rewording(
    context="量子算法优化（与2020-2023年量子计算综合报告相关）",
    keywords=("量子算法", "优化", "2020-2023", "综合报告"),
)


def agents_of_the_example() -> ScriptedAgents:
    agents = ScriptedAgents()
    agents.clusterer.clusters.then(
        [Cluster(pieces=(0,), context="IBM量子芯片技术", keywords=("IBM", "量子芯片", "硬件"))]
    )
    agents.judge.first.then(
        [MergeOpinion(existing=NodeId("B"), confidence=0.9, reasoning="同一主题", strategy="保留更新的信息")]
    )
    agents.consolidator.consolidations.then(
        Consolidation(
            summary="2020-2023年量子计算的进展，其中包括IBM的量子芯片技术。",
            context="2020-2023年量子计算综合报告（包含IBM芯片技术）",
            keywords=("量子计算", "IBM", "2020-2023"),
            neighbor_updates={NodeId("C"): C_AFTER, NodeId("D"): D_AFTER},
            description="综合了节点A、B的内容",
        )
    )
    return agents


async def test_a_and_b_merge_into_h_c_and_d_speak_of_h_and_h_is_judged_again_without_them(
    tmp_path: Path, store_url: str
) -> None:
    agents = agents_of_the_example()
    settings = settings_for(tmp_path, store={"url": store_url})
    async with (
        running(settings, HashingEmbedder(), agents=lambda _: agents.roles) as address,
        MemoryBankClient(str(address)) as client,
    ):
        await client.create_bank(bank_id=BANK, goal="量子计算有哪些进展？")
        await client.batch_add_nodes(bank_id=BANK, nodes=BEFORE)
        c_before = await client.get_node(bank_id=BANK, node_id="C", include_embedding=True)

        told = await client.memorize(bank_id=BANK, text="IBM发布了新的量子芯片。")

        (h,) = told.node_ids
        (merge,) = told.merges
        assert (merge.into_node_id, "B" in merge.absorbed_node_ids) == (h, True)
        near = await client.list_neighbors(bank_id=BANK, node_id=h)
        assert [neighbor.node.node_id for neighbor in near.neighbors] == ["C", "D"]
        for node_id, after in (("C", C_AFTER), ("D", D_AFTER)):
            node = (await client.get_node(bank_id=BANK, node_id=node_id)).node
            assert node.context == after.context
            assert set(after.keywords) <= set(node.keywords)
        await embedded_anew(client, "C", c_before.node.embedding.f32)
        lineage = await client.get_lineage(bank_id=BANK, node_id=h)
        (record,) = lineage.merges
        assert (record.reason, record.description) == (MERGE_REASON_MERGE, "综合了节点A、B的内容")
        verbatim = await client.get_interaction(bank_id=BANK, node_id="B")
        assert (verbatim.node_id, [i.text for i in verbatim.interactions]) == (h, ["IBM发布了新的量子芯片。"])
        once, again = [{topic.node_id for topic in candidates} for _, candidates in agents.judge.first.asked]
        assert (once, again) == ({"B", "C", "D", "E"}, {"E"})


async def embedded_anew(client: MemoryBankClient, node_id: str, before: bytes) -> None:
    """Waits until a node has another vector than `before`: it gets one when its bank rests."""
    for _ in range(600):
        got = await client.get_node(bank_id=BANK, node_id=node_id, include_embedding=True)
        if got.node.embedding.f32 != before:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"{node_id} keeps its vector")


async def reported(
    client: MemoryBankClient, kind: str, description: str, text: str, **more: str
) -> AdvanceTaskResponse:
    report = TaskReport(type=kind, description=description, status=TASK_STATUS_SUCCEEDED)
    return await client.advance_task(
        bank_id=BANK, task=report, text=text, conflict_id=more.get("conflict_id", "")
    )


async def test_who_is_ceo_from_the_contradiction_to_the_verdict_and_the_answer(
    tmp_path: Path, store_url: str
) -> None:
    async with served_process(tmp_path, {"store.url": store_url}) as server, server.client() as client:
        await client.start_task(bank_id=BANK, goal="星河公司的CEO是谁？")
        first = await reported(client, "SEARCH", "查找公司网站", "星河公司的CEO是张三。")

        second = await reported(client, "SEARCH", "查找年度报告", "星河公司的CEO是李四。")

        (conflict_id,) = second.conflict_ids
        (conflict,) = (await client.list_conflicts(bank_id=BANK)).conflicts
        assert [side.node_id for side in conflict.sides] == [*second.node_ids, *first.node_ids]
        assert ["李四" in conflict.sides[0].quote, "张三" in conflict.sides[1].quote] == [True, True]
        front = second.insight.pending[0]
        assert (front.type, front.conflict_id) == ("CROSS_VALIDATION", conflict_id)
        assert f"[{conflict_id}] CROSS_VALIDATION: {conflict.description}" in second.prompt
        found = await client.search(bank_id=BANK, text="谁是CEO")
        assert {hit.node.state for hit in found.hits} == {NODE_STATE_CONTESTED}

        verdict = "经核实，星河公司的CEO是李四。"
        third = await reported(
            client, "CROSS_VALIDATION", front.description, verdict, conflict_id=conflict_id
        )

        (node_id,) = third.node_ids
        node = (await client.get_node(bank_id=BANK, node_id=node_id)).node
        assert (node.state, node.summary.startswith(verdict)) == (NODE_STATE_ACTIVE, True)
        assert "张三" not in node.summary
        lineage = await client.get_lineage(bank_id=BANK, node_id=node_id)
        assert lineage.merges[0].reason == MERGE_REASON_CONFLICT
        kept = await client.get_interaction(bank_id=BANK, node_id=first.node_ids[0])
        assert {i.text for i in kept.interactions} == {
            "星河公司的CEO是张三。",
            "星河公司的CEO是李四。",
            verdict,
        }
        (closed,) = (await client.list_conflicts(bank_id=BANK, statuses=[CONFLICT_STATUS_RESOLVED])).conflicts
        assert (closed.conflict_id, closed.node_id) == (conflict_id, node_id)
        segments = await client.search(bank_id=BANK, text="星河公司的CEO", target=SEARCH_TARGET_SEGMENTS)
        refuted = {hit.segment.text: hit.segment.refuted_by for hit in segments.hits}
        assert refuted == {"星河公司的CEO是张三。": conflict_id, "星河公司的CEO是李四。": "", verdict: ""}
        assert segments.hits[-1].segment.text == "星河公司的CEO是张三。"
        step = third
        for _ in range(2):  # solve, answer
            (pending,) = step.insight.pending
            step = await reported(client, pending.type, pending.description, "星河公司的CEO是李四。")
        assert step.finished
        assert [task.type for task in step.insight.completed] == [
            "SEARCH",
            "SEARCH",
            "CROSS_VALIDATION",
            "SOLVE",
            "ANSWER",
        ]
