"""A turn of a conversation, with those before and after it; and the key memories of the conversation."""

from http import HTTPStatus
from typing import Any

from google.protobuf.field_mask_pb2 import FieldMask
from starlette.responses import Response

from console import links
from console.changes import Change, Question
from console.sentences import Trouble
from console.visit import Unreadable, Visit
from memorybank.v1 import conversation_pb2 as pb

AROUND = 2


def _owner(visit: Visit) -> dict[str, Any]:
    return {"user": visit["user"], "conversation_id": visit["conversation"]}


def _fields(visit: Visit) -> dict[str, str]:
    return {"user": visit["user"], "conversation": visit["conversation"]}


def _step(visit: Visit, name: str) -> int:
    step = visit.number(name)
    if step is None:
        raise Unreadable(name)
    return step


async def turn(visit: Visit) -> Response:
    step = _step(visit, "step")
    found = await visit.client.list_turns(
        **_owner(visit), first_step=max(1, step - AROUND), last_step=step + AROUND
    )
    if not any(each.step == step for each in found.turns):
        gone = Trouble(sentence="trouble.gone", status=HTTPStatus.NOT_FOUND)
        return visit.page("trouble.html", gone.status, trouble=gone)
    return visit.page("turn.html", owner=_owner(visit), step=step, turns=found.turns)


async def ask_delete(visit: Visit) -> Question:
    step = _step(visit, "id")
    found = await visit.client.list_turns(**_owner(visit), first_step=step, last_step=step)
    said = "\n".join(part for each in found.turns for part in (each.input, each.reply) if part)
    return Question(
        heading="ask.turn",
        lines=[("ask.goes", said), ("ask.turn_means", "")],
        fields={**_fields(visit), "id": str(step)},
        back=links.turn(visit["user"], visit["conversation"], step),
        removes=True,
    )


async def delete(visit: Visit) -> Response:
    await visit.keyed().delete_turns(
        **_owner(visit), steps=[_step(visit, "id")], request_id=visit["request_id"]
    )
    return visit.go(links.conversation(visit["user"], visit["conversation"]), "done.deleted")


async def ask_retract(visit: Visit) -> Question:
    """Tries what would go, and asks."""
    step = _step(visit, "id")
    tried = await visit.client.retract_turns(**_owner(visit), steps=[step], dry_run=True)
    return Question(
        heading="ask.retract",
        lines=[
            ("ask.turns", f"{tried.turns:,}"),
            ("ask.records", f"{tried.records:,}"),
            ("ask.changed", f"{tried.changed:,}"),
            ("ask.summaries", f"{tried.summaries:,}"),
            ("ask.retract_means", ""),
        ],
        fields={**_fields(visit), "id": str(step)},
        back=links.turn(visit["user"], visit["conversation"], step),
        removes=True,
    )


async def retract(visit: Visit) -> Response:
    await visit.keyed().retract_turns(
        **_owner(visit), steps=[_step(visit, "id")], request_id=visit["request_id"]
    )
    back = links.conversation(visit["user"], visit["conversation"])
    return visit.go(f"{back}#retractions", "done.retracted")


async def key_memory(visit: Visit) -> Response:
    """Adds a key memory, or rewords one."""
    key_id, text = visit.get("key_id"), visit["text"].strip()
    if key_id:
        await visit.client.update_key(
            **_owner(visit),
            key_id=key_id,
            key=pb.Key(text=text),
            update_mask=FieldMask(paths=["text"]),
            if_revision=visit.number("revision"),
        )
    else:
        await visit.client.add_key(**_owner(visit), text=text)
    return visit.go(f"{links.conversation(visit['user'], visit['conversation'])}#keys", "done.saved")


async def ask_delete_key(visit: Visit) -> Question:
    found = await visit.client.list_keys(**_owner(visit), page_size=1_000)
    said = next((each.text for each in found.keys if each.key_id == visit["id"]), "")
    return Question(
        heading="ask.key",
        lines=[("ask.goes", said)],
        fields={**_fields(visit), "id": visit["id"]},
        back=links.conversation(visit["user"], visit["conversation"]),
        removes=True,
    )


async def delete_key(visit: Visit) -> Response:
    await visit.keyed().delete_key(**_owner(visit), key_id=visit["id"], request_id=visit["request_id"])
    return visit.go(f"{links.conversation(visit['user'], visit['conversation'])}#keys", "done.deleted")


DELETE = Change(ask=ask_delete, do=delete)
RETRACT = Change(ask=ask_retract, do=retract)
DELETE_KEY = Change(ask=ask_delete_key, do=delete_key)
