"""What the Judge makes of two memories, and why: the sentences as it compares them, and what stands between the two."""

from typing import Any

from starlette.responses import Response

from console import links
from console.differing import pieces
from console.shapes import word
from console.visit import Visit
from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import retrieval_pb2 as pb
from memorybank.v1 import types_pb2 as types


async def pair(visit: Visit) -> Response:
    """Shows two topics of a bank, or two facts of a collection."""
    owner = _owner(visit)
    first, second = visit["first"], visit["second"]
    told = await visit.client.explain_pair(**owner, first=first, second=second)
    bank_id = owner.get("bank_id", "")
    return visit.page(
        "pair.html",
        owner=owner,
        bank_id=bank_id,
        told=told,
        pieces=pieces,
        hrefs=[_place(owner, name) for name in (first, second)],
        back=links.bank(bank_id) if bank_id else links.collection(owner["user"], owner["collection"]),
        verdict=word(pb.PairVerdict.Name(told.verdict), "PAIR_VERDICT_"),
        reason=word(pb.PairReason.Name(told.reason), "PAIR_REASON_"),
        not_compared=word(pb.PairNotCompared.Name(told.not_compared), "PAIR_NOT_COMPARED_"),
        bars=lambda each: [word(pb.SentenceBar.Name(bar), "SENTENCE_BAR_") for bar in each.bars],
        status=lambda each: word(types.ConflictStatus.Name(each.status), "CONFLICT_STATUS_"),
        superseded=word(long_term.SupersededReason.Name(told.superseded_reason), "SUPERSEDED_REASON_"),
    )


def _owner(visit: Visit) -> dict[str, Any]:
    if "bank" in visit.fields:
        return {"bank_id": visit["bank"]}
    return {"user": visit["user"], "collection": visit["collection"]}


def _place(owner: dict[str, Any], name: str) -> str:
    if "bank_id" in owner:
        return links.node(owner["bank_id"], name)
    return links.record(owner["user"], owner["collection"], name)
