"""Verdicts: on a conflict of a bank, and on two facts that contest each other."""

from typing import Any

from google.protobuf.field_mask_pb2 import FieldMask
from starlette.responses import Response

from console import links
from console.changes import Change, Question
from console.visit import Unreadable, Visit
from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import types_pb2 as types

SIDE, OTHER, BOTH, NONE = "side", "other", "both", "none"
SAID = {
    SIDE: ("verdict.side", "verdict.side_means"),
    OTHER: ("verdict.other", "verdict.other_means"),
    BOTH: ("verdict.both", "verdict.both_means"),
    NONE: ("verdict.none", "verdict.none_means"),
}
"""What each choice is called, and what it means."""


async def ask_conflict(visit: Visit) -> Question:
    """Asks whether a conflict is to be closed as chosen: by one side, by other words, or as none."""
    bank_id, conflict_id, choice = visit["bank"], visit["conflict"], visit["choice"]
    words = visit.get("words").strip()
    kind, _, number = choice.partition("-")
    if kind not in SAID:
        raise Unreadable("choice")
    if kind == SIDE:
        words = visit[f"quote-{number}"]
    if kind in (OTHER, BOTH) and not words:
        raise Unreadable("words")
    if kind == NONE:
        words = ""
    heading, meaning = SAID[kind]
    return Question(
        heading=heading,
        lines=[("verdict.at_issue", visit.get("at_issue")), (meaning, words)],
        fields={
            "bank": bank_id,
            "conflict": conflict_id,
            "kind": kind,
            "words": words,
            "revision": visit["revision"],
        },
        back=links.conflict(bank_id, conflict_id),
    )


async def settle_conflict(visit: Visit) -> Response:
    """Closes a conflict, and leads to the next one."""
    merges = visit["kind"] in (SIDE, OTHER)
    await visit.client.resolve_conflict(
        bank_id=visit["bank"],
        conflict_id=visit["conflict"],
        verdict=visit.get("words"),
        verdict_type=types.VERDICT_TYPE_MERGE if merges else types.VERDICT_TYPE_DISMISS,
        if_revision=visit.number("revision"),
        request_id=visit["request_id"],
    )
    return visit.go(links.conflict(visit["bank"]), "done.settled")


async def ask_fact(visit: Visit) -> Question:
    """Asks whether a contested fact is to stand, and the others to give way."""
    owner: dict[str, Any] = {"user": visit["user"], "collection": visit["collection"]}
    found = await visit.client.get_record(**owner, record_id=visit["id"])
    return Question(
        heading="verdict.fact",
        lines=[("verdict.fact_means", found.record.content)],
        fields={**owner, "id": visit["id"], "revision": str(found.record.revision)},
        back=links.address("/doubt", **owner, record=visit["id"]),
    )


async def settle_fact(visit: Visit) -> Response:
    """Lets a fact stand, and leads to the next doubt."""
    owner: dict[str, Any] = {"user": visit["user"], "collection": visit["collection"]}
    await visit.client.update_record(
        **owner,
        record=long_term.Record(record_id=visit["id"], state=long_term.RECORD_STATE_ACTIVE),
        update_mask=FieldMask(paths=["state"]),
        if_revision=visit.number("revision"),
        request_id=visit["request_id"],
    )
    return visit.go(links.address("/doubt", **owner), "done.settled")


CONFLICT = Change(ask=ask_conflict, do=settle_conflict)
FACT = Change(ask=ask_fact, do=settle_fact)
