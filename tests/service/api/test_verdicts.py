"""Cross-validation over a real channel: what a verdict does, what makes one, and what stays settled."""

import pytest

from memorybank.v1 import deep_retrieval_pb2 as deep
from memorybank.v1 import memory_bank_pb2 as pb
from tests.support.server import Service

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
