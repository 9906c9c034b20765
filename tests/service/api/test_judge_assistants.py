"""Whether a bank judges what assistants say, over a real channel."""

from google.protobuf.field_mask_pb2 import FieldMask

from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import types_pb2 as types
from tests.support.server import Service

SAID = types.Message(role="assistant", speaker="assistant", text="The ferry to Naxos leaves at ten.")


async def test_a_bank_judges_assistants_where_it_says_so(service: Service) -> None:
    for bank_id, judged in (("b1", None), ("b2", False), ("b3", True)):
        made = await service.bank.CreateBank(pb.CreateBankRequest(bank_id=bank_id, judge_assistants=judged))
        await service.bank.Memorize(
            pb.MemorizeRequest(bank_id=bank_id, text="The ferry to Naxos leaves at nine.")
        )
        told = await service.bank.Memorize(pb.MemorizeRequest(bank_id=bank_id, messages=[SAID]))

        assert made.bank.HasField("judge_assistants") == (judged is not None)
        assert len(told.conflict_ids) == int(bool(judged))


async def test_the_setting_is_changed_and_cleared_by_the_mask(service: Service) -> None:
    await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b1"))
    mask = FieldMask(paths=["judge_assistants"])

    changed = await service.bank.UpdateBank(
        pb.UpdateBankRequest(bank_id="b1", bank=types.Bank(judge_assistants=True), update_mask=mask)
    )
    cleared = await service.bank.UpdateBank(pb.UpdateBankRequest(bank_id="b1", update_mask=mask))

    assert changed.bank.judge_assistants
    assert not cleared.bank.HasField("judge_assistants")
