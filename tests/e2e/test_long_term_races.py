"""Two servers over one store: what is erased, purged or switched off on one stays so, whatever the other is at."""

import asyncio
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.field_mask_pb2 import FieldMask

from memorybank.v1 import long_term_pb2 as pb
from tests.support.server import Service, serving

RACES = 200
SECRET = b"zebraquartz"


def owner(race: int) -> dict[str, Any]:
    return {"user": f"u{race}", "collection": "work"}


async def told(service: Service, race: int) -> list[str]:
    """Two facts that contradict each other: embedding and judging them is under way when this returns."""
    ids = []
    for name in ("MySQL", "PostgreSQL"):
        content = f"The database of zebraquartz{race} is {name}."
        stored = await service.long_term.StoreFact(pb.StoreFactRequest(content=content, **owner(race)))
        ids.append(stored.record.record_id)
    return ids


async def busy(service: Service, race: int, ids: list[str]) -> None:
    """Work on the same records, whose refusal is fine."""
    calls = (
        service.long_term.StoreFact(
            pb.StoreFactRequest(content=f"zebraquartz{race} is large", request_id="r", **owner(race))
        )
        if race % 4 == 3
        else service.long_term.ReportOutcome(
            pb.ReportOutcomeRequest(record_ids=ids[:1], succeeded=True, **owner(race))
        ),
        service.long_term.GiveFeedback(
            pb.GiveFeedbackRequest(record_ids=ids, thumb=pb.THUMB_UP, reason="zebraquartz", **owner(race))
        ),
        service.long_term.RetrieveFacts(pb.RetrieveFactsRequest(query="zebraquartz database", **owner(race))),
    )
    for outcome in await asyncio.gather(*calls, return_exceptions=True):
        assert not isinstance(outcome, BaseException) or isinstance(outcome, grpc.aio.AioRpcError), outcome


async def ended(service: Service, race: int, ids: list[str]) -> None:
    """Erased, purged with its collection, purged with its user, or switched off and then purged."""
    match race % 4:
        case 0:
            await service.long_term.DeleteRecords(pb.DeleteRecordsRequest(record_ids=ids, **owner(race)))
        case 1:
            await service.long_term.DeleteCollection(pb.DeleteCollectionRequest(**owner(race)))
        case 2:
            await service.long_term.PurgeUser(pb.PurgeUserRequest(user=f"u{race}"))
        case 3:
            off = pb.Collection(enabled=False, **owner(race))
            await service.long_term.UpdateCollection(
                pb.UpdateCollectionRequest(collection=off, update_mask=FieldMask(paths=["enabled"]))
            )


async def listed(service: Service, race: int) -> list[pb.Record]:
    try:
        return list((await service.long_term.ListRecords(pb.ListRecordsRequest(**owner(race)))).records)
    except grpc.aio.AioRpcError as error:
        if error.code() is not grpc.StatusCode.NOT_FOUND:
            raise
        return []


async def test_nothing_comes_back_that_was_erased_purged_or_switched_off(tmp_path: Path) -> None:
    frozen: dict[int, list[str]] = {}
    async with serving(folder=tmp_path) as one, serving(folder=tmp_path) as other:
        for race in range(RACES):
            ids = await told(one, race)
            await asyncio.gather(busy(one, race, ids), ended(other, race, ids))
            if race % 4 == 3:
                frozen[race] = [record.record_id for record in await listed(other, race)]
    async with serving(folder=tmp_path) as one, serving(folder=tmp_path) as other:
        for race in range(RACES):
            if race % 4 == 3:
                assert [record.record_id for record in await listed(one, race)] == frozen[race]
                await other.long_term.DeleteCollection(pb.DeleteCollectionRequest(**owner(race)))
            else:
                assert await listed(one, race) == []
                assert await listed(other, race) == []
    async with serving(folder=tmp_path):
        pass  # what a scrub owes is made up for at the next start
    assert holding(tmp_path) == []


def holding(folder: Path) -> list[Path]:
    """Files in which the secret still stands."""
    return [path for path in folder.rglob("*") if path.is_file() and SECRET in path.read_bytes()]
