"""ListRecords: records by id, all or those a filter admits."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any

from core.ids import ConversationId, RecordId
from core.keys import CollectionKey
from core.long_term.collection import Collection
from core.long_term.conditions import Condition
from core.model.record import NO_CONVERSATION, Record, RecordKind, RecordState
from core.usecases.long_term.answers import RecordWithUses
from core.usecases.long_term.ports import CollectionPorts
from core.usecases.long_term.reading import looking
from core.usecases.paging import BY_ID, DEFAULT_PAGE, page_of


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFilter:
    """What is empty admits all; what is given must all hold. `awaits_review`: proposals are looked for instead of
    records."""

    kinds: frozenset[RecordKind] = frozenset()
    category: str = ""
    subcategory_prefix: str = ""
    tags: frozenset[str] = frozenset()
    states: frozenset[RecordState] = frozenset()
    needs_revision: bool | None = None
    conversation_id: ConversationId = NO_CONVERSATION
    awaits_review: bool = False
    writer: str = ""
    metadata: tuple[Condition, ...] = ()

    @property
    def admits_all(self) -> bool:
        return self == ALL

    def admits(self, collection: Collection, record: Record) -> bool:
        return (
            record.subcategory.startswith(self.subcategory_prefix)
            and (not self.category or record.category == self.category)
            and (not self.kinds or record.kind in self.kinds)
            and (not self.tags or self.tags.issubset(record.tags))
            and (not self.states or record.state in self.states)
            and self.needs_revision in (None, record.needs_revision)
            and (not self.conversation_id or record.conversation_id == self.conversation_id)
            and (not self.writer or record.writer == self.writer)
            and (not self.metadata or self._holds(collection.metadata_of(record)))
        )

    def chosen(self, collection: Collection) -> Set[RecordId] | None:
        """Returns the ids of what it admits, for a search that asks of each again and again; None: all."""
        if self.admits_all:
            return None
        return {record.record_id for record in collection.records.values() if self.admits(collection, record)}

    def _holds(self, metadata: Mapping[str, Any]) -> bool:
        return all(condition.holds(metadata) for condition in self.metadata)


ALL = RecordFilter()


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRecords:
    key: CollectionKey
    filter: RecordFilter = ALL
    page_size: int = DEFAULT_PAGE
    page_token: str = ""
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsListed:
    records: tuple[RecordWithUses, ...]
    next_page_token: str
    revision: int


def _looked_through(collection: Collection, chosen: RecordFilter) -> Iterable[Record]:
    if chosen.awaits_review:
        return (one.record for one in collection.proposals.values())
    return collection.records.values()


def _seen(collection: Collection, record: Record) -> RecordWithUses:
    record_id = record.record_id
    if record.awaits_review:
        return RecordWithUses(
            record_id=record_id, record=record, supersedes=collection.proposals[record_id].supersedes
        )
    return RecordWithUses(record_id=record_id, record=record, uses=collection.uses.get(record_id))


async def list_records(ports: CollectionPorts, command: ListRecords) -> RecordsListed:
    """Raises InvalidField (page_token), CollectionNotFound, RevisionNotReached."""
    async with looking(ports, command.key, command.min_revision) as opened:
        collection = opened.collection
        admitted = (
            record
            for record in _looked_through(collection, command.filter)
            if command.filter.admits(collection, record) and opened.lasts(record)
        )
        page = page_of(
            command,
            admitted,
            lambda record: (record.record_id,),
            BY_ID,
            command.page_token,
            command.page_size,
        )
        seen = tuple(_seen(collection, record) for record in page.items)
        return RecordsListed(records=seen, next_page_token=page.next_page_token, revision=collection.revision)
