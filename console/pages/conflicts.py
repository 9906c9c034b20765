"""Conflicts and doubts: both sides, where they differ, what each rests on; and the verdict, with one confirmation."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from starlette.responses import Response

from console import calls, links
from console.differing import Piece, pieces, placed
from console.pages.home import allowed
from console.shapes import word, writer_of
from console.visit import Visit
from memorybank.v1 import deep_retrieval_pb2 as deep
from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import types_pb2 as types
from memorybank_client import MemoryBankError, NotFound

PAGE = 50
USERS = 20
LISTED = 500
AROUND = 300
"""Code points shown before and after the words at issue."""
STATUS = "CONFLICT_STATUS_"
ANY = [
    types.CONFLICT_STATUS_OPEN,
    types.CONFLICT_STATUS_RESOLVED,
    types.CONFLICT_STATUS_DISMISSED,
    types.CONFLICT_STATUS_MOOT,
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side: its words with those marked that the other has not, what it rests on, and where it leads."""

    quote: str
    words: Sequence[Piece]
    href: str
    source: str = ""
    writer: str = ""
    event_time: Any = None
    create_time: Any = None
    evidence: Sequence[Piece] = field(default=())
    evidence_href: str = ""


async def conflicts(visit: Visit) -> Response:
    """Lists where something waits for a verdict: banks, and collections of the users there are."""
    client = visit.client
    banks = await allowed(client.list_banks(page_size=PAGE))
    users = await allowed(client.list_users(page_size=USERS))
    held = await calls.each(
        lambda bank: _or_none(client.get_bank(bank_id=bank.bank_id)), banks.banks if banks else []
    )
    collections = await calls.each(
        lambda user: client.list_collections(user=user.user, page_size=PAGE), users.users if users else []
    )
    doubtful = await calls.each(
        lambda one: _or_none(client.get_collection(user=one.user, collection=one.collection)),
        [one for page in collections for one in page.collections],
    )
    return visit.page(
        "conflicts.html",
        banks=[each for each in held if each and each.counts.open_conflicts],
        collections=[each for each in doubtful if each and each.counts.contested],
        waiting=[each for each in doubtful if each and each.counts.awaiting_review],
    )


async def _or_none(answer: Any) -> Any:
    try:
        return await answer
    except MemoryBankError:
        return None


async def conflict(visit: Visit) -> Response:
    """Shows a conflict of a bank; without an id, the first that is open."""
    bank_id, wanted = visit["bank"], visit.get("conflict")
    found, after, left = await _find(visit, bank_id, wanted)
    if found is None and not wanted:
        return visit.page("settled.html", back=links.bank(bank_id), name=bank_id)
    if found is None:
        return visit.page("settled.html", HTTPStatus.NOT_FOUND, back=links.bank(bank_id), name=bank_id)
    sides = await _sides(visit, bank_id, found)
    return visit.page(
        "conflict.html",
        bank_id=bank_id,
        conflict=found,
        sides=sides,
        left=left,
        next=links.conflict(bank_id, after) if after else "",
        status=word(types.ConflictStatus.Name(found.status), STATUS),
        revision=(await visit.client.get_bank(bank_id=bank_id)).revision,
    )


async def _find(visit: Visit, bank_id: str, wanted: str) -> tuple[types.Conflict | None, str, int]:
    """Returns the conflict that is wanted, or the first open one; the open one after it; how many are open."""
    found, after, first, left = None, "", "", 0
    async for each in _listed(visit, bank_id):
        is_open = each.status == types.CONFLICT_STATUS_OPEN
        if each.conflict_id == wanted or (is_open and not wanted and found is None):
            found = each
        elif is_open and found is not None and not after:
            after = each.conflict_id
        elif is_open and not first:
            first = each.conflict_id
        left += is_open
    return found, after or first, left


async def _listed(visit: Visit, bank_id: str) -> AsyncIterator[types.Conflict]:
    token = ""
    while True:
        page = await visit.client.list_conflicts(
            bank_id=bank_id, statuses=ANY, page_size=LISTED, page_token=token
        )
        for each in page.conflicts:
            yield each
        token = page.next_page_token
        if not token:
            return


async def _sides(visit: Visit, bank_id: str, found: types.Conflict) -> list[Side]:
    quotes = [side.quote for side in found.sides]

    async def shown(number: int) -> Side:
        side, other = found.sides[number], quotes[0 if number else min(1, len(quotes) - 1)]
        words = pieces(side.quote, other)
        plain = Side(quote=side.quote, words=words, href=links.node(bank_id, side.node_id))
        return await _with_evidence(visit, bank_id, side, plain) if side.segments else plain

    return await calls.each(shown, range(len(found.sides)))


async def _with_evidence(visit: Visit, bank_id: str, side: types.Side, plain: Side) -> Side:
    """Adds the words around a side's, and where they come from; what was deleted meanwhile has none."""
    place = side.segments[0]
    passages = deep.Passages(segment=place.index, surroundings=AROUND)
    try:
        answer = await visit.client.get_interaction(
            bank_id=bank_id, interaction_id=place.interaction_id, passages=passages
        )
    except NotFound:
        return plain
    record = answer.interactions[0]
    return Side(
        quote=plain.quote,
        words=plain.words,
        href=plain.href,
        source=record.source,
        writer=writer_of(record),
        event_time=record.event_time,
        create_time=record.create_time,
        evidence=list(placed(record.text, side.quote)),
        evidence_href=links.interaction(bank_id, place.interaction_id, place.index),
    )


async def doubt(visit: Visit) -> Response:
    """Shows two facts of a collection that contest each other; without an id, the first."""
    owner: dict[str, Any] = {"user": visit["user"], "collection": visit["collection"]}
    back = links.collection(owner["user"], owner["collection"])
    contested = long_term.RecordFilter(states=[long_term.RECORD_STATE_CONTESTED])
    records = list((await visit.client.list_records(**owner, filter=contested, page_size=LISTED)).records)
    by_id = {record.record_id: record for record in records}
    wanted = visit.get("record") or next((r.record_id for r in records if r.contested_with), "")
    first = by_id.get(wanted)
    other = next((by_id[each] for each in first.contested_with if each in by_id), None) if first else None
    if first is None or other is None:
        status = HTTPStatus.NOT_FOUND if visit.get("record") else HTTPStatus.OK
        return visit.page("settled.html", status, back=back, name=owner["collection"])
    pair = (first, other)
    return visit.page(
        "doubt.html",
        owner=owner,
        left=len(records),
        records=pair,
        sides=[_fact(owner, pair[n], pair[1 - n]) for n in (0, 1)],
        next=_after(owner, records, pair),
    )


def _fact(owner: dict[str, Any], record: long_term.Record, other: long_term.Record) -> Side:
    return Side(
        quote=record.content,
        words=pieces(record.content, other.content),
        href=links.record(owner["user"], owner["collection"], record.record_id),
        source=record.source or record.conversation_id,
        writer=writer_of(record) or record.agent,
        event_time=record.event_time,
        create_time=record.create_time,
    )


def _after(
    owner: dict[str, Any], records: Sequence[long_term.Record], pair: Sequence[long_term.Record]
) -> str:
    shown = {record.record_id for record in pair}
    rest = [record.record_id for record in records if record.record_id not in shown]
    return links.address("/doubt", **owner, record=rest[0]) if rest else ""
