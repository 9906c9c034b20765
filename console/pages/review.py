"""The inbox of a collection: records that wait until a person approves, corrects or rejects them, twenty at a time."""

from typing import Any

from starlette.responses import Response

from console import links
from console.changes import Change, Question
from console.shapes import glimpse
from console.visit import Unreadable, Visit
from memorybank.v1 import long_term_pb2 as pb

PAGE = 20
PICKED = "pick-"
"""Goes before a record's id in the form: those that are ticked are meant."""
DECISIONS = {
    "approve": (pb.REVIEW_DECISION_APPROVE, "review.approve_means"),
    "correct": (pb.REVIEW_DECISION_CORRECT, "review.correct_means"),
    "reject": (pb.REVIEW_DECISION_REJECT, "review.reject_means"),
}
WAITING = pb.RecordFilter(awaits_review=True)


def _owner(visit: Visit) -> dict[str, Any]:
    return {"user": visit["user"], "collection": visit["collection"]}


async def review(visit: Visit) -> Response:
    """Lists what waits."""
    owner = _owner(visit)
    waiting = await visit.client.list_records(
        **owner, filter=WAITING, page_size=PAGE, page_token=visit.get("waiting")
    )
    return visit.page("review.html", owner=owner, waiting=waiting, picked=PICKED)


async def ask_review(visit: Visit) -> Question:
    """Asks whether what is ticked, or the one that is corrected, is to be settled so."""
    owner, decision = _owner(visit), visit["decision"]
    if decision not in DECISIONS:
        raise Unreadable("decision")
    ids = [name.removeprefix(PICKED) for name in visit.fields if name.startswith(PICKED)]
    content = ""
    if decision == "correct":
        ids, content = [visit["id"]], visit["content"].strip()
    if not ids or (decision == "correct" and not content):
        raise Unreadable("records")
    waiting = await visit.client.list_records(**owner, filter=WAITING, page_size=1_000)
    meant = [each for each in waiting.records if each.record_id in ids]
    said = "\n".join(glimpse(each.content or each.episode.goal, 120) for each in meant)
    return Question(
        heading=DECISIONS[decision][1],
        lines=[("review.records", said), *([("review.instead", content)] if content else [])],
        fields={**owner, "ids": " ".join(ids), "decision": decision, "content": content},
        back=links.address("/review", **owner),
        removes=decision == "reject",
    )


async def settle(visit: Visit) -> Response:
    """Settles what was asked about, and leads back to what still waits."""
    owner, decision = _owner(visit), visit["decision"]
    if decision not in DECISIONS:
        raise Unreadable("decision")
    client = visit.keyed() if decision == "reject" else visit.client
    await client.review_records(
        **owner,
        record_ids=visit["ids"].split(),
        decision=DECISIONS[decision][0],
        content=visit.get("content"),
        request_id=visit["request_id"],
    )
    return visit.go(links.address("/review", **owner), "done.reviewed")


REVIEW = Change(ask=ask_review, do=settle)
