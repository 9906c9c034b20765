"""How long a bank is kept once its task has finished, and that it says so, over the wire."""

from datetime import timedelta
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.timestamp_pb2 import Timestamp

from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import types_pb2
from tests.support.server import Service, serving

NEVER = Duration(seconds=-1)


async def finished(service: Service, **fields: Any) -> pb.AdvanceTaskResponse:
    """A task begun and done."""
    step: Any = await service.bank.StartTask(pb.StartTaskRequest(bank_id="b1", goal="Who?", **fields))
    while not step.insight.finished:
        step = await service.bank.AdvanceTask(pb.AdvanceTaskRequest(bank_id="b1", text="Ada Berg did it."))
    return step  # type: ignore[no-any-return]


async def bank(service: Service) -> types_pb2.Bank:
    return (await service.bank.GetBank(pb.GetBankRequest(bank_id="b1"))).bank


def later(time: Timestamp, duration: timedelta) -> Timestamp:
    moved = Timestamp()
    moved.FromDatetime(time.ToDatetime() + duration)
    moved.nanos = time.nanos
    return moved


@pytest.mark.parametrize(
    ("ttl", "kept"),
    [(None, timedelta(hours=24)), (Duration(seconds=3_600), timedelta(hours=1))],
)
async def test_the_last_answer_says_when_the_bank_goes(
    service: Service, ttl: Duration | None, kept: timedelta
) -> None:
    end = await finished(service, ttl=ttl)

    goes = (await bank(service)).purge_time
    insight = (await service.bank.GetInsight(pb.GetInsightRequest(bank_id="b1"))).insight
    assert goes == later((await bank(service)).finish_time, kept)
    assert end.purge_time == goes
    assert insight.purge_time == goes


async def test_a_bank_that_is_to_stay_names_no_time(service: Service) -> None:
    end = await finished(service, ttl=NEVER)

    assert end.finished
    assert not end.HasField("purge_time")
    assert (await bank(service)).ttl == NEVER
    assert not (await bank(service)).HasField("purge_time")


async def test_a_bank_that_goes_on_names_no_time_and_one_that_begins_anew_is_kept(service: Service) -> None:
    await finished(service)

    begun = await service.bank.StartTask(pb.StartTaskRequest(bank_id="b1", goal="And why?", ttl=NEVER))

    assert not begun.bank.HasField("purge_time")
    assert begun.bank.ttl == NEVER


async def test_a_service_may_keep_all_that_do_not_say_otherwise() -> None:
    async with serving(banks={"purge_finished": False}) as service:
        end = await finished(service)
        change = pb.UpdateBankRequest(
            bank_id="b1",
            bank=types_pb2.Bank(ttl=Duration(seconds=60)),
            update_mask=FieldMask(paths=["ttl"]),
        )
        updated = await service.bank.UpdateBank(change)

    assert not end.HasField("purge_time")
    assert updated.bank.HasField("purge_time")


async def test_the_time_of_a_finished_bank_begins_anew_where_it_is_imported(service: Service) -> None:
    await finished(service)
    before = await bank(service)
    records = [one.record async for one in service.bank.ExportBank(pb.ExportBankRequest(bank_id="b1"))]
    options = pb.ImportBankRequest(options=pb.ImportOptions(bank_id="copy"))

    made = await service.bank.ImportBank(iter([options, *(pb.ImportBankRequest(record=r) for r in records)]))

    assert made.bank.finish_time.ToDatetime() > before.finish_time.ToDatetime()
    assert made.bank.purge_time == later(made.bank.finish_time, timedelta(hours=24))


async def test_the_completed_tasks_are_read_page_by_page_and_grown_from_their_end(service: Service) -> None:
    await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b1", goal="Who?"))
    tasks = [types_pb2.CompletedTask(type="SEARCH", description=f"step {n}") for n in range(120)]
    mask = FieldMask(paths=["completed"])
    first = await service.bank.UpdateInsight(
        pb.UpdateInsightRequest(bank_id="b1", insight=types_pb2.Insight(completed=tasks), update_mask=mask)
    )

    shown = types_pb2.Insight()
    shown.CopyFrom(first.insight)
    shown.completed.add(type="SEARCH", description="step 120")
    await service.bank.UpdateInsight(pb.UpdateInsightRequest(bank_id="b1", insight=shown, update_mask=mask))
    one = await service.bank.GetInsight(pb.GetInsightRequest(bank_id="b1", page_size=100))
    other = await service.bank.GetInsight(
        pb.GetInsightRequest(bank_id="b1", page_size=100, page_token=one.next_page_token)
    )

    assert (first.insight.completed_before, len(first.insight.completed)) == (20, 100)
    read = [*one.insight.completed, *other.insight.completed]
    assert [task.description for task in read] == [f"step {n}" for n in range(121)]
    assert other.insight.completed_before == 100
    assert not other.next_page_token
