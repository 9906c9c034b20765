"""A record of long-term memory: what it says, how it is known, since when it holds, what it replaced; and what a person
may change."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf.field_mask_pb2 import FieldMask
from starlette.responses import Response

from console import links
from console.changes import Change, Question
from console.shapes import writer_of
from console.visit import Unreadable, Visit
from memorybank.v1 import long_term_pb2 as pb

MOST = 500
THUMBS = {"up": pb.THUMB_UP, "down": pb.THUMB_DOWN}


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldValue:
    """A value and the time in which it held, as a share of the time from the first of them until now."""

    record: pb.Record
    start: float
    width: float


def _owner(visit: Visit) -> dict[str, Any]:
    return {"user": visit["user"], "collection": visit["collection"]}


def _back(visit: Visit, record_id: str) -> str:
    return links.record(visit["user"], visit["collection"], record_id)


async def record(visit: Visit) -> Response:
    owner, record_id = _owner(visit), visit["record"]
    found = (await visit.client.get_record(**owner, record_id=record_id)).record
    superseded = pb.RecordFilter(states=[pb.RECORD_STATE_SUPERSEDED])
    past = await visit.client.list_records(**owner, filter=superseded, page_size=MOST)
    now = int(time.time())
    values = _values(found, past.records, now) if found.kind == pb.RECORD_KIND_FACT else []
    return visit.page("record.html", owner=owner, record=found, writer=writer_of(found), values=values)


def _values(found: pb.Record, superseded: Sequence[pb.Record], now: int) -> list[HeldValue]:
    """Returns a fact and those that it replaced, one after another, newest first, each with its interval."""
    chain = [found]
    for one in chain:
        chain += [each for each in superseded if each.superseded_by == one.record_id and each not in chain]
    begun = min(each.valid_from.seconds for each in chain)
    length = max(1, now - begun)
    return [
        HeldValue(
            record=each,
            start=100 * (each.valid_from.seconds - begun) / length,
            width=max(1.0, 100 * ((each.valid_until.seconds or now) - each.valid_from.seconds) / length),
        )
        for each in sorted(chain, key=lambda each: -each.valid_from.seconds)
    ]


async def correct(visit: Visit) -> Response:
    """Rewords a record; a fact is judged anew."""
    record_id = visit["id"]
    await visit.client.update_record(
        **_owner(visit),
        record=pb.Record(record_id=record_id, content=visit["content"], detail=visit.get("detail")),
        update_mask=FieldMask(paths=["content", "detail"]),
        if_revision=visit.number("revision"),
    )
    return visit.go(_back(visit, record_id), "done.saved")


async def feedback(visit: Visit) -> Response:
    """Gives an opinion on a record."""
    record_id, thumb = visit["id"], visit["thumb"]
    if thumb not in THUMBS:
        raise Unreadable("thumb")
    await visit.client.give_feedback(
        **_owner(visit), record_ids=[record_id], thumb=THUMBS[thumb], reason=visit.get("reason")
    )
    return visit.go(_back(visit, record_id), "done.thanks")


async def ask_delete(visit: Visit) -> Question:
    found = (await visit.client.get_record(**_owner(visit), record_id=visit["id"])).record
    return Question(
        heading="ask.record",
        lines=[("ask.goes", found.content or found.episode.goal), ("ask.record_means", "")],
        fields={**_owner(visit), "id": visit["id"]},
        back=_back(visit, visit["id"]),
        removes=True,
    )


async def delete(visit: Visit) -> Response:
    await visit.keyed().delete_records(
        **_owner(visit), record_ids=[visit["id"]], request_id=visit["request_id"]
    )
    return visit.go(links.collection(visit["user"], visit["collection"]), "done.deleted")


async def ask_retract(visit: Visit) -> Question:
    """Tries what would go, and asks."""
    tried = await visit.client.retract_records(**_owner(visit), record_ids=[visit["id"]], dry_run=True)
    return Question(
        heading="ask.retract",
        lines=[
            ("ask.records", f"{len(tried.record_ids):,}"),
            ("ask.changed", f"{len(tried.changed_ids):,}"),
            ("ask.reflections", f"{tried.reflections:,}"),
            ("ask.retract_means", ""),
        ],
        fields={**_owner(visit), "id": visit["id"]},
        back=_back(visit, visit["id"]),
        removes=True,
    )


async def retract(visit: Visit) -> Response:
    await visit.keyed().retract_records(
        **_owner(visit), record_ids=[visit["id"]], request_id=visit["request_id"]
    )
    back = links.collection(visit["user"], visit["collection"])
    return visit.go(f"{back}#retractions", "done.retracted")


DELETE = Change(ask=ask_delete, do=delete)
RETRACT = Change(ask=ask_retract, do=retract)
