"""What an agent would get to read: a prompt part by part, where each line comes from, what was left out and why; and
why a memory stands in it, or does not."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from console import calls
from console.memories import Owners, place_of, words_of
from console.pages.home import allowed
from console.prompts import parts_of
from console.shapes import word
from console.visit import Visit
from memorybank.v1 import instructions_pb2 as instructions
from memorybank.v1 import retrieval_pb2 as pb
from memorybank.v1 import types_pb2 as types
from memorybank_client import ErrorReason, InvalidArgument

PAGE = 100
BUDGET = 2_000
READ = 24
"""Of how many memories left out the words are shown."""
NAMED = "="
"""Goes before a collection's name in a form, which may be empty: nothing stands for no collection."""
REASON, EXPLAINED = "LEFT_OUT_REASON_", "EXPLAIN_REASON_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """A memory that was left out, or shortened."""

    left: types.LeftOut
    reason: str
    href: str
    words: str


async def context(visit: Visit) -> Response:
    """Shows the form; sent, the prompt."""
    owners = _owners(visit)
    if not (owners.user or owners.bank_id):
        users = await allowed(visit.client.list_users(page_size=PAGE))
        banks = await allowed(visit.client.list_banks(page_size=PAGE))
        return visit.page("context_of.html", users=users, banks=banks)
    shown: dict[str, Any] = {
        "owners": owners,
        "choices": await _choices(visit, owners),
        "named": NAMED,
        "text": visit.get("text"),
        "words": visit.get("words"),
        "told": "told" in visit.fields,
        "budget": visit.number("budget") or BUDGET,
        "prompt": None,
        "needed": "",
        "explained": None,
    }
    if visit.request.method == "POST" and visit.get("text").strip():
        try:
            shown |= await _assembled(visit, owners, shown)
        except InvalidArgument as error:
            if error.reason != ErrorReason.ERROR_REASON_BUDGET_TOO_SMALL:
                raise
            shown["needed"] = error.metadata.get("needed", "")
    return visit.page("context.html", **shown)


def _owners(visit: Visit) -> Owners:
    """Reads which memories are asked: a form chooses a collection behind a sign, an address names it."""
    chosen = visit.fields.get("chosen_collection")
    if chosen is not None:
        collection = chosen.removeprefix(NAMED) if chosen.startswith(NAMED) else None
    else:
        collection = visit.fields.get("collection")
    conversation = visit.fields.get("chosen_conversation", visit.get("conversation"))
    return Owners(
        user=visit.get("user"),
        bank_id=visit.fields.get("chosen_bank", visit.get("bank")),
        conversation_id=conversation,
        collection=collection,
    )


async def _choices(visit: Visit, owners: Owners) -> dict[str, list[str]]:
    """Returns the names that the form offers: those of the user, and those that were named."""
    client, user = visit.client, owners.user
    banks = [owners.bank_id] if owners.bank_id else []
    if not user:
        return {"banks": banks, "conversations": [], "collections": []}
    talks = await client.list_conversations(user=user, page_size=PAGE)
    collections = await client.list_collections(user=user, page_size=PAGE)
    own = await client.list_banks(user=user, page_size=PAGE)
    named = [owners.collection] if owners.collection is not None else []
    talked = [owners.conversation_id] if owners.conversation_id else []
    return {
        "banks": list(dict.fromkeys([*banks, *(each.bank_id for each in own.banks)])),
        "conversations": list(dict.fromkeys([*talked, *(e.conversation_id for e in talks.conversations)])),
        "collections": list(dict.fromkeys([*named, *(each.collection for each in collections.collections)])),
    }


def _asked(owners: Owners, shown: dict[str, Any]) -> dict[str, Any]:
    """Returns the fields that AssembleContext and Explain have in common."""
    is_a_users = bool(owners.conversation_id or owners.collection is not None or shown["told"])
    told = shown["told"] and owners.user
    return {
        "input": shown["text"],
        "user": owners.user if is_a_users else "",
        "bank_id": owners.bank_id,
        "conversation_id": owners.conversation_id,
        "collection": owners.collection,
        "refs": [instructions.SourceRef(owner=instructions.Owner(user=owners.user))] if told else [],
        "token_budget": shown["budget"],
    }


async def _assembled(visit: Visit, owners: Owners, shown: dict[str, Any]) -> dict[str, Any]:
    asked = _asked(owners, shown)
    made = await visit.client.assemble_context(**asked, allow_partial=True, observe=True)
    parts = parts_of(made.prompt, made.sections, (*made.node_ids, *made.record_ids))
    longest = max((section.tokens for section in made.sections), default=1)
    explained = None
    if shown["words"].strip():
        explained = (await visit.client.explain(**asked, text=shown["words"])).memories
    return {
        "prompt": made,
        "parts_of_prompt": parts,
        "longest": longest,
        "place": lambda memory_id: place_of(memory_id, owners),
        "lost": await _lost(visit, owners, made.left_out),
        "missing": [word(pb.ContextPart.Name(each.part), "CONTEXT_PART_") for each in made.missing],
        "explained": explained,
        "reason": lambda each: word(pb.ExplainReason.Name(each.reason), EXPLAINED),
    }


async def _lost(visit: Visit, owners: Owners, left_out: Sequence[types.LeftOut]) -> list[Lost]:
    """Returns what was left out, with the words of the first ones."""
    words = await calls.each(
        lambda left: words_of(visit.client, left.what, left.id, owners), list(left_out[:READ])
    )
    return [
        Lost(
            left=left,
            reason=word(types.LeftOutReason.Name(left.reason), REASON),
            href=place_of(left.id, owners),
            words=words[number] if number < len(words) else "",
        )
        for number, left in enumerate(left_out)
    ]
