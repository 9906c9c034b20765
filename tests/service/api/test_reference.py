"""Memorize with `skip_judging`, over a real channel: a reference document contradicts nothing."""

import grpc
import pytest

from memorybank.v1 import deep_retrieval_pb2 as deep
from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import types_pb2
from tests.support.server import Service, refused

CEO_A, CEO_B = "公司的CEO是张三。", "公司的CEO是李四。"


@pytest.fixture
async def bank(service: Service) -> Service:
    """A service with a bank that knows a CEO."""
    await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b1"))
    await service.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text=CEO_A))
    return service


async def test_a_reference_opens_no_conflict_and_says_what_it_is(bank: Service) -> None:
    told = await bank.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text=CEO_B, skip_judging=True))

    asked = deep.GetInteractionRequest(bank_id="b1", interaction_id=told.interaction_id)
    kept = await bank.deep.GetInteraction(asked)
    assert (len(told.node_ids), list(told.conflict_ids), list(told.merges)) == (1, [], [])
    assert kept.interactions[0].structuring.purpose == types_pb2.PURPOSE_REFERENCE


async def test_a_streamed_reference_opens_no_conflict(bank: Service) -> None:
    header = pb.MemorizeRequest(bank_id="b1", skip_judging=True)
    parts = [pb.MemorizeStreamRequest(header=header), pb.MemorizeStreamRequest(text=CEO_B)]

    answers = [answer async for answer in bank.bank.MemorizeStream(iter(parts))]

    assert len(answers[-1].result.node_ids) == 1
    assert not answers[-1].result.conflict_ids


async def test_a_request_id_does_not_serve_for_a_reference_and_for_what_is_judged(bank: Service) -> None:
    await bank.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text=CEO_B, skip_judging=True, request_id="r1"))

    refusal = await refused(bank.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text=CEO_B, request_id="r1")))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "REQUEST_ID_REUSED")


async def test_an_export_keeps_that_it_is_a_reference(bank: Service) -> None:
    await bank.bank.Memorize(
        pb.MemorizeRequest(bank_id="b1", text=CEO_B, skip_judging=True, interaction_id="i1")
    )
    records = [r.record async for r in bank.bank.ExportBank(pb.ExportBankRequest(bank_id="b1"))]

    options = pb.ImportBankRequest(options=pb.ImportOptions(bank_id="b2"))
    await bank.bank.ImportBank(iter([options, *(pb.ImportBankRequest(record=record) for record in records)]))

    kept = await bank.deep.GetInteraction(deep.GetInteractionRequest(bank_id="b2", interaction_id="i1"))
    assert kept.interactions[0].structuring.purpose == types_pb2.PURPOSE_REFERENCE
