"""Over the wire: what a verdict has settled stays so, and whoever is to validate reads what is at issue."""

from typing import Any

import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1 import retrieval_pb2 as retrieval
from memorybank.v1 import types_pb2 as types
from tests.service.api.test_verdicts import CEO, FERRY, contested, refuted, summaries
from tests.support.server import Service


async def settled(service: Service, *texts: str, verdict: str) -> str:
    """Bank b1 with a conflict that the verdict settled; the conflict's id."""
    conflict_id = await contested(service, *texts)
    await service.bank.ResolveConflict(
        pb.ResolveConflictRequest(bank_id="b1", conflict_id=conflict_id, verdict=verdict)
    )
    return conflict_id


@pytest.mark.parametrize(
    ("texts", "verdict", "again"),
    [
        (FERRY, "The ferry to Naxos leaves at ten.", "The ferry to Naxos leaves at nine, from pier 3."),
        (FERRY, "The ferry to Naxos leaves at ten, not at nine.", "The ferry to Naxos leaves at nine."),
        (CEO, "经核实，星河公司的CEO是李四。", "星河公司的CEO是张三，任期五年。"),
    ],
)
async def test_a_refuted_value_told_again_is_kept_and_marked_and_opens_no_conflict(
    service: Service, texts: tuple[str, ...], verdict: str, again: str
) -> None:
    conflict_id = await settled(service, *texts, verdict=verdict)

    told = await service.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text=again))

    assert not told.conflict_ids
    assert (await summaries(service))[again] == types.NODE_STATE_ACTIVE
    assert (await refuted(service))[again] == conflict_id


@pytest.mark.parametrize(
    "fields",
    [
        {"text": "The ferry to Naxos leaves at nine.", "source": "harbour office"},
        {"text": "The ferry to Naxos leaves at nine.", "event_time": Timestamp(seconds=4_000_000_000)},
        {"text": "The ferry to Naxos leaves at eleven."},
    ],
)
async def test_a_new_source_a_newer_date_and_another_value_open_a_settled_point_again(
    service: Service, fields: dict[str, Any]
) -> None:
    await settled(service, *FERRY, verdict="The ferry to Naxos leaves at ten.")

    told = await service.bank.Memorize(pb.MemorizeRequest(bank_id="b1", **fields))

    assert len(told.conflict_ids) == 1


async def test_a_verdict_marks_what_others_told_of_the_refuted_value(service: Service) -> None:
    conflict_id = await contested(service, *FERRY)
    third = "The ferry to Naxos leaves at nine, says the leaflet."
    await service.graph.AddNode(graph.AddNodeRequest(bank_id="b1", summary=third, verbatim=third))

    done = await service.bank.ResolveConflict(
        pb.ResolveConflictRequest(
            bank_id="b1", conflict_id=conflict_id, verdict="The ferry to Naxos leaves at ten."
        )
    )

    assert not done.conflict_ids
    assert (await summaries(service))[third] == types.NODE_STATE_ACTIVE
    assert (await refuted(service))[third] == conflict_id


async def test_a_verdict_refutes_each_side_that_it_speaks_against(service: Service) -> None:
    first = await contested(service, *FERRY)
    third = "According to the leaflet the ferry to Naxos leaves at nine."
    told = await service.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text=third))
    assert told.conflict_ids == [first]

    done = await service.bank.AdvanceTask(
        pb.AdvanceTaskRequest(bank_id="b1", text="The ferry to Naxos leaves at ten.", conflict_id=first)
    )

    assert done.open_conflict_ids == []
    assert third not in await summaries(service)
    assert third in await refuted(service)


# ---- what whoever is to validate reads ----


async def test_a_validation_shows_both_sides_whole_among_forty_notes(service: Service) -> None:
    await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b1", goal="Plan the trip."))
    notes = [f"Island {n} has {n + 3} beaches and a bakery called Number {n}." for n in range(40)]
    for first in range(0, 40, 10):
        batch = [graph.NewNode(summary=note) for note in notes[first : first + 10]]
        await service.graph.BatchAddNodes(graph.BatchAddNodesRequest(bank_id="b1", nodes=batch))
    when = Timestamp(seconds=1_714_550_400)
    for text, source in (
        ("A harbour has two piers. The ferry to Naxos leaves at nine.", "timetable.html"),
        ("A harbour has two piers. The ferry to Naxos leaves at ten.", "harbour office"),
    ):
        told = await service.bank.Memorize(
            pb.MemorizeRequest(bank_id="b1", text=text, source=source, event_time=when)
        )
    (conflict_id,) = told.conflict_ids

    made = await service.retrieval.Augment(retrieval.AugmentRequest(bank_id="b1"))

    (listed,) = (await service.bank.ListConflicts(pb.ListConflictsRequest(bank_id="b1"))).conflicts
    state = made.prompt.split("## Relevant memories")[0].splitlines()
    at = next(number for number, line in enumerate(state) if line.startswith(f"- [{conflict_id}]"))
    new, old = (side.node_id for side in listed.sides)
    assert state[at + 1 : at + 5] == [
        f"  [{new}] 1 May 2024, harbour office",
        "    The ferry to Naxos leaves at ten.",
        f"  [{old}] 1 May 2024, timetable.html",
        "    The ferry to Naxos leaves at nine.",
    ]
    assert {hit.node.node_id for hit in made.hits[:2]} == {new, old}


async def test_a_conflict_names_subject_attribute_and_whole_units(service: Service) -> None:
    await contested(service, "该设备的保修时间为720小时。", "该设备的保修时间为1,080小时。")

    (listed,) = (await service.bank.ListConflicts(pb.ListConflictsRequest(bank_id="b1"))).conflicts

    assert listed.description == "“该设备的保修时间为[1,080]小时”与“该设备的保修时间为[720]小时”矛盾"
