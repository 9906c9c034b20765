"""MemoryBank over a real channel: the life of banks, and the loop of a task."""

from typing import Any

import grpc
from google.protobuf.duration_pb2 import Duration
from google.protobuf.field_mask_pb2 import FieldMask

from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1 import types_pb2
from tests.support.server import Service, refused

CEO_A = "公司的CEO是张三。"
CEO_B = "公司的CEO是李四。"


async def make_bank(service: Service, bank_id: str = "b1", **fields: object) -> pb.CreateBankResponse:
    return await service.bank.CreateBank(pb.CreateBankRequest(bank_id=bank_id, **fields))  # type: ignore[arg-type]


async def test_a_bank_that_is_there_is_got_instead_of_created_where_that_is_allowed(service: Service) -> None:
    asked = pb.CreateBankRequest(bank_id="b1", goal="the first", allow_existing=True)
    again = pb.CreateBankRequest(bank_id="b1", goal="another", allow_existing=True)

    made = await service.bank.CreateBank(asked)
    got = await service.bank.CreateBank(again)

    assert (made.existed, got.existed) == (False, True)
    assert got.bank == made.bank


async def test_a_bank_of_other_vectors_is_not_got(service: Service) -> None:
    await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b1"))
    other = types_pb2.EmbeddingSpace(name="mine", dimension=3, source=types_pb2.SPACE_SOURCE_CLIENT)
    asked = pb.CreateBankRequest(bank_id="b1", embedding_space=other, allow_existing=True)

    said = await refused(service.bank.CreateBank(asked))

    assert said.reason == "EMBEDDING_SPACE_MISMATCH"


async def test_what_may_be_there_has_a_name(service: Service) -> None:
    said = await refused(service.bank.CreateBank(pb.CreateBankRequest(allow_existing=True)))

    assert said.fields == ("bank_id",)


async def contested(service: Service) -> str:
    """A bank with a conflict; the conflict's id."""
    await make_bank(service, goal="谁是CEO？")
    await service.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text=CEO_A))
    second = await service.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text=CEO_B))
    return second.conflict_ids[0]


# ---- banks ----


async def test_a_bank_is_created_as_asked_and_read_back(service: Service) -> None:
    created = await make_bank(
        service,
        goal="找出CEO",
        user="李雷",
        top_k=5,
        alpha=0.25,
        labels={"team": "研究"},
        ttl=Duration(seconds=60),
    )

    read = await service.bank.GetBank(pb.GetBankRequest(bank_id="b1", min_revision=created.revision))

    assert read.bank == created.bank
    assert (read.bank.goal, read.bank.user, read.bank.top_k, read.bank.alpha) == ("找出CEO", "李雷", 5, 0.25)
    assert not read.bank.HasField("chunk_ratio")
    assert read.bank.ttl == Duration(seconds=60)
    assert read.counts == types_pb2.BankCounts()


async def test_a_bank_without_an_id_gets_one(service: Service) -> None:
    created = await make_bank(service, bank_id="")

    assert await service.bank_ids() == [created.bank.bank_id]


async def test_a_bank_is_not_created_twice(service: Service) -> None:
    await make_bank(service)

    refusal = await refused(make_bank(service))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ALREADY_EXISTS, "BANK_EXISTS")
    assert refusal.metadata == {"bank_id": "b1"}


async def test_a_repeated_creation_gets_the_first_answer(service: Service) -> None:
    first = await make_bank(service, bank_id="", goal="once", request_id="r1")

    again = await make_bank(service, bank_id="", goal="once", request_id="r1")

    assert again.replayed
    assert again.bank == first.bank


async def test_a_request_id_with_another_body_is_refused(service: Service) -> None:
    await make_bank(service, bank_id="b1", goal="once", request_id="r1")

    refusal = await refused(make_bank(service, bank_id="b1", goal="twice", request_id="r1"))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "REQUEST_ID_REUSED")
    assert refusal.fields == ("request_id",)


async def test_banks_are_listed_page_by_page(service: Service) -> None:
    for number in range(5):
        await make_bank(service, bank_id=f"b{number}", user="even" if number % 2 == 0 else "odd")

    listed, token = [], ""
    while True:
        page = await service.bank.ListBanks(pb.ListBanksRequest(user="even", page_size=2, page_token=token))
        listed.append([bank.bank_id for bank in page.banks])
        token = page.next_page_token
        if not token:
            break

    assert listed == [["b0", "b2"], ["b4"]]


async def test_a_page_token_goes_only_with_its_own_request(service: Service) -> None:
    for number in range(3):
        await make_bank(service, bank_id=f"b{number}")
    page = await service.bank.ListBanks(pb.ListBanksRequest(page_size=1))

    refusal = await refused(
        service.bank.ListBanks(pb.ListBanksRequest(user="someone", page_token=page.next_page_token))
    )

    assert (refusal.reason, refusal.fields) == ("INVALID_FIELD", ("page_token",))


async def test_an_update_sets_what_its_mask_names_and_clears_what_is_absent(service: Service) -> None:
    await make_bank(service, goal="old", top_k=5, alpha=0.25)

    updated = await service.bank.UpdateBank(
        pb.UpdateBankRequest(
            bank_id="b1",
            bank=types_pb2.Bank(goal="new", alpha=0.9),
            update_mask=FieldMask(paths=["goal", "top_k"]),
        )
    )

    assert (updated.bank.goal, updated.bank.alpha) == ("new", 0.25)
    assert not updated.bank.HasField("top_k")


async def test_an_update_of_what_changed_since_it_was_read_is_aborted(service: Service) -> None:
    created = await make_bank(service)
    change = pb.UpdateBankRequest(
        bank_id="b1",
        bank=types_pb2.Bank(goal="new"),
        update_mask=FieldMask(paths=["goal"]),
        if_revision=created.revision,
    )
    await service.bank.UpdateBank(change)

    refusal = await refused(service.bank.UpdateBank(change))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ABORTED, "STALE_REVISION")
    assert refusal.metadata == {"expected": "1", "actual": "2"}


async def test_a_purge_counts_what_it_removed_and_leaves_nothing(service: Service) -> None:
    await make_bank(service)
    await service.graph.AddNode(
        graph.AddNodeRequest(bank_id="b1", summary="a fact", verbatim="the fact itself")
    )

    purged = await service.bank.DeleteBank(pb.DeleteBankRequest(bank_id="b1"))

    assert (purged.counts.nodes, purged.counts.interactions) == (1, 1)
    refusal = await refused(service.bank.GetBank(pb.GetBankRequest(bank_id="b1")))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "BANK_NOT_FOUND")
    gone = await service.bank.DeleteBank(pb.DeleteBankRequest(bank_id="b1", allow_missing=True))
    assert gone.counts == pb.PurgeCounts()


async def test_a_revision_still_to_come_is_not_reached(service: Service) -> None:
    await make_bank(service)

    refusal = await refused(service.bank.GetBank(pb.GetBankRequest(bank_id="b1", min_revision=99)))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "REVISION_NOT_REACHED")


# ---- the loop ----


async def test_a_task_is_started_advanced_and_finished(service: Service) -> None:
    started = await service.bank.StartTask(
        pb.StartTaskRequest(bank_id="t1", goal="谁是公司的CEO？", text="公司成立于1999年。")
    )

    response: Any = started
    steps = 0
    while not getattr(response, "finished", False) and steps < 5:
        task = response.insight.pending[0]
        report = types_pb2.TaskReport(task_id=task.task_id, type=task.type, description=task.description)
        response = await service.bank.AdvanceTask(
            pb.AdvanceTaskRequest(bank_id="t1", text=f"第{steps}步：{CEO_A}", task=report)
        )
        steps += 1

    assert "谁是公司的CEO" in started.prompt
    assert "deep_retrieval" in started.tools[0]
    assert started.node_ids
    assert response.finished
    assert response.prompt == ""
    assert (await service.bank.GetBank(pb.GetBankRequest(bank_id="t1"))).bank.HasField("finish_time")


async def test_a_memory_that_contradicts_opens_a_conflict_and_a_verdict_closes_it(service: Service) -> None:
    conflict_id = await contested(service)
    opened = (await service.bank.ListConflicts(pb.ListConflictsRequest(bank_id="b1"))).conflicts

    settled = await service.bank.ResolveConflict(
        pb.ResolveConflictRequest(
            bank_id="b1", conflict_id=conflict_id, verdict="经核实，公司的CEO是李四。", evidence="公司公告"
        )
    )

    assert [c.conflict_id for c in opened] == [conflict_id]
    assert len(opened[0].sides) == 2
    assert settled.conflict.status == types_pb2.CONFLICT_STATUS_RESOLVED
    node = (await service.graph.GetNode(graph.GetNodeRequest(bank_id="b1", node_id=settled.node_id))).node
    assert "李四" in node.summary
    assert not (await service.bank.ListConflicts(pb.ListConflictsRequest(bank_id="b1"))).conflicts


async def test_a_closed_conflict_is_not_settled_again(service: Service) -> None:
    conflict_id = await contested(service)
    dismissal = pb.ResolveConflictRequest(bank_id="b1", conflict_id=conflict_id, dismiss=True)
    await service.bank.ResolveConflict(dismissal)

    refusal = await refused(service.bank.ResolveConflict(dismissal))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "CONFLICT_CLOSED")


async def test_a_memory_that_is_only_stored_is_structured_in_the_background(service: Service) -> None:
    await make_bank(service)

    stored = await service.bank.Memorize(
        pb.MemorizeRequest(bank_id="b1", text=CEO_A, wait=types_pb2.WAIT_STORED, request_id="r1")
    )
    done = await service.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text=CEO_A, request_id="r1"))

    assert stored.state == types_pb2.STRUCTURING_STATE_PENDING
    assert done.replayed
    assert done.interaction_id == stored.interaction_id
    assert done.state == types_pb2.STRUCTURING_STATE_DONE


async def test_restructure_finishes_what_was_only_stored(service: Service) -> None:
    await make_bank(service)
    stored = await service.bank.Memorize(
        pb.MemorizeRequest(bank_id="b1", text=CEO_A, wait=types_pb2.WAIT_STORED)
    )

    await service.bank.Restructure(
        pb.RestructureRequest(bank_id="b1", interaction_ids=[stored.interaction_id])
    )

    counts = (await service.bank.GetBank(pb.GetBankRequest(bank_id="b1"))).counts
    assert (counts.nodes, counts.unstructured_interactions) == (1, 0)


async def test_messages_are_remembered_with_their_speakers(service: Service) -> None:
    await make_bank(service)

    memory = await service.bank.Memorize(
        pb.MemorizeRequest(
            bank_id="b1",
            messages=[
                types_pb2.Message(message_id="m1", speaker="Alice", text="Paris is the capital of France."),
                types_pb2.Message(message_id="m2", speaker="鲍勃", text="法国的首都是巴黎。"),
            ],
        )
    )

    assert memory.state == types_pb2.STRUCTURING_STATE_DONE
    assert memory.node_ids


async def test_the_insight_document_is_read_and_changed(service: Service) -> None:
    await make_bank(service, goal="old")

    changed = await service.bank.UpdateInsight(
        pb.UpdateInsightRequest(
            bank_id="b1",
            insight=types_pb2.Insight(
                goal="new", pending=[types_pb2.PendingTask(type="SEARCH", description="look")]
            ),
            update_mask=FieldMask(paths=["goal", "pending"]),
        )
    )

    read = await service.bank.GetInsight(pb.GetInsightRequest(bank_id="b1", min_revision=changed.revision))
    assert read.insight == changed.insight
    assert read.insight.goal == "new"
    assert read.insight.pending[0].task_id
