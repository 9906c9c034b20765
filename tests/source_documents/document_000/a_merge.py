"""A merge, a relation, a contradiction and its verdict, over the wire; the five agents on a script.

What the roles were asked is kept with what came of it: what goes in is as much a requirement as what comes out.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.agents.roles import (
    Cluster,
    ConflictOpinion,
    Consolidation,
    MergeOpinion,
    Plan,
    PlannedTask,
    RelatedOpinion,
    Rewording,
    Topic,
)
from core.ids import NodeId
from memorybank.v1.deep_retrieval_pb2 import GetInteractionResponse, GetLineageResponse
from memorybank.v1.memory_bank_pb2 import AdvanceTaskResponse, MemorizeResponse
from memorybank.v1.query_graph_pb2 import GetNodeResponse, NewNode
from memorybank.v1.types_pb2 import TASK_STATUS_SUCCEEDED, Conflict, TaskReport
from memorybank_client import MemoryBankClient
from service.assembly.server import running
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.scripted_agents import ScriptedAgents, joined
from tests.support.server import settings_for

BANK = "case"
GOAL = "量子计算有哪些进展？"
FIRST = "IBM发布了新的量子芯片。\n\n量子通信网络在合肥开通。"
SECOND = "该芯片有433个量子比特。"
VERDICT = "经核实，该芯片有1121个量子比特。"

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
    keywords=("量子纠缠", "2020-2023", "综合报告"),
)
D_AFTER = Rewording(
    context="量子算法优化（与2020-2023年量子计算综合报告相关）",
    keywords=("量子算法", "2020-2023", "综合报告"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """What was asked and what came of it, in the order of the scene."""

    agents: ScriptedAgents
    before: dict[str, GetNodeResponse]
    merged: MemorizeResponse  # the first text: its first topic merges with B, its second relates to E
    after: dict[str, GetNodeResponse]
    lineage: GetLineageResponse
    record: GetInteractionResponse
    contradicted: AdvanceTaskResponse  # the second text contradicts H
    conflict: Conflict
    contested: dict[str, GetNodeResponse]
    settled: AdvanceTaskResponse
    verified: dict[str, GetNodeResponse]
    lineage_of_verdict: GetLineageResponse
    record_of_verdict: GetInteractionResponse

    @property
    def h(self) -> str:
        """The node that A and B became."""
        return self.merged.node_ids[0]

    @property
    def f(self) -> str:
        """The node of the first text's other topic."""
        return self.merged.node_ids[1]

    @property
    def g(self) -> str:
        """The node of the text that contradicts H."""
        return self.contradicted.node_ids[0]

    @property
    def v(self) -> str:
        """The node that the verdict made of G and H."""
        return self.settled.node_ids[0]

    @property
    def judged(self) -> list[tuple[Topic, set[str]]]:
        """Who was judged for conflicts and merges, and against whom."""
        return [(new, {topic.node_id for topic in topics}) for new, topics in self.agents.judge.first.asked]

    @property
    def related(self) -> list[tuple[Topic, set[str]]]:
        """Who was judged for relations, and to whom."""
        return [(new, {topic.node_id for topic in topics}) for new, topics in self.agents.judge.second.asked]


def _script() -> ScriptedAgents:
    agents = ScriptedAgents()
    agents.clusterer.clusters.then(
        [
            Cluster(pieces=(0,), context="IBM量子芯片技术", keywords=("IBM", "量子芯片", "硬件")),
            Cluster(pieces=(1,), context="量子通信网络的开通", keywords=("量子通信", "合肥")),
        ],
        [Cluster(pieces=(0,), context="芯片的量子比特数", keywords=("量子比特",))],
    )
    agents.structurer.summaries.then("IBM发布芯片（摘要）。", "合肥开通网络（摘要）。")
    agents.judge.first.then(
        [MergeOpinion(existing=NodeId("B"), confidence=0.9, reasoning="同一主题", strategy="保留更新的信息")],
        [],  # H goes round again
        [],  # the other topic
        _contradicting,
    )
    agents.judge.second.then([], _relating)
    agents.consolidator.consolidations.then(
        Consolidation(
            summary="2020-2023年量子计算的进展，包含IBM的量子芯片技术。",
            context="2020-2023年量子计算综合报告（包含IBM芯片技术）",
            keywords=("量子计算", "IBM", "2020-2023"),
            neighbor_updates={NodeId("C"): C_AFTER, NodeId("D"): D_AFTER},
            description="综合了节点A、B的内容",
        ),
        joined,
    )
    agents.planner.plans.otherwise = lambda _insight, _progress: Plan(
        completed_context="芯片有433个量子比特。",
        pending=(PlannedTask(type="SEARCH", description="搜索量子算法进展", how="查两处来源"),),
    )
    return agents


def _contradicting(new: Topic, topics: Sequence[Topic]) -> list[ConflictOpinion]:
    (h,) = [topic for topic in topics if "2020-2023" in topic.context and "综合报告（" in topic.context]
    opinion = ConflictOpinion(
        existing=h.node_id,
        confidence=0.95,
        reasoning="量子比特数不同",
        description="量子比特数矛盾",
        new_quote="433个量子比特",
        existing_quote="IBM的量子芯片技术",
    )
    return [opinion]


def _relating(new: Topic, topics: Sequence[Topic]) -> list[RelatedOpinion]:
    opinion = RelatedOpinion(
        existing=NodeId("E"),
        confidence=0.85,
        reasoning="都讨论量子通信",
        context_new="量子通信网络的开通（属于量子通信网络）",
        context_existing="量子通信网络（包含其开通）",
        keywords_new=("网络",),
        keywords_existing=("开通",),
    )
    return [opinion]


async def play(folder: Path) -> Merge:
    agents = _script()
    async with (
        running(settings_for(folder), HashingEmbedder(), agents=lambda _: agents.roles) as address,
        MemoryBankClient(str(address)) as client,
    ):
        await client.create_bank(bank_id=BANK, goal=GOAL)
        await client.batch_add_nodes(bank_id=BANK, nodes=BEFORE)
        before = await _nodes(client)
        merged = await client.memorize(bank_id=BANK, text=FIRST)
        after = await _nodes(client)
        h = merged.node_ids[0]
        lineage = await client.get_lineage(bank_id=BANK, node_id=h)
        record = await client.get_interaction(bank_id=BANK, node_id="B")
        report = TaskReport(type="搜索", description="搜索芯片规格", status=TASK_STATUS_SUCCEEDED)
        contradicted = await client.advance_task(bank_id=BANK, text=SECOND, task=report)
        (conflict,) = (await client.list_conflicts(bank_id=BANK)).conflicts
        contested = await _nodes(client)
        settled = await client.advance_task(
            bank_id=BANK, text=VERDICT, conflict_id=contradicted.conflict_ids[0]
        )
        (v,) = settled.node_ids
        return Merge(
            agents=agents,
            before=before,
            merged=merged,
            after=after,
            lineage=lineage,
            record=record,
            contradicted=contradicted,
            conflict=conflict,
            contested=contested,
            settled=settled,
            verified=await _nodes(client),
            lineage_of_verdict=await client.get_lineage(bank_id=BANK, node_id=v),
            record_of_verdict=await client.get_interaction(bank_id=BANK, node_id=v),
        )


async def _rest(client: MemoryBankClient) -> None:
    """Waits until the bank does not change any more by itself: its reworded nodes have their vectors."""
    before = -1
    while (revision := (await client.get_bank(bank_id=BANK)).revision) != before:
        before = revision
        await asyncio.sleep(1.0)


async def _nodes(client: MemoryBankClient) -> dict[str, GetNodeResponse]:
    """Every node of the bank with its vector and neighbours, by its id."""
    await _rest(client)
    listed = await client.list_nodes(bank_id=BANK, page_size=100)
    return {
        node.node_id: await client.get_node(bank_id=BANK, node_id=node.node_id, include_embedding=True)
        for node in listed.nodes
    }
