"""The memory that Explain is asked about: what may stand for it in a context, and what keeps it out whatever is asked.

Law: reads only.
"""

import re
import unicodedata
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from core.bank.bank import Bank
from core.bank.query import Query, Target
from core.bank.search import search
from core.caller import EVERYONE, Caller
from core.context.bank_evidence import segment_id
from core.context.conversing import MID, RECALL, SHORT
from core.context.long_term import EPISODES, FACTS
from core.context.turns import name_of
from core.conversation.conversation import Conversation
from core.conversation.search import best_segments
from core.conversation.telling import step_of
from core.errors import CollectionNotFound, InvalidField, RecordNotFound
from core.ids import NodeId, RecordId, SegmentRef, User
from core.keys import BankKey, CollectionKey, ConversationKey
from core.long_term.due import expiry
from core.long_term.ranking import RecordQuery, ranked
from core.long_term.texts import told
from core.model.interaction import Segment
from core.model.record import Record, RecordKind, RecordState, SupersededReason
from core.model.vector import Vector
from core.usecases.context.asked import AssembleContext, Part
from core.usecases.context.known import section_of
from core.usecases.context.ports import RecallPorts, SubjectPorts
from core.usecases.conversation.ports import TurnVectorPorts
from core.usecases.conversation.verbs.search_turns import turn_query
from core.usecases.long_term.ports import RecordPorts
from core.usecases.long_term.reading import OpenCollection, looking
from core.usecases.long_term.verbs.list_collections import ListCollections, list_collections
from core.usecases.ports import HasStore
from core.usecases.user.permission import permission_of
from core.usecases.vectors import query_vector

MOST_SAYING = 5
LOOKED_THROUGH = 50
"""Memories of a source among which those are looked for that say a text."""
FIELDS = {FACTS: "top_facts", EPISODES: "top_episodes"}
TURN_SECTIONS = frozenset({MID, RECALL, SHORT})
_SPACE = re.compile(r"\s+")


class Reason(StrEnum):
    STANDS = "stands"
    SHORTENED = "shortened"
    REPEATED = "repeated"
    BUDGET = "budget"
    RANK = "rank"
    UNLIKE = "unlike"
    NEEDLESS = "needless"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    OTHER_COLLECTION = "other_collection"
    NOT_SHOWN = "not_shown"
    PART_LEFT_OUT = "part_left_out"
    MEMORY_OFF = "memory_off"
    AWAITS_REVIEW = "awaits_review"
    BELOW_FLOOR = "below_floor"


class What(StrEnum):
    NODE = "node"
    SEGMENT = "segment"
    TURN = "turn"
    RECORD = "record"


PARTS = {
    What.NODE: Part.BANK,
    What.SEGMENT: Part.BANK,
    What.TURN: Part.CONVERSATION,
    What.RECORD: Part.LONG_TERM,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectNames:
    """Which memory: one of these. A `node_id` may be a handle. `user` and `caller`: whose record it is,
    and which of the user's collections may be looked in."""

    node_id: str = ""
    segment: SegmentRef | None = None
    record_id: str = ""
    user: User | None = None
    caller: Caller = EVERYONE
    step: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A memory. `items`: the ids of items that stand for it; `names`: the same among candidates. `kept_out`: what keeps
    it out whatever the input is. `field`: which number of the request says how many of its kind are looked
    for; empty: none does."""

    what: What
    id: str
    text: str
    items: frozenset[str]
    names: tuple[str, ...]
    field: str = ""
    contested_with: tuple[str, ...] = ()
    kept_out: Reason | None = None
    other_id: str = ""
    superseded_reason: SupersededReason | None = None
    expire_time: datetime | None = None
    nearest: bool = False

    def may_stand_in(self, section: str) -> bool:
        """Whether an item of a section may be this memory: numbers of turns and of working memory are alike."""
        return self.what is not What.TURN or section in TURN_SECTIONS


async def subjects(ports: SubjectPorts, command: AssembleContext, asked: SubjectNames) -> list[Subject]:
    """Returns the memory asked about, of a text those that say it. Raises NodeNotFound, NodeAbsorbed,
    InteractionNotFound, TurnNotFound, RecordNotFound, InvalidField, AggregateNotFound."""
    if asked.text:
        return await _saying(ports, command, asked.text)
    if asked.record_id:
        return [await _record(ports, command, asked, RecordId(asked.record_id))]
    if asked.step:
        assert command.conversation is not None, "checked where a request is read"
        least = command.least(command.conversation)
        async with ports.conversations.reading(command.conversation, least) as conversation:
            turn = conversation.turn(asked.step)
            return [_of_turn(asked.step, f"{turn.input}\n{turn.reply}")]
    assert command.bank is not None, "checked where a request is read"
    async with ports.banks.reading(command.bank, command.least(command.bank)) as bank:
        if asked.segment is not None:
            return [_of_segment(bank, _segment(bank, asked.segment))]
        return [_of_node(bank, NodeId(asked.node_id))]


# ---- of a bank ----


def _segment(bank: Bank, ref: SegmentRef) -> Segment:
    if ref.index >= len(bank.tree.interaction(ref.interaction_id).spans):
        raise InvalidField("segment.index", "the interaction has no such segment")
    return bank.tree.segment(ref)


def _of_node(bank: Bank, name: NodeId) -> Subject:
    node = bank.node_named(name)
    refs = bank.evidence(node)
    conflicts = tuple(conflict.conflict_id for conflict in bank.open_conflicts_of(node.node_id))
    names = (*map(_name_of, refs), *conflicts, node.node_id)
    return Subject(
        what=What.NODE,
        id=node.node_id,
        text=node.summary,
        items=frozenset(names),
        names=names,
        field="top_memories",
        contested_with=conflicts,
    )


def _of_segment(bank: Bank, segment: Segment) -> Subject:
    conflicts = tuple(
        conflict.conflict_id
        for conflict in bank.open_conflicts()
        if any(segment.ref in side.segments for side in conflict.sides)
    )
    names = (segment_id(segment), *conflicts)
    return Subject(
        what=What.SEGMENT,
        id=segment_id(segment),
        text=segment.text,
        items=frozenset(names),
        names=names,
        field="top_memories",
        contested_with=conflicts,
    )


def _name_of(ref: SegmentRef) -> str:
    return f"{ref.interaction_id}#{ref.index}"


# ---- of a conversation ----


def _of_turn(step: int, text: str) -> Subject:
    return Subject(
        what=What.TURN,
        id=str(step),
        text=text.strip(),
        items=frozenset({str(step)}),
        names=(name_of(step),),
        field="top_clusters",
    )


# ---- of long-term memory ----


async def _record(
    ports: RecallPorts, command: AssembleContext, asked: SubjectNames, record_id: RecordId
) -> Subject:
    """Looks in the collection that is named, then in the user's others, as far as the caller may."""
    if (key := command.collection) is not None:
        try:
            permission = await permission_of(ports, key)
            async with looking(ports, key, command.least(key), permission) as opened:
                if (record := opened.collection.record_or_proposal(record_id)) is not None:
                    ends = expiry(record, opened.collection.record, permission.retention)
                    return _of_record(opened, record, ends)
        except CollectionNotFound:
            pass
    async for other in _collections(ports, asked):
        async with looking(ports, other) as opened:
            if (record := opened.collection.record_or_proposal(record_id)) is not None:
                found = _of_record(opened, record, None)
                if record.awaits_review:
                    return replace(found, other_id=other.collection)
                return replace(found, kept_out=Reason.OTHER_COLLECTION, other_id=other.collection)
    raise RecordNotFound(record_id)


async def _collections(ports: HasStore, asked: SubjectNames) -> AsyncIterator[CollectionKey]:
    assert asked.user is not None, "checked where a request is read"
    token = ""
    while True:
        command = ListCollections(
            tenant=asked.caller.tenant, user=asked.user, within=asked.caller.binding, page_token=token
        )
        page = await list_collections(ports, command)
        for record, _ in page.collections:
            yield record.key
        if not (token := page.next_page_token):
            return


def _of_record(opened: OpenCollection, record: Record, ends: datetime | None) -> Subject:
    section = EPISODES if record.kind is RecordKind.EPISODE else section_of(record)
    subject = Subject(
        what=What.RECORD,
        id=record.record_id,
        text=told(record),
        items=frozenset({record.record_id}),
        names=(record.record_id,),
        field=FIELDS.get(section or "", ""),
        contested_with=record.contested_with,
    )
    if record.awaits_review:
        return replace(subject, text="", kept_out=Reason.AWAITS_REVIEW)
    if record.state is RecordState.SUPERSEDED:
        return replace(
            subject,
            kept_out=Reason.SUPERSEDED,
            other_id=record.superseded_by,
            superseded_reason=record.superseded_reason,
        )
    if not opened.lasts(record):
        return replace(subject, kept_out=Reason.EXPIRED, expire_time=ends)
    return subject if section else replace(subject, kept_out=Reason.NOT_SHOWN)


# ---- by a text ----


async def _saying(ports: SubjectPorts, command: AssembleContext, text: str) -> list[Subject]:
    """Returns the memories that say a text; where none does, the most alike of each source."""
    vector = await query_vector(ports, text)
    found: list[list[Subject]] = []
    if command.bank is not None:
        found.append(await _in_bank(ports, command, command.bank, text, vector))
    if command.conversation is not None:
        found.append(await _in_conversation(ports, command, command.conversation, text, vector))
    if command.collection is not None:
        found.append(await _in_collection(ports, command, command.collection, text, vector))
    saying = [each for source in found for each in source if _says(each.text, text)]
    if saying:
        return saying[:MOST_SAYING]
    return [replace(each, nearest=True) for source in found for each in source[:1]]


async def _in_bank(
    ports: SubjectPorts, command: AssembleContext, key: BankKey, text: str, vector: Vector
) -> list[Subject]:
    async with ports.banks.reading(key, command.least(key)) as bank:
        query = Query(
            top_k=LOOKED_THROUGH,
            alpha=ports.settings.retrieval.alpha_of(bank),
            text=text,
            vector=vector if bank.embeds else None,
            target=Target.SEGMENTS,
            now=ports.clock.now(),
        )
        hits = search(bank, query).hits
        return [_of_segment(bank, hit.segment) for hit in hits if hit.segment is not None]


async def _in_conversation(
    ports: TurnVectorPorts, command: AssembleContext, key: ConversationKey, text: str, vector: Vector
) -> list[Subject]:
    async with ports.conversations.reading(key, command.least(key)) as conversation:
        query = turn_query(ports, text, vector, LOOKED_THROUGH)
        found = best_segments(conversation, query, ports.embedder.space)
        return list(_turns(conversation, dict.fromkeys(step_of(each.key.interaction_id) for each in found)))


def _turns(conversation: Conversation, steps: Iterable[int]) -> Iterator[Subject]:
    for step in steps:
        turn = conversation.turn(step)
        yield _of_turn(step, f"{turn.input}\n{turn.reply}")


async def _in_collection(
    ports: RecordPorts, command: AssembleContext, key: CollectionKey, text: str, vector: Vector
) -> list[Subject]:
    try:
        async with looking(ports, key, command.least(key)) as opened:
            sought = RecordQuery(
                top_k=LOOKED_THROUGH,
                alpha=ports.settings.retrieval.alpha,
                now=opened.now,
                text=text,
                vector=vector,
            )
            found = ranked(opened.collection, sought, None, ports.embedder.space, ports.settings.long_term)
            return [_of_record(opened, one.record, None) for one in found]
    except CollectionNotFound:
        return []


def _says(text: str, words: str) -> bool:
    return _folded(words) in _folded(text)


def _folded(text: str) -> str:
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text)).strip().casefold()
