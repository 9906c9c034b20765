"""A collection of a user's long-term memory: its records, what contradicts, its reflections, what was taken back."""

from typing import Any

from starlette.responses import Response

from console.shapes import word
from console.visit import Unreadable, Visit
from memorybank.v1 import long_term_pb2 as pb

PAGE = 50
STATE = "RECORD_STATE_"
STATES = [word(name, STATE) for name in pb.RecordState.keys()[1:]]


async def collection(visit: Visit) -> Response:
    """Shows a collection, or its records of one state."""
    owner: dict[str, Any] = {"user": visit["user"], "collection": visit["collection"]}
    client, state = visit.client, visit.get("state")
    if state not in ("", *STATES):
        raise Unreadable("state")
    chosen = [pb.RecordState.Value(STATE + state.upper())] if state else []
    return visit.page(
        "collection.html",
        owner=owner,
        state=state,
        states=STATES,
        held=await client.get_collection(**owner),
        records=await client.list_records(
            **owner,
            filter=pb.RecordFilter(states=chosen),
            page_size=PAGE,
            page_token=visit.get("records"),
        ),
        reflections=await client.list_reflections(**owner, page_size=PAGE),
        retractions=await client.list_retractions(**owner, page_size=PAGE),
    )
