"""Ordinary calls in banks that have been through something: none ends INTERNAL, none writes and then refuses."""

from typing import Any

import grpc
import pytest

from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1 import retrieval_pb2 as retrieval
from memorybank.v1 import types_pb2
from tests.support.server import Service, refused

CEO_A = "The CEO of Halden Optics is Ada Berg."
CEO_B = "The CEO of Halden Optics is Nils Lund."
LONGEST = 16_384  # code points of a goal


async def make_conflict(service: Service, goal: str = "") -> str:
    await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b1", goal=goal))
    await service.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text=CEO_A))
    second = await service.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text=CEO_B))
    return second.conflict_ids[0]


async def dismiss(service: Service, conflict_id: str) -> None:
    await service.bank.ResolveConflict(
        pb.ResolveConflictRequest(bank_id="b1", conflict_id=conflict_id, dismiss=True)
    )


# ---- words that say nothing, in a bank that has known a conflict ----


async def test_a_search_for_no_word_finds_nothing_where_a_conflict_is_open(service: Service) -> None:
    await make_conflict(service)

    found = await service.retrieval.Search(
        retrieval.SearchRequest(bank_id="b1", text="?", mode=retrieval.SEARCH_MODE_ATTRIBUTE)
    )

    assert not found.hits


async def test_a_bank_without_a_goal_goes_on_after_its_conflict_was_dismissed(service: Service) -> None:
    await dismiss(service, await make_conflict(service))

    augmented = await service.retrieval.Augment(retrieval.AugmentRequest(bank_id="b1"))
    started = await service.bank.StartTask(pb.StartTaskRequest(bank_id="b1"))
    advanced = await service.bank.AdvanceTask(
        pb.AdvanceTaskRequest(bank_id="b1", text="Nils Lund left in May.", request_id="r1")
    )
    again = await service.bank.AdvanceTask(
        pb.AdvanceTaskRequest(bank_id="b1", text="Nils Lund left in May.", request_id="r1")
    )

    assert augmented.prompt
    assert started.prompt
    assert again.interaction_id == advanced.interaction_id


@pytest.mark.parametrize("verdict", ["Nils Lund is the CEO.", ""], ids=["by a verdict", "dismissed"])
async def test_a_bank_without_a_goal_is_not_finished_by_the_end_of_its_conflict(
    service: Service, verdict: str
) -> None:
    conflict_id = await make_conflict(service)

    await service.bank.ResolveConflict(
        pb.ResolveConflictRequest(bank_id="b1", conflict_id=conflict_id, verdict=verdict, dismiss=not verdict)
    )

    bank = (await service.bank.GetBank(pb.GetBankRequest(bank_id="b1"))).bank
    assert not bank.HasField("finish_time")
    assert not bank.HasField("purge_time")


# ---- a budget too small for any prompt ----


async def test_a_budget_too_small_is_refused_before_anything_is_written(service: Service) -> None:
    started = await service.bank.StartTask(pb.StartTaskRequest(bank_id="b1", goal="Who is the CEO?"))
    advance = pb.AdvanceTaskRequest(bank_id="b1", text=CEO_A, token_budget=1, request_id="r1")

    refusal = await refused(service.bank.AdvanceTask(advance))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "BUDGET_TOO_SMALL")
    assert refusal.fields == ("token_budget",)
    assert await service.revision("b1") == started.revision
    advance.token_budget = int(refusal.metadata["needed"])
    assert (await service.bank.AdvanceTask(advance)).interaction_id


async def test_a_task_that_begins_with_a_budget_too_small_makes_no_bank(service: Service) -> None:
    refusal = await refused(
        service.bank.StartTask(pb.StartTaskRequest(bank_id="b1", goal="Who?", text=CEO_A, token_budget=1))
    )

    assert refusal.reason == "BUDGET_TOO_SMALL"
    assert await service.bank_ids() == []


@pytest.mark.parametrize("letter", ["x ", "长"])
async def test_the_longest_goal_there_may_be_gets_its_prompts(service: Service, letter: str) -> None:
    goal = (letter * LONGEST)[:LONGEST]

    started = await service.bank.StartTask(pb.StartTaskRequest(bank_id="b1", goal=goal))
    augmented = await service.retrieval.Augment(retrieval.AugmentRequest(bank_id="b1", token_budget=1_000))
    advanced = await service.bank.AdvanceTask(pb.AdvanceTaskRequest(bank_id="b1", text=CEO_A))

    assert started.insight.goal == goal
    assert all(one.prompt for one in (started, augmented, advanced))
    assert sum(section.tokens for section in augmented.sections) <= 1_000


# ---- what goes out comes in again ----


async def exported(service: Service) -> list[pb.ExportRecord]:
    return [one.record async for one in service.bank.ExportBank(pb.ExportBankRequest(bank_id="b1"))]


async def imported(service: Service, records: list[pb.ExportRecord]) -> Any:
    options = pb.ImportBankRequest(options=pb.ImportOptions(bank_id="copy"))
    return await service.bank.ImportBank(
        iter([options, *(pb.ImportBankRequest(record=one) for one in records)])
    )


async def test_a_bank_with_the_longest_goal_is_exported_and_imported(service: Service) -> None:
    await service.bank.StartTask(pb.StartTaskRequest(bank_id="b1", goal="x" * LONGEST))

    made = await imported(service, await exported(service))

    assert made.bank.goal == "x" * LONGEST


async def test_a_prompt_longer_than_a_goal_may_be_is_memorized_whole(service: Service) -> None:
    prompt = "the tide rises and the tide falls " * 2_000

    started = await service.bank.StartTask(pb.StartTaskRequest(bank_id="b1", prompt=prompt))

    assert 0 < len(started.bank.goal) <= LONGEST
    assert started.interaction_id
    assert (await imported(service, await exported(service))).bank.goal == started.bank.goal


# ---- repeated calls ----


async def test_relating_what_was_related_is_remembered_like_any_other_call(service: Service) -> None:
    await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b1"))
    for node_id in ("n1", "n2"):
        await service.graph.AddNode(graph.AddNodeRequest(bank_id="b1", node_id=node_id, summary=node_id))
    relate = graph.RelateRequest(bank_id="b1", node_id="n1", other_node_id="n2")
    repeatable = graph.RelateRequest(bank_id="b1", node_id="n1", other_node_id="n2", request_id="q")
    await service.graph.Relate(relate)
    await service.graph.Relate(repeatable)
    await service.graph.Unrelate(graph.UnrelateRequest(bank_id="b1", node_id="n1", other_node_id="n2"))

    again = await service.graph.Relate(repeatable)

    assert again.replayed
    neighbors = await service.graph.ListNeighbors(graph.ListNeighborsRequest(bank_id="b1", node_id="n1"))
    assert not neighbors.neighbors


async def test_a_repeated_memorize_tells_what_the_first_one_cost_and_its_revision(service: Service) -> None:
    await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b1"))
    first = await service.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text=CEO_A, request_id="r1"))
    await service.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text="Tides follow the moon."))

    again = await service.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text=CEO_A, request_id="r1"))

    first.replayed = True
    assert first.usage.roles
    assert again == first


# ---- a bank takes more than one question ----


async def test_a_finished_bank_takes_the_next_question(service: Service) -> None:
    first = await finish(service, "Who is the CEO of Halden Optics?")

    second = await service.bank.StartTask(
        pb.StartTaskRequest(bank_id="b1", goal="Where does Halden Optics have its seat?")
    )
    end = await finish(service, "Where does Halden Optics have its seat?")

    assert first.finished
    assert second.insight.pending
    assert not second.insight.finished
    assert not second.bank.HasField("finish_time")
    assert end.finished
    kept = [task.task_id for task in end.insight.completed]
    assert [task.task_id for task in first.insight.completed] == kept[: len(first.insight.completed)]


async def test_the_same_question_may_be_asked_again(service: Service) -> None:
    await finish(service, "Who is the CEO?")

    again = await service.bank.StartTask(pb.StartTaskRequest(bank_id="b1", goal="Who is the CEO?"))
    without = await service.bank.StartTask(pb.StartTaskRequest(bank_id="b1"))

    assert again.insight.pending
    assert without.insight == again.insight


async def finish(service: Service, goal: str) -> pb.AdvanceTaskResponse:
    """Asks and works until there is nothing left to do."""
    step: Any = await service.bank.StartTask(pb.StartTaskRequest(bank_id="b1", goal=goal))
    for number in range(10):
        assert step.insight.pending, step.insight
        task = step.insight.pending[0]
        report = types_pb2.TaskReport(task_id=task.task_id, type=task.type, description=task.description)
        step = await service.bank.AdvanceTask(
            pb.AdvanceTaskRequest(bank_id="b1", text=f"Step {number}: {CEO_A}", task=report)
        )
        if step.finished:
            return step  # type: ignore[no-any-return]
    raise AssertionError("it goes on and on")
