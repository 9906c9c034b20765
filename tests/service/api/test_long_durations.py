"""The longest duration that the contract takes, in every field that is one: accepted, and what it leads to goes on."""

from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import Descriptor
from google.protobuf.duration_pb2 import Duration

from memorybank.v1 import conversation_pb2 as conversation
from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import memory_bank_pb2 as bank
from memorybank.v1 import types_pb2
from tests.service.api.every_violation import METHODS, RIGHT
from tests.service.api.test_bad_input import answer
from tests.service.api.violations import put
from tests.support.server import Service

LONGEST = Duration(seconds=315_576_000_000, nanos=999_999_000)
SHORTER = {"AssembleContext part_timeout": "at most 60 s, by the contract"}


def durations(message: Descriptor, above: tuple[str, ...] = ()) -> Iterator[str]:
    """Yields the paths of a message's durations, those of its own kind inside it aside."""
    for field in message.fields:
        if field.message_type is None or field.message_type.full_name in above:
            continue
        if field.message_type.full_name == Duration.DESCRIPTOR.full_name:
            yield field.name
        else:
            for rest in durations(field.message_type, (*above, message.full_name)):
                yield f"{field.name}{'[]' if field.is_repeated else ''}.{rest}"


FIELDS = [f"{name} {path}" for name, method in METHODS.items() for path in durations(method.input_type)]


def test_there_are_durations() -> None:
    assert {"CreateConversation ttl", "UpdateConversation conversation.settings.idle_timeout"} <= set(FIELDS)


async def prepare(service: Service) -> None:
    await service.bank.CreateBank(bank.CreateBankRequest(bank_id="b1"))
    turns = [conversation.Turn(input="Hello")]
    await service.conversation.AddTurns(
        conversation.AddTurnsRequest(user="ada", conversation_id="c1", turns=turns)
    )
    record = long_term.Record(record_id="r1", kind=long_term.RECORD_KIND_FACT, content="x")
    await service.long_term.AddRecord(long_term.AddRecordRequest(user="ada", record=record))


async def finish(service: Service, bank_id: str) -> None:
    """Works off the plan of a bank: from then on its ttl runs."""
    step: Any = await service.bank.StartTask(bank.StartTaskRequest(bank_id=bank_id, goal="Go"))
    while step.insight.pending:
        task = step.insight.pending[0]
        report = types_pb2.TaskReport(task_id=task.task_id, type=task.type, description=task.description)
        done = bank.AdvanceTaskRequest(bank_id=bank_id, text="The ferry leaves at nine.", task=report)
        step = await service.bank.AdvanceTask(done)
    (made,) = [
        b for b in (await service.bank.ListBanks(bank.ListBanksRequest())).banks if b.bank_id == bank_id
    ]
    assert made.HasField("finish_time")
    assert made.HasField("purge_time") == (made.ttl != LONGEST)


async def go_on(service: Service) -> None:
    """Writes to and reads what the duration may have come into."""
    for name in ("c1", "c2"):
        turns = [conversation.Turn(input="你好")]
        await service.conversation.AddTurns(
            conversation.AddTurnsRequest(user="ada", conversation_id=name, turns=turns)
        )
        end = conversation.EndConversationRequest(user="ada", conversation_id=name, wait=True)
        await service.conversation.EndConversation(end)
    await service.long_term.StoreFact(long_term.StoreFactRequest(user="ada", content="有一只狗", wait=True))
    assert (await service.long_term.ListRecords(long_term.ListRecordsRequest(user="ada"))).records
    await service.long_term.RetrieveFacts(long_term.RetrieveFactsRequest(user="ada", query="dog"))
    for bank_id in {"b1", "b2"}.intersection(await service.bank_ids()):
        await finish(service, bank_id)
    exported = service.long_term.ExportCollection(long_term.ExportCollectionRequest(user="ada"))
    pieces = [piece async for piece in exported]
    assert pieces
    options = long_term.ImportCollectionOptions(user="ada", collection="copy")
    brought = [long_term.ImportCollectionRequest(options=options)]
    brought += [long_term.ImportCollectionRequest(file=piece) for piece in pieces]
    await service.long_term.ImportCollection(iter(brought))


async def imported(service: Service, request: Any) -> list[Any]:
    """Returns the import of a bank that has the request's ttl, as it was exported."""
    update = bank.UpdateBankRequest(bank_id="b1", bank=request.record.bank)
    update.update_mask.paths.append("ttl")
    await service.bank.UpdateBank(update)
    records = [r.record async for r in service.bank.ExportBank(bank.ExportBankRequest(bank_id="b1"))]
    options = bank.ImportBankRequest(options=bank.ImportOptions(bank_id="b2"))
    return [options, *(bank.ImportBankRequest(record=record) for record in records)]


@pytest.mark.parametrize("field", FIELDS)
async def test_the_longest_duration_is_without_end(service: Service, field: str) -> None:
    method, path = field.split()
    await prepare(service)
    request: Any = type(RIGHT[method])()
    request.CopyFrom(RIGHT[method])
    if method == "UpdateRecord":
        request.record.record_id = "r1"
    if method == "PutRecord":
        request.record.record_id = "r2"
    if method == "BatchPutRecords":
        request.records[0].record_id = "r3"
    if method == "CreateConversation":
        request.conversation_id = "c2"
    put(request, path, LONGEST)
    if "update_mask" in METHODS[method].input_type.fields_by_name:
        request.update_mask.paths[:] = [path.split(".")[1]]

    requests = await imported(service, request) if method == "ImportBank" else [request]

    code, fields = await answer(service, method, requests)

    if field in SHORTER:
        assert (code, set(fields)) == (grpc.StatusCode.INVALID_ARGUMENT, {path})
    else:
        assert code is grpc.StatusCode.OK, fields
    await go_on(service)
