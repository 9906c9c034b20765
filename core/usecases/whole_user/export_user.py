"""ExportUser: everything that is kept of a user, as files.

Law: reads alone. Each aggregate is of one revision, however long writing it out takes; one that is deleted meanwhile is
left out. Left out, too: vectors, which are made anew, what retractions hold, and which versions a run saw.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from core.conversation.conversation import Conversation
from core.errors import AggregateNotFound, UserNotFound
from core.keys import BankKey, CollectionKey, ConversationKey, InvocationKey, UserKey
from core.model.conversation import Turn
from core.model.instructions import Level, Owner, Source
from core.ports.store import Listing
from core.usecases.bank.exchange.export_bank import ExportBank, export_bank
from core.usecases.bank.exchange.export_records import BREATH
from core.usecases.conversation.ports import TurnPorts
from core.usecases.conversation.turn_metadata import metadata_of
from core.usecases.conversation.verbs.list_turns import PlacedTurn
from core.usecases.long_term.exchange.export_collection import ExportCollection, FilePart, export_collection
from core.usecases.long_term.verbs.get_collection import GetCollection, get_collection
from core.usecases.ports import HasInstructions, HasStore
from core.usecases.user.get_user import GetUser, get_user
from core.usecases.whole_user.ports import UserExportPorts
from core.usecases.whole_user.user_lines import (
    HitCluster,
    Line,
    OwnedSource,
    Progress,
    Running,
    TombstoneLine,
    Value,
)

PAGE = 256  # aggregates that are listed at once


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportUser:
    """`omit_banks`: without the task memory that names the user."""

    key: UserKey
    omit_banks: bool = False
    min_revision: int = 0


async def export_user(ports: UserExportPorts, command: ExportUser) -> AsyncGenerator[Line | FilePart, None]:
    """Raises UserNotFound (nothing is kept of the user), RevisionNotReached."""
    count = 0
    async for piece in _pieces(ports, command):
        count += 1
        if count % BREATH == 0:
            await asyncio.sleep(0)
        yield piece


async def _pieces(ports: UserExportPorts, command: ExportUser) -> AsyncIterator[Line | FilePart]:
    key, banks = command.key, [] if command.omit_banks else await _banks(ports, command.key)
    try:
        seen = await get_user(ports, GetUser(key=key, min_revision=command.min_revision))
    except UserNotFound:
        if not banks:
            raise
    else:
        yield Line(path="user.json", value=seen)
    for part in (_instructions, _conversations, _invocations, _collections):
        async for piece in part(ports, key):
            yield piece
    for bank in banks:
        with suppress(AggregateNotFound):
            async for record in export_bank(ports, ExportBank(key=bank, omit_segment_vectors=True)):
                yield Line(path=f"banks/{bank.bank_id}.jsonl", value=record)


async def records_of_user(ports: HasStore, key: UserKey, kind: str) -> AsyncIterator[Any]:
    """Yields the records of the user's aggregates of a kind, by name."""
    after = ""
    while found := await ports.store.listed(key.tenant, kind, Listing(user=key.user), after, PAGE):
        for record, _ in found:
            yield record
        after = found[-1][0].key.name


async def _banks(ports: HasStore, key: UserKey) -> list[BankKey]:
    return [record.key async for record in records_of_user(ports, key, BankKey.kind)]


async def _instructions(ports: HasInstructions, key: UserKey) -> AsyncIterator[Line]:
    """Yields the user's own sources, every version that is kept."""
    owner, sources = Owner(level=Level.USER, name=key.user), list[Source]()
    with suppress(AggregateNotFound):
        async with ports.instructions.reading(owner.key(key.tenant)) as kept:
            sources = [version for path in kept.paths for _, version in sorted(kept.versions(path).items())]
    for source in sources:
        yield Line(path="instructions.jsonl", value=OwnedSource(owner=owner, source=source))


async def _conversations(ports: TurnPorts, key: UserKey) -> AsyncIterator[Line]:
    async for record in records_of_user(ports, key, ConversationKey.kind):
        values: Sequence[Value] = ()
        uid = ""
        with suppress(AggregateNotFound):
            async with ports.conversations.reading(record.key) as conversation:
                values, uid = _told(conversation), conversation.uid
        for value in values:
            if isinstance(value, PlacedTurn) and value.turn.metadata_bytes:
                async for _, text in metadata_of(ports, record.key, uid, [value.turn.step]):
                    value = replace(value, metadata_json=text)
            yield Line(path=f"conversations/{record.key.conversation_id}.jsonl", value=value)


def _told(conversation: Conversation) -> Sequence[Value]:
    turns = conversation.newest(len(conversation.steps))
    clusters, names = conversation.clusters_in_order(), conversation.cluster_names()
    return (
        conversation.record,
        _progress(conversation, turns),
        *(PlacedTurn(turn=turn, cluster_id=names.get(turn.step, "")) for turn in turns),
        *(HitCluster(cluster=each, hits=conversation.hits.get(each.cluster_id)) for each in clusters),
        *conversation.summaries_in_order(),
        *conversation.keys_in_order(),
        *conversation.invocations_in_order(),
    )


def _progress(conversation: Conversation, turns: Sequence[Turn]) -> Progress:
    record = conversation.record
    under_way = record.extraction.steps if record.extraction else ()
    return Progress(
        placed_to=record.placed_to,
        summarised_to=record.summarised_to,
        attempts=record.attempts,
        unstated=tuple(turn.step for turn in turns if not turn.stated),
        anew=tuple(sorted({*under_way, *record.anew})),
        actions={
            each.invocation_id: each.actions for each in conversation.invocations.values() if each.actions
        },
        taught=record.taught,
        owed=record.owed,
        forgetting=record.forgetting,
        seen_to={each.key_id: each.seen_to for each in conversation.keys.values() if each.seen_to},
    )


async def _invocations(ports: UserExportPorts, key: UserKey) -> AsyncIterator[Line]:
    """Yields the working memory of invocations that have not ended."""
    async for record in records_of_user(ports, key, InvocationKey.kind):
        values: Sequence[Value] = ()
        with suppress(AggregateNotFound):
            async with ports.invocations.reading(record.key) as invocation:
                values = (invocation.record, Running(record=invocation.record), *invocation.in_order())
        for value in values:
            yield Line(path=f"invocations/{record.key.invocation_id}.jsonl", value=value)


async def _collections(ports: UserExportPorts, key: UserKey) -> AsyncIterator[Line | FilePart]:
    """Yields each in a folder of its own, by number: their names are free, and need not be names of files."""
    number = 0
    async for record in records_of_user(ports, key, CollectionKey.kind):
        number += 1
        folder = f"collections/{number}"
        with suppress(AggregateNotFound):
            seen = await get_collection(ports, GetCollection(key=record.key))
            yield Line(path=f"{folder}/collection.json", value=seen)
            async for part in export_collection(ports, ExportCollection(key=record.key)):
                yield FilePart(path=f"{folder}/{part.path}", content=part.content)
            async with ports.collections.reading(record.key) as collection:
                given = sorted(collection.feedback.values(), key=lambda each: (each.time, each.feedback_id))
                stones, salt = sorted(collection.tombstones.items()), collection.record.salt
            for feedback in given:
                yield Line(path=f"{folder}/feedback.jsonl", value=feedback)
            for _, tombstone in stones:
                yield Line(
                    path=f"{folder}/tombstones.jsonl", value=TombstoneLine(tombstone=tombstone, salt=salt)
                )
