"""Banks that went through every state; what they hold, and whether they still answer."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import grpc

from memorybank.v1 import deep_retrieval_pb2 as deep
from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1 import retrieval_pb2 as retrieval
from memorybank.v1 import types_pb2
from tests.support.random_requests import Known
from tests.support.server import Service

NINE = "The ferry to Naxos leaves at nine from pier 3."
TEN = "The ferry to Naxos leaves at ten from pier 3."
GOAL = "When does the ferry to Naxos leave?"


async def states(service: Service) -> dict[str, AsyncIterator[pb.ExportRecord]]:
    """A bank for each, written out, so that one that is deleted can come again."""
    await create(service, "empty", goal=GOAL)
    await create(service, "goalless")
    await memorize(service, "goalless", NINE)
    for bank_id in ("open", "resolved", "dismissed", "moot", "verdict"):
        await create(service, bank_id, goal=GOAL)
        await memorize(service, bank_id, NINE)
        conflicts = (await memorize(service, bank_id, TEN)).conflict_ids
        assert conflicts, "the two contradict each other"
        await settle(service, bank_id, conflicts[0])
    for bank_id, status in (
        ("finished", types_pb2.TASK_STATUS_SUCCEEDED),
        ("given-up", types_pb2.TASK_STATUS_FAILED),
    ):
        await work(service, bank_id, status)
    await merged_to_one(service, "one")
    resolved = [one.record async for one in service.bank.ExportBank(pb.ExportBankRequest(bank_id="resolved"))]
    await import_as(service, "imported", resolved)
    return {bank_id: written_out(service, bank_id) for bank_id in await service.bank_ids()}


async def create(service: Service, bank_id: str, goal: str = "") -> None:
    await service.bank.CreateBank(pb.CreateBankRequest(bank_id=bank_id, goal=goal))


async def memorize(service: Service, bank_id: str, text: str) -> pb.MemorizeResponse:
    return await service.bank.Memorize(pb.MemorizeRequest(bank_id=bank_id, text=text))


async def settle(service: Service, bank_id: str, conflict_id: str) -> None:
    if bank_id == "resolved":
        await service.bank.ResolveConflict(
            pb.ResolveConflictRequest(bank_id=bank_id, conflict_id=conflict_id, verdict=TEN)
        )
    elif bank_id == "dismissed":
        await service.bank.ResolveConflict(
            pb.ResolveConflictRequest(bank_id=bank_id, conflict_id=conflict_id, dismiss=True)
        )
    elif bank_id == "verdict":
        await service.bank.AdvanceTask(
            pb.AdvanceTaskRequest(bank_id=bank_id, text=f"{TEN} It was checked.", conflict_id=conflict_id)
        )
    elif bank_id == "moot":
        listed = await service.bank.ListConflicts(pb.ListConflictsRequest(bank_id=bank_id))
        node_id = listed.conflicts[0].sides[0].node_id
        await service.graph.DeleteNode(graph.DeleteNodeRequest(bank_id=bank_id, node_id=node_id))


async def work(service: Service, bank_id: str, status: Any) -> None:
    step: Any = await service.bank.StartTask(pb.StartTaskRequest(bank_id=bank_id, goal=GOAL))
    for _ in range(20):
        if step.insight.finished:
            return
        task = step.insight.pending[0]
        report = types_pb2.TaskReport(task_id=task.task_id, type=task.type, status=status)
        step = await service.bank.AdvanceTask(pb.AdvanceTaskRequest(bank_id=bank_id, text=NINE, task=report))
    raise AssertionError("it goes on and on")


async def merged_to_one(service: Service, bank_id: str) -> None:
    await create(service, bank_id)
    for number in range(3):
        await service.graph.AddNode(
            graph.AddNodeRequest(
                bank_id=bank_id, node_id=f"n{number}", summary=f"{NINE} {number}", verbatim=NINE
            )
        )
    await service.graph.MergeNodes(
        graph.MergeNodesRequest(bank_id=bank_id, node_ids=["n0", "n1", "n2"], summary=NINE)
    )


async def written_out(service: Service, bank_id: str) -> AsyncIterator[pb.ExportRecord]:
    async for one in service.bank.ExportBank(pb.ExportBankRequest(bank_id=bank_id)):
        yield one.record


async def import_as(service: Service, bank_id: str, records: list[pb.ExportRecord]) -> None:
    await service.bank.ImportBank(imported(bank_id, records))


def imported(bank_id: str, records: list[pb.ExportRecord]) -> Iterator[pb.ImportBankRequest]:
    yield pb.ImportBankRequest(options=pb.ImportOptions(bank_id=bank_id))
    yield from (pb.ImportBankRequest(record=record) for record in records)


async def what_there_is(service: Service, kept: dict[str, list[pb.ExportRecord]]) -> dict[str, Known]:
    """The ids in every bank; banks that are gone come again."""
    for bank_id in kept.keys() - set(await service.bank_ids()):
        await import_as(service, bank_id, kept[bank_id])
    return {bank_id: await held(service, bank_id) for bank_id in await service.bank_ids()}


async def held(service: Service, bank_id: str) -> Known:
    nodes = await service.graph.ListNodes(graph.ListNodesRequest(bank_id=bank_id))
    said = await service.deep.ListInteractions(deep.ListInteractionsRequest(bank_id=bank_id))
    statuses = [number for number in types_pb2.ConflictStatus.values() if number]
    conflicts = await service.bank.ListConflicts(pb.ListConflictsRequest(bank_id=bank_id, statuses=statuses))
    insight = (await service.bank.GetInsight(pb.GetInsightRequest(bank_id=bank_id))).insight
    return {
        "node_id": [node.node_id for node in nodes.nodes],
        "interaction_id": [one.interaction_id for one in said.interactions],
        "conflict_id": [conflict.conflict_id for conflict in conflicts.conflicts],
        "task_id": [t.task_id for t in insight.pending] + [t.task_id for t in insight.completed],
        "attachment_id": [each.attachment_id for one in said.interactions for each in one.attachments],
    }


async def goes_on(service: Service, bank_id: str) -> tuple[str, bool | None]:
    """The bank's uid, and whether its work has a next task or an end; None where there is nothing to be done."""
    seen = await service.bank.GetBank(pb.GetBankRequest(bank_id=bank_id))
    insight = (await service.bank.GetInsight(pb.GetInsightRequest(bank_id=bank_id))).insight
    done = insight.completed_before + len(insight.completed) - insight.earlier_tasks
    works = bool(seen.counts.unstructured_interactions)  # beside the calls: what comes next is still to come
    return seen.bank.uid, works or bool(insight.pending or insight.finished) if insight.goal or done else None


async def standing(service: Service, bank_id: str) -> int | None:
    """The bank's revision; None where work goes on beside the calls, or there is no such bank."""
    try:
        seen = await service.bank.GetBank(pb.GetBankRequest(bank_id=bank_id))
    except grpc.aio.AioRpcError:
        return None
    return None if seen.counts.unstructured_interactions else seen.revision


async def counts_of(service: Service, bank_id: str) -> types_pb2.BankCounts:
    return (await service.bank.GetBank(pb.GetBankRequest(bank_id=bank_id))).counts


async def answers_and_moves(service: Service, bank_id: str) -> None:
    """Augment and StartTask answer, and what is written out comes in again."""
    augmented = await service.retrieval.Augment(retrieval.AugmentRequest(bank_id=bank_id))
    assert augmented.prompt
    embeds = (await service.bank.GetBank(pb.GetBankRequest(bank_id=bank_id))).bank.embedding_space.source
    if embeds == types_pb2.SPACE_SOURCE_SERVER:
        started = await service.bank.StartTask(pb.StartTaskRequest(bank_id=bank_id))
        assert started.insight.pending or started.insight.finished, started.insight
    await import_as(service, "moved", [record async for record in written_out(service, bank_id)])
    assert (await counts_of(service, "moved")) == await counts_of(service, bank_id)
    await service.bank.DeleteBank(pb.DeleteBankRequest(bank_id="moved"))
