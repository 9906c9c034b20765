"""A bank's floor for planning validations, over a real channel."""

from google.protobuf.field_mask_pb2 import FieldMask

from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import types_pb2 as types
from tests.support.server import Service

TOLD = ("The ferry to Naxos leaves at nine.", "The ferry to Naxos leaves at ten.")


async def test_a_bank_with_a_floor_records_what_it_does_not_plan_and_settles_it_by_hand(
    service: Service,
) -> None:
    made = await service.bank.CreateBank(
        pb.CreateBankRequest(bank_id="b1", goal="Plan the trip.", validation_floor=1.0)
    )
    for text in TOLD:
        told = await service.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text=text))
    listed = await service.bank.ListConflicts(pb.ListConflictsRequest(bank_id="b1"))
    insight = (await service.bank.GetInsight(pb.GetInsightRequest(bank_id="b1"))).insight

    (conflict,) = listed.conflicts
    settled = await service.bank.ResolveConflict(
        pb.ResolveConflictRequest(
            bank_id="b1", conflict_id=conflict.conflict_id, verdict="The ferry to Naxos leaves at ten."
        )
    )

    assert made.bank.validation_floor == 1.0
    assert list(told.conflict_ids) == [conflict.conflict_id]
    assert not any(task.conflict_id for task in insight.pending)
    assert settled.conflict.status == types.CONFLICT_STATUS_RESOLVED


async def test_a_floor_is_changed_and_cleared_by_the_mask(service: Service) -> None:
    await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b1"))
    mask = FieldMask(paths=["validation_floor"])

    changed = await service.bank.UpdateBank(
        pb.UpdateBankRequest(bank_id="b1", bank=types.Bank(validation_floor=0.7), update_mask=mask)
    )
    cleared = await service.bank.UpdateBank(pb.UpdateBankRequest(bank_id="b1", update_mask=mask))

    assert changed.bank.validation_floor == 0.7
    assert not cleared.bank.HasField("validation_floor")
