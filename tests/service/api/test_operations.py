"""GetServerInfo over the wire: what is told is what there is."""

from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration

from memorybank.v1 import conversation_pb2 as conversation
from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import memory_bank_pb2 as bank
from memorybank.v1 import operations_pb2 as pb
from memorybank.v1 import retrieval_pb2 as retrieval
from memorybank.v1.operations_pb2_grpc import OperationsStub
from service.adapters.store.named import migrations
from service.adapters.system_clock import SystemClock
from tests.support.server import serving


async def test_it_tells_what_answers_and_what_there_is(tmp_path: Path) -> None:
    before = datetime.now(UTC)
    async with serving(folder=tmp_path) as service:
        ask = OperationsStub(service.channel).GetServerInfo
        empty = await ask(pb.GetServerInfoRequest())
        for bank_id in ("one", "two"):
            await service.bank.CreateBank(bank.CreateBankRequest(bank_id=bank_id))
        turns = [conversation.Turn(input="你好", reply="Hello")]
        await service.conversation.AddTurns(
            conversation.AddTurnsRequest(user="ada", conversation_id="c", turns=turns)
        )
        for text in ("The ferry to Naxos leaves at nine.", "The ferry to Naxos leaves at ten."):
            await service.bank.Memorize(bank.MemorizeRequest(bank_id="one", text=text))
        conflicts = await service.bank.ListConflicts(bank.ListConflictsRequest(bank_id="one"))
        info = await ask(pb.GetServerInfoRequest())

    assert dict(empty.memories) == {}
    assert (info.version, info.store) == (version("agentic-memory-bank"), "sqlite")
    assert info.schema == len(migrations("sqlite"))
    assert before <= info.start_time.ToDatetime(UTC) <= info.server_time.ToDatetime(UTC) <= datetime.now(UTC)
    assert (info.memories["bank"], info.memories["conversation"], info.memories["user"]) == (2, 1, 1)
    assert info.open_memories["bank"] == 2
    assert 0 < info.open_bytes < info.memory_budget_bytes
    assert info.database_bytes > 0
    assert info.database_bytes % 4_096 == 0
    assert info.disk_free_bytes > 0
    assert info.open_conflicts == len(conflicts.conflicts) == 1
    assert info.purged_by_tomorrow == 0
    assert not info.HasField("oldest_unstructured_time")


@pytest.mark.parametrize(("ttl", "counted"), [(3_600, 1), (48 * 3_600, 0), (-1, 0)])
async def test_what_runs_out_by_tomorrow_is_counted(ttl: int, counted: int) -> None:
    async with serving() as service:
        step: Any = await service.bank.StartTask(
            bank.StartTaskRequest(bank_id="b1", goal="Who?", ttl=Duration(seconds=ttl))
        )
        while not step.insight.finished:
            step = await service.bank.AdvanceTask(
                bank.AdvanceTaskRequest(bank_id="b1", text="Ada Berg did it.")
            )
        info = await OperationsStub(service.channel).GetServerInfo(pb.GetServerInfoRequest())

    assert info.purged_by_tomorrow == counted


async def test_what_was_taken_back_and_neither_released_nor_erased_for_too_long_is_counted() -> None:
    moment = 1e-9  # days
    async with serving(long_term={"review_days": moment}) as service:
        stub: Any = OperationsStub(service.channel)
        ada: dict[str, Any] = {"user": "ada"}
        await service.bank.CreateBank(bank.CreateBankRequest(bank_id="b"))
        for source in ("web", "mail"):
            memorize = bank.MemorizeRequest(bank_id="b", text="The ferry leaves at nine.", source=source)
            await service.bank.Memorize(memorize)
            await service.bank.RetractInteractions(
                bank.RetractInteractionsRequest(bank_id="b", source=source)
            )
        fact = long_term.StoreFactRequest(content="渡轮九点出发。", source="web", **ada)
        record_id = (await service.long_term.StoreFact(fact)).record.record_id
        await service.long_term.RetractRecords(long_term.RetractRecordsRequest(record_ids=[record_id], **ada))
        before = await stub.GetServerInfo(pb.GetServerInfoRequest())

        (first, _) = (
            await service.bank.ListInteractionRetractions(bank.ListInteractionRetractionsRequest(bank_id="b"))
        ).retractions
        await service.bank.ReleaseInteractions(
            bank.ReleaseInteractionsRequest(bank_id="b", retraction_id=first.retraction_id)
        )
        after = await stub.GetServerInfo(pb.GetServerInfoRequest())

    assert (before.overdue_retractions, after.overdue_retractions) == (3, 2)


async def test_keys_that_no_context_has_shown_for_a_month_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    later = timedelta()
    monkeypatch.setattr(SystemClock, "now", lambda _: datetime.now(UTC) + later)
    monkeypatch.setattr("service.assembly.periodic.USES_SECONDS", 0.02)
    async with serving() as service:
        stub: Any = OperationsStub(service.channel)
        talk: dict[str, Any] = {"user": "ada", "conversation_id": "c"}
        turns = [conversation.Turn(input="你好", reply="Hello")]
        await service.conversation.AddTurns(conversation.AddTurnsRequest(turns=turns, **talk))
        await service.conversation.AddKey(conversation.AddKeyRequest(text="预算 900 欧元", **talk))
        context = retrieval.AssembleContextRequest(input="How much may it cost?", **talk)
        new = await stub.GetServerInfo(pb.GetServerInfoRequest())
        later = timedelta(days=31)
        context.observe = True
        await service.retrieval.AssembleContext(context)
        unshown = await stub.GetServerInfo(pb.GetServerInfoRequest())
        context.observe = False
        await service.retrieval.AssembleContext(context)
        while (shown := await stub.GetServerInfo(pb.GetServerInfoRequest())).unshown_keys:
            pass  # it is written soon; a test that waits too long is ended
        (key,) = (await service.conversation.ListKeys(conversation.ListKeysRequest(**talk))).keys

    assert (new.unshown_keys, unshown.unshown_keys, shown.unshown_keys) == (0, 1, 0)
    assert key.shown_time.ToDatetime(UTC) > key.create_time.ToDatetime(UTC) + timedelta(days=30)
