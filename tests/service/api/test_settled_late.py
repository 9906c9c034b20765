"""What settles or drops a conflict beside the loop of tasks: the task has a next step, or an end that is true."""

from typing import Any

import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from memorybank.v1 import deep_retrieval_pb2 as deep
from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1 import types_pb2
from tests.service.api.test_task_ends import FAILED, report, start
from tests.support.server import Service

BERG = "The CEO of Halden Optics is Ada Berg."
LUND = "The CEO of Halden Optics is Nils Lund."
GOAL = "Who is the CEO of Halden Optics?"


async def insight_of(service: Service) -> types_pb2.Insight:
    return (await service.bank.GetInsight(pb.GetInsightRequest(bank_id="b1"))).insight


async def given_up(service: Service, **said: str) -> str:
    """A task that ended while its conflict is open: the validation failed too often. Returns the conflict's id."""
    await start(service, GOAL, text=BERG)
    step: Any = await report(service, LUND, type="SEARCH", description="Ask around")
    conflict_id: str = step.insight.pending[0].conflict_id
    while step.insight.pending[0].conflict_id:
        task_id = step.insight.pending[0].task_id
        step = await report(service, status=FAILED, type="CROSS_VALIDATION", task_id=task_id, **said)
    while not step.insight.finished:
        step = await report(service, "It is unclear.")
    assert step.insight.outcome == types_pb2.TASK_OUTCOME_GAVE_UP
    return conflict_id


async def finished(service: Service) -> None:
    step: Any = await start(service, GOAL, text=BERG)
    while not step.insight.finished:
        step = await report(service, BERG)


@pytest.mark.parametrize(
    "settled",
    [{"verdict": LUND}, {"dismiss": True}],
    ids=["by a verdict", "by a dismissal"],
)
@pytest.mark.parametrize("said", [{}, {"description": "Rang the switchboard"}], ids=["", "in other words"])
async def test_a_conflict_that_is_settled_after_its_validation_was_given_up_makes_the_failures_good(
    service: Service, settled: dict[str, Any], said: dict[str, str]
) -> None:
    conflict_id = await given_up(service, **said)

    await service.bank.ResolveConflict(
        pb.ResolveConflictRequest(bank_id="b1", conflict_id=conflict_id, **settled)
    )

    insight = await insight_of(service)
    assert insight.finished
    assert insight.outcome == types_pb2.TASK_OUTCOME_SUCCEEDED
    assert insight.completed[-1].retry_of
    assert insight.completed[-1].context


async def test_a_validation_that_fails_once_more_after_it_was_given_up_counts_to_the_same_attempts(
    service: Service,
) -> None:
    conflict_id = await given_up(service)
    again = types_pb2.TaskReport(description="Asked the press office", status=FAILED)
    await service.bank.AdvanceTask(pb.AdvanceTaskRequest(bank_id="b1", task=again, conflict_id=conflict_id))

    await service.bank.ResolveConflict(
        pb.ResolveConflictRequest(bank_id="b1", conflict_id=conflict_id, verdict=LUND)
    )

    assert (await insight_of(service)).outcome == types_pb2.TASK_OUTCOME_SUCCEEDED


async def test_a_finished_task_that_comes_upon_a_conflict_goes_on_and_ends_again_when_it_is_moot(
    service: Service,
) -> None:
    await finished(service)

    told = await service.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text=LUND))
    open_ = await service.bank.GetBank(pb.GetBankRequest(bank_id="b1"))
    await service.graph.DeleteNode(graph.DeleteNodeRequest(bank_id="b1", node_id=told.node_ids[0]))
    ended = await service.bank.GetBank(pb.GetBankRequest(bank_id="b1"))

    assert told.insight.pending[0].conflict_id == told.conflict_ids[0]
    assert not told.insight.finished
    assert not open_.bank.HasField("purge_time")
    assert (await insight_of(service)).outcome == types_pb2.TASK_OUTCOME_SUCCEEDED
    assert ended.bank.HasField("purge_time")


async def test_a_conflict_that_is_moot_before_anything_was_done_leaves_the_next_step(
    service: Service,
) -> None:
    await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b1", goal=GOAL))
    await service.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text=BERG))
    told = await service.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text=LUND))

    await service.graph.DeleteNode(graph.DeleteNodeRequest(bank_id="b1", node_id=told.node_ids[0]))

    assert [task.type for task in (await insight_of(service)).pending] == ["SOLVE"]


@pytest.mark.parametrize(
    ("change", "left"),
    [
        ({"pending": []}, ["SEARCH"]),
        ({"goal": "Who owns Halden Optics?", "pending": []}, ["SEARCH"]),
    ],
)
async def test_a_plan_emptied_by_hand_is_made_anew_while_a_failure_is_not_made_good(
    service: Service, change: dict[str, Any], left: list[str]
) -> None:
    await start(service, GOAL)
    await report(service, status=FAILED)

    changed = await service.bank.UpdateInsight(
        pb.UpdateInsightRequest(
            bank_id="b1", insight=types_pb2.Insight(**change), update_mask=FieldMask(paths=[*change])
        )
    )

    assert [task.type for task in changed.insight.pending] == left
    assert not changed.insight.finished


async def test_a_task_begun_anew_on_a_record_that_is_structured_has_its_next_step_at_once(
    service: Service,
) -> None:
    await finished(service)
    known = (await service.deep.ListInteractions(deep.ListInteractionsRequest(bank_id="b1"))).interactions[0]

    await start(service, "Who owns it?", interaction_id=known.interaction_id, wait=types_pb2.WAIT_STORED)

    assert (await insight_of(service)).pending


async def test_a_task_begun_on_a_record_that_came_with_its_node_has_its_next_step(service: Service) -> None:
    await finished(service)
    added = await service.graph.AddNode(
        graph.AddNodeRequest(bank_id="b1", summary="Halden Optics belongs to Ada Berg.", verbatim=BERG)
    )

    await start(service, "Who owns it?", interaction_id=added.node.interaction_ids[0])

    assert (await insight_of(service)).pending


async def test_another_goal_for_a_finished_task_brings_its_next_step(service: Service) -> None:
    await finished(service)

    changed = await service.bank.UpdateInsight(
        pb.UpdateInsightRequest(
            bank_id="b1",
            insight=types_pb2.Insight(goal="Who owns it?"),
            update_mask=FieldMask(paths=["goal"]),
        )
    )

    assert changed.insight.pending
    assert not changed.insight.finished


async def test_another_goal_for_a_finished_bank_brings_its_next_step(service: Service) -> None:
    await finished(service)

    await service.bank.UpdateBank(
        pb.UpdateBankRequest(
            bank_id="b1", bank=types_pb2.Bank(goal="Who owns it?"), update_mask=FieldMask(paths=["goal"])
        )
    )

    insight = await insight_of(service)
    assert insight.pending
    assert not insight.finished
