"""A memory that an answer names by its id alone: where it is looked at, and what it says."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from console import links
from console.links import SEGMENT
from memorybank.v1 import deep_retrieval_pb2 as deep
from memorybank.v1 import types_pb2 as types
from memorybank_client import MemoryBankClient, MemoryBankError
from memorybank_client.quoting import quoted

CONFLICTS = 500
"""Open conflicts among which one is looked for: there is no call that reads one."""
SUMMARY = re.compile(r"s(?P<first>\d+)-\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Owners:
    """The memories that a prompt was made of; empty or None where it was made without."""

    user: str = ""
    bank_id: str = ""
    conversation_id: str = ""
    collection: str | None = None


def place_of(memory_id: str, owners: Owners) -> str:
    """Returns the address of the page that shows a memory; empty where none does."""
    if owners.bank_id and (found := _in_bank(memory_id, owners.bank_id)):
        return found
    if owners.collection is not None and memory_id.startswith("r-"):
        return links.record(owners.user, owners.collection, memory_id)
    if not owners.conversation_id:
        return ""
    if memory_id.isdigit():
        return links.turn(owners.user, owners.conversation_id, memory_id)
    if summary := SUMMARY.fullmatch(memory_id):
        where = {"user": owners.user, "conversation": owners.conversation_id}
        return links.address("/conversation", **where, first=summary["first"])
    if memory_id.startswith("k-"):
        return links.conversation(owners.user, owners.conversation_id) + "#keys"
    return ""


def _in_bank(memory_id: str, bank_id: str) -> str:
    if segment := SEGMENT.fullmatch(memory_id):
        return links.interaction(bank_id, segment["interaction"], int(segment["index"]))
    pages: Mapping[str, Callable[[str, str], str]] = {
        "n-": links.node,
        "c-": links.conflict,
        "i-": links.interaction,
    }
    page = pages.get(memory_id[:2])
    return page(bank_id, memory_id) if page else ""


async def words_of(client: MemoryBankClient, what: str, memory_id: str, owners: Owners) -> str:
    """Returns what a memory says; empty where that is gone, or cannot be read by its id."""
    read = READERS.get(what)
    try:
        return await read(client, memory_id, owners) if read else ""
    except (MemoryBankError, ValueError):
        return ""


async def _node(client: MemoryBankClient, node_id: str, owners: Owners) -> str:
    node = (await client.get_node(bank_id=owners.bank_id, node_id=node_id)).node
    return node.context or node.summary


async def _conflict(client: MemoryBankClient, conflict_id: str, owners: Owners) -> str:
    listed = await client.list_conflicts(
        bank_id=owners.bank_id, statuses=[types.CONFLICT_STATUS_OPEN], page_size=CONFLICTS
    )
    return next((each.description for each in listed.conflicts if each.conflict_id == conflict_id), "")


async def _segment(client: MemoryBankClient, segment_id: str, owners: Owners) -> str:
    place = SEGMENT.fullmatch(segment_id)
    if place is None:
        return ""
    passage = deep.Passages(segment=int(place["index"]), surroundings=0)
    found = await client.get_interaction(
        bank_id=owners.bank_id, interaction_id=place["interaction"], passages=passage
    )
    return found.interactions[0].text if found.interactions else ""


async def _turn(client: MemoryBankClient, step: str, owners: Owners) -> str:
    where: dict[str, Any] = {"user": owners.user, "conversation_id": owners.conversation_id}
    turns = (await client.list_turns(**where, first_step=int(step), last_step=int(step))).turns
    return " — ".join(filter(None, (turns[0].input, turns[0].reply))) if turns else ""


async def _summary(client: MemoryBankClient, summary_id: str, owners: Owners) -> str:
    """Reads a summary by its id in prompts, which is of its steps."""
    first = SUMMARY.fullmatch(summary_id)
    if first is None:
        return ""
    where: dict[str, Any] = {"user": owners.user, "conversation_id": owners.conversation_id}
    step = int(first["first"])
    found = await client.list_summaries(**where, first_step=step, last_step=step)
    return next((each.text for each in found.summaries if each.first_step == step), "")


async def _record(client: MemoryBankClient, record_id: str, owners: Owners) -> str:
    where: dict[str, Any] = {"user": owners.user, "collection": owners.collection or ""}
    record = (await client.get_record(**where, record_id=record_id)).record
    return quoted(record)


READERS: Mapping[str, Callable[[MemoryBankClient, str, Owners], Awaitable[Any]]] = {
    "node": _node,
    "neighbor": _node,
    "segment": _segment,
    "conflict": _conflict,
    "turn": _turn,
    "record": _record,
    "summary": _summary,
}
