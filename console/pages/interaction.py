"""A verbatim record of a bank: its words, with a place marked, and its files, as downloads alone.

Law: what a record names is never fetched, and no file of it acts in a page: it is saved, or shown as the picture that
its own first bytes say it is.
"""

import re
from collections.abc import AsyncIterator
from contextlib import aclosing
from http import HTTPStatus

from starlette.responses import Response, StreamingResponse

from console import links
from console.changes import Change, Question
from console.door import HEADERS
from console.records import runs
from console.shapes import writer_of
from console.visit import Visit
from memorybank.v1 import deep_retrieval_pb2 as deep

PART = 20_000
"""Code points of a record that a page shows."""
AROUND = 3_000
PICTURES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}
"""How a file begins that is shown: nothing that its record says of it counts."""
LARGEST_PICTURE = 5 * 1024 * 1024
SANDBOXED = {"Content-Security-Policy": f"{HEADERS['Content-Security-Policy']}; sandbox"}
UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


async def interaction(visit: Visit) -> Response:
    """Shows a record: around a segment, or from a code point on."""
    bank_id, record_id, client = visit["bank"], visit["interaction"], visit.client
    segment = visit.number("segment", least=0)
    start = (visit.number("start") or 1) - 1
    if segment is None:
        answer = await client.get_interaction(
            bank_id=bank_id, interaction_id=record_id, start=start, end=start + PART
        )
    else:
        passages = deep.Passages(segment=segment, surroundings=AROUND)
        answer = await client.get_interaction(bank_id=bank_id, interaction_id=record_id, passages=passages)
    record = answer.interactions[0]
    end = record.text_offset + len(record.text)
    return visit.page(
        "interaction.html",
        bank_id=bank_id,
        record=record,
        runs=runs(record, lambda span: span.index == segment),
        segment=segment,
        writer=writer_of(record),
        more=end + 1 if end < record.text_length else None,
    )


async def download(visit: Visit) -> Response:
    """Answers a file to be saved, whatever it is."""
    bank_id, file_id = visit["bank"], visit["file"]
    parts = visit.client.read_attachment(bank_id=bank_id, attachment_id=file_id)
    first = await anext(parts)

    async def content() -> AsyncIterator[bytes]:
        async with aclosing(parts):
            yield first.content
            async for part in parts:
                yield part.content

    name = UNSAFE.sub("_", file_id)[:100] or "file"
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(
        content(), media_type="application/octet-stream", headers={**disposition, **SANDBOXED}
    )


async def picture(visit: Visit) -> Response:
    """Answers a file that is a PNG or a JPEG by its bytes; no other."""
    content = b""
    async with aclosing(
        visit.client.read_attachment(
            bank_id=visit["bank"], attachment_id=visit["file"], limit=LARGEST_PICTURE + 1
        )
    ) as parts:
        async for part in parts:
            content += part.content
    kind = next((kind for begins, kind in PICTURES.items() if content.startswith(begins)), "")
    if not kind or len(content) > LARGEST_PICTURE:
        return Response(status_code=HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
    return Response(content, media_type=kind, headers=SANDBOXED)


async def ask_retract(visit: Visit) -> Question:
    """Tries what would go, and asks."""
    bank_id, ids = visit["bank"], visit["id"].split()
    tried = await visit.client.retract_interactions(bank_id=bank_id, interaction_ids=ids, dry_run=True)
    return Question(
        heading="ask.retract",
        lines=[
            ("ask.records", f"{len(tried.interaction_ids):,}"),
            ("ask.nodes", f"{tried.nodes:,}"),
            ("ask.conflicts", f"{tried.conflicts:,}"),
            ("ask.others", f"{tried.others:,}"),
            ("ask.retract_means", ""),
        ],
        fields={"bank": bank_id, "id": visit["id"]},
        back=links.bank(bank_id),
        removes=True,
    )


async def retract(visit: Visit) -> Response:
    bank_id = visit["bank"]
    await visit.keyed().retract_interactions(
        bank_id=bank_id, interaction_ids=visit["id"].split(), request_id=visit["request_id"]
    )
    return visit.go(f"{links.bank(bank_id)}#retractions", "done.retracted")


async def release(visit: Visit) -> Response:
    """Brings back what a retraction took, of a bank, a conversation or a collection."""
    if "bank" in visit.fields:
        await visit.client.release_interactions(bank_id=visit["bank"], retraction_id=visit["retraction"])
        return visit.go(links.bank(visit["bank"]), "done.released")
    if "conversation" in visit.fields:
        user, conversation_id = visit["user"], visit["conversation"]
        await visit.client.release_turns(
            user=user, conversation_id=conversation_id, retraction_id=visit["retraction"]
        )
        return visit.go(links.conversation(user, conversation_id), "done.released")
    user, collection = visit["user"], visit["collection"]
    await visit.client.release_retraction(user=user, collection=collection, retraction_id=visit["retraction"])
    return visit.go(links.collection(user, collection), "done.released")


RETRACT = Change(ask=ask_retract, do=retract)
