"""Cross-validation over a real channel: what a verdict does, what makes one, and what stays settled."""

from typing import Any

import grpc
import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from memorybank.v1 import deep_retrieval_pb2 as deep
from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1 import types_pb2 as types
from tests.support.server import Refused, Service, refused

FERRY = ("The ferry to Naxos leaves at nine. It leaves from pier 3.", "The ferry to Naxos leaves at ten.")


async def contested(service: Service, *texts: str, goal: str = "Plan the trip.") -> str:
    """Bank b1 with texts of which the last contradicts the one before; the conflict's id."""
    await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b1", goal=goal))
    for text in texts:
        told = await service.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text=text))
    (conflict_id,) = told.conflict_ids
    return conflict_id


async def refuted(service: Service) -> dict[str, str]:
    """The words of all records of b1 that verdicts speak against, each with the conflict's id."""
    listed = await service.deep.ListInteractions(deep.ListInteractionsRequest(bank_id="b1"))
    found = {}
    for each in listed.interactions:
        asked = deep.GetInteractionRequest(bank_id="b1", interaction_id=each.interaction_id)
        (record,) = (await service.deep.GetInteraction(asked)).interactions
        for span in record.segments:
            for words in span.refuted:
                assert span.refuted_by
                said = record.text[span.start + words.start : span.start + words.end]
                found[said] = words.conflict_id
    return found


async def summaries(service: Service) -> dict[str, Any]:
    """The nodes of b1: their summaries, and the states they are in."""
    listed = await service.graph.ListNodes(graph.ListNodesRequest(bank_id="b1"))
    return {node.summary: node.state for node in listed.nodes}


async def unwritten(service: Service, request: pb.AdvanceTaskRequest) -> Refused:
    """How a task's report was refused; the bank is what it was."""
    before = await service.revision("b1")
    refusal = await refused(service.bank.AdvanceTask(request))
    assert await service.revision("b1") == before
    return refusal


# ---- what is refuted ----


@pytest.mark.parametrize(
    ("texts", "verdict", "wrong"),
    [
        (FERRY, "The ferry to Naxos leaves at ten.", "The ferry to Naxos leaves at nine."),
        (
            ("星河公司的CEO是张三。公司总部在上海。", "星河公司的CEO是李四。"),
            "经核实，星河公司的CEO是李四。",
            "星河公司的CEO是张三。",
        ),
    ],
)
async def test_a_verdict_refutes_a_sentence_and_not_its_whole_segment(
    service: Service, texts: tuple[str, ...], verdict: str, wrong: str
) -> None:
    conflict_id = await contested(service, *texts)

    await service.bank.ResolveConflict(
        pb.ResolveConflictRequest(bank_id="b1", conflict_id=conflict_id, verdict=verdict)
    )

    assert await refuted(service) == {wrong: conflict_id}


# ---- what a verdict decides ----


MUSEUM = ("The museum is open until 17:00.", "The museum is open until 20:00.")
APART = (
    "There is no contradiction: 17:00 is the winter time, 20:00 the summer time. Keep both memories apart.",
    "Both are true: the museum closes at 17:00 in winter and at 20:00 in summer.",
    "These do not contradict each other; the two times belong to different seasons.",
)
CEO = ("星河公司的CEO是张三。", "星河公司的CEO是李四。")
APART_ZH = (
    "两者并不矛盾：张三是前任CEO，李四是现任CEO。两条记忆都保留。",
    "经核实，两者都属实：张三任职到四月，李四从五月起任职。",
    "没有冲突，说的是两家不同的公司。",
)


@pytest.mark.parametrize(
    ("texts", "verdict"),
    [*((MUSEUM, words) for words in APART), *((CEO, words) for words in APART_ZH)],
)
async def test_a_verdict_in_words_may_find_no_contradiction(
    service: Service, texts: tuple[str, ...], verdict: str
) -> None:
    conflict_id = await contested(service, *texts)

    settled = await service.bank.ResolveConflict(
        pb.ResolveConflictRequest(bank_id="b1", conflict_id=conflict_id, verdict=verdict)
    )

    assert settled.conflict.status == types.CONFLICT_STATUS_DISMISSED
    assert settled.conflict.verdict == verdict
    assert await summaries(service) == dict.fromkeys(texts, types.NODE_STATE_ACTIVE)
    assert await refuted(service) == {}


@pytest.mark.parametrize(
    ("texts", "verdict", "kept"),
    [
        (MUSEUM, "Neither is right: since May the museum is open until 18:00.", "18:00"),
        (MUSEUM, "The museum is open until 20:00; 17:00 is wrong.", "20:00"),
        (MUSEUM, "There is no doubt: the museum is open until 20:00, not until 17:00.", "20:00"),
        (CEO, "经核实，星河公司的CEO是王五，两种说法都不对。", "王五"),
        (CEO, "公司公告显示，星河公司的CEO是李四，张三的说法有误。", "李四"),
    ],
)
async def test_a_verdict_in_words_for_one_value_or_a_third_is_a_merge(
    service: Service, texts: tuple[str, ...], verdict: str, kept: str
) -> None:
    conflict_id = await contested(service, *texts)

    settled = await service.bank.ResolveConflict(
        pb.ResolveConflictRequest(bank_id="b1", conflict_id=conflict_id, verdict=verdict)
    )

    assert settled.conflict.status == types.CONFLICT_STATUS_RESOLVED
    (summary,) = await summaries(service)
    assert kept in summary


async def test_a_task_may_say_that_there_is_no_contradiction(service: Service) -> None:
    conflict_id = await contested(service, *MUSEUM)
    words = "The museum's page lists 17:00 for winter and 20:00 for summer."

    done = await service.bank.AdvanceTask(
        pb.AdvanceTaskRequest(
            bank_id="b1", text=words, conflict_id=conflict_id, verdict_type=types.VERDICT_TYPE_DISMISS
        )
    )

    assert await summaries(service) == dict.fromkeys(MUSEUM, types.NODE_STATE_ACTIVE)
    assert done.open_conflict_ids == []
    (validated,) = done.insight.completed
    assert (validated.type, validated.context) == ("CROSS_VALIDATION", words)
    again = await service.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text="Museums charge 9 euro."))
    assert not again.conflict_ids


async def test_a_typed_verdict_outweighs_its_words(service: Service) -> None:
    conflict_id = await contested(service, *MUSEUM)

    settled = await service.bank.ResolveConflict(
        pb.ResolveConflictRequest(
            bank_id="b1",
            conflict_id=conflict_id,
            verdict="There is no contradiction any more: the museum is open until 20:00.",
            verdict_type=types.VERDICT_TYPE_MERGE,
        )
    )

    assert settled.conflict.status == types.CONFLICT_STATUS_RESOLVED


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"verdict_type": types.VERDICT_TYPE_MERGE}, "verdict"),
        ({"verdict_type": types.VERDICT_TYPE_MERGE, "verdict": "20:00", "dismiss": True}, "verdict_type"),
        ({}, "verdict"),
        ({"verdict": "20:00", "verdict_type": 99}, "verdict_type"),
    ],
)
async def test_a_verdict_that_says_two_things_or_none_is_refused(
    service: Service, fields: dict[str, Any], field: str
) -> None:
    conflict_id = await contested(service, *MUSEUM)

    refusal = await refused(
        service.bank.ResolveConflict(
            pb.ResolveConflictRequest(bank_id="b1", conflict_id=conflict_id, **fields)
        )
    )

    assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, (field,))


# ---- what makes a verdict ----


async def test_a_context_that_reports_no_task_is_memory_while_a_validation_waits(service: Service) -> None:
    conflict_id = await contested(service, *MUSEUM)

    done = await service.bank.AdvanceTask(
        pb.AdvanceTaskRequest(bank_id="b1", text="The ferry leaves at nine. A ticket costs 42 euro.")
    )

    assert done.open_conflict_ids == [conflict_id]
    assert done.insight.pending[0].conflict_id == conflict_id
    assert len(await summaries(service)) == 3


@pytest.mark.parametrize("word", ["CROSS_VALIDATION", "Cross validation", "cross-validation", "交叉验证"])
async def test_the_type_makes_a_verdict_where_one_conflict_is_open(service: Service, word: str) -> None:
    await contested(service, *MUSEUM)

    done = await service.bank.AdvanceTask(
        pb.AdvanceTaskRequest(
            bank_id="b1", text="The museum is open until 20:00.", task=types.TaskReport(type=word)
        )
    )

    assert done.open_conflict_ids == []
    assert [task.type for task in done.insight.completed] == ["CROSS_VALIDATION"]
    assert len(await summaries(service)) == 1


async def test_the_type_alone_is_refused_where_several_conflicts_are_open(service: Service) -> None:
    first = await contested(service, *MUSEUM)
    told = [await service.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text=text)) for text in FERRY]
    (second,) = told[-1].conflict_ids

    refusal = await unwritten(
        service,
        pb.AdvanceTaskRequest(
            bank_id="b1", text="The ferry leaves at ten.", task=types.TaskReport(type="CROSS_VALIDATION")
        ),
    )

    assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, ("conflict_id",))
    assert first in refusal.message
    assert second in refusal.message


@pytest.mark.parametrize(
    ("fields", "code", "reason"),
    [
        ({"conflict_id": "c-never"}, grpc.StatusCode.NOT_FOUND, "CONFLICT_NOT_FOUND"),
        ({"task": types.TaskReport(type="!?")}, grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD"),
        (
            {"task": types.TaskReport(type="SEARCH", retry_of="t-never")},
            grpc.StatusCode.NOT_FOUND,
            "TASK_NOT_FOUND",
        ),
        (
            {"task": types.TaskReport(type="交叉验证")},
            grpc.StatusCode.INVALID_ARGUMENT,
            "INVALID_FIELD",
        ),
        ({"verdict_type": types.VERDICT_TYPE_DISMISS}, grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD"),
    ],
)
async def test_bad_input_is_named_and_writes_nothing(
    service: Service, fields: dict[str, Any], code: grpc.StatusCode, reason: str
) -> None:
    await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b1", goal="Plan the trip."))

    refusal = await unwritten(service, pb.AdvanceTaskRequest(bank_id="b1", text="20:00.", **fields))

    assert (refusal.code, refusal.reason) == (code, reason)


async def test_a_verdict_on_a_closed_conflict_is_refused_and_writes_nothing(service: Service) -> None:
    conflict_id = await contested(service, *MUSEUM)
    await service.bank.ResolveConflict(
        pb.ResolveConflictRequest(bank_id="b1", conflict_id=conflict_id, dismiss=True)
    )

    refusal = await unwritten(
        service, pb.AdvanceTaskRequest(bank_id="b1", text="20:00.", conflict_id=conflict_id)
    )

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "CONFLICT_CLOSED")


# ---- what a verdict rests on ----


async def test_the_evidence_says_what_a_verdict_leaves_unsaid(service: Service) -> None:
    conflict_id = await contested(service, *CEO)
    said = [
        types.Message(role="assistant", text="以工商登记为准。"),
        types.Message(role="evidence", text="工商登记：星河公司的CEO是李四。"),
    ]

    await service.bank.AdvanceTask(
        pb.AdvanceTaskRequest(bank_id="b1", messages=said, conflict_id=conflict_id)
    )

    assert await refuted(service) == {CEO[0]: conflict_id}
    (summary,) = await summaries(service)
    assert summary == "以工商登记为准。\n星河公司的CEO是李四。"


async def test_a_merged_node_is_as_old_as_its_verdict(service: Service) -> None:
    conflict_id = await contested(service, *MUSEUM)
    when = Timestamp(seconds=1_700_000_000)

    done = await service.bank.AdvanceTask(
        pb.AdvanceTaskRequest(bank_id="b1", text=MUSEUM[1], conflict_id=conflict_id, event_time=when)
    )

    asked = graph.GetNodeRequest(bank_id="b1", node_id=done.node_ids[0])
    assert (await service.graph.GetNode(asked)).node.event_time == when
