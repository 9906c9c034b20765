"""A user's long-term memory as a store of LangGraph (`langgraph.store.base.BaseStore`).

A namespace is a path of labels, kept as the records' subcategory; a value is kept as the record's metadata, word for
word, and its texts as the content that searches read. Time to live is in minutes, as LangGraph has it, and begins
anew with every read that asks for it (`refresh_ttl`, or the store's `TTLConfig`). An item has one record: its id
follows from namespace and key, so that putting it twice is putting it once, in one change. A value has at most 1 MiB
as JSON; each one of more than 65,536 characters costs a search that looks at it a call of its own. Of puts of one key
at once each succeeds, and one stays.

As in LangGraph's own stores the reads of a batch come first, and of several puts of a key the last stays; all puts
and deletes of a batch are one change, up to 1,000 of each.

A search by meaning looks among the items of its namespace alone, and finds what was put a moment ago. What has nothing
in common with the query follows without a score. The service embeds; a store with an `index` has its own embedder, as
LangGraph's `IndexConfig` says: then the vectors are kept with the items, and such a search reads all items below its
namespace, which suits namespaces of up to some thousand items. What was put without the index, or under one of other
dimensions, follows without a score.

What is put is got back equal; what has another kind of record in the same collection is not touched.

`pip install langgraph-checkpoint` brings what this module imports: 4.0.0 and 4.3.2 were tried.
"""

import asyncio
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from google.protobuf.field_mask_pb2 import FieldMask
from langgraph.store.base import (
    BaseStore,
    GetOp,
    IndexConfig,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
)
from langgraph.store.base.batch import AsyncBatchedBaseStore

from memorybank.v1 import long_term_pb2 as pb
from memorybank_client import ErrorReason, MemoryBankError, SyncMemoryBankClient
from memorybank_client.adapters.langgraph_conditions import fits, require_operators
from memorybank_client.adapters.langgraph_index import NOTHING, BatchVectors, Index
from memorybank_client.adapters.langgraph_items import (
    CATEGORY,
    TAG,
    fields_of,
    filter_of,
    id_of,
    namespace_of,
    put_time_of,
    record_of,
    time_to_live,
    value_of,
    vectors_of,
)

PAGE = 1_000
NEAREST = 1_000  # records that a search by meaning brings at the most
PUTS = 1_000  # records of one change
WORD = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
Scored = list[tuple[pb.Record, float | None]]
EXTENDED = FieldMask(paths=["metadata_json", "ttl"])
MISSING = (
    ErrorReason.ERROR_REASON_RECORD_NOT_FOUND,
    ErrorReason.ERROR_REASON_COLLECTION_NOT_FOUND,
)


class MemoryBankStore(BaseStore):
    """One collection of one user. The synchronous client may be shared between threads; `abatch` works in one.

    `index`: the embedder of searches by meaning, instead of the service's. `fields`: the paths whose texts searches
    read, where neither a put nor an index names any. `allow_sensitive`: values may hold credentials, card, account and
    identity numbers, which are refused otherwise.
    """

    supports_ttl = True

    def __init__(
        self,
        client: SyncMemoryBankClient,
        user: str,
        collection: str = "",
        *,
        ttl: TTLConfig | None = None,
        index: IndexConfig | None = None,
        fields: Sequence[str] | None = None,
        allow_sensitive: bool = False,
    ) -> None:
        self.ttl_config = ttl
        self.index_config = index
        self._index = Index(index) if index else None
        self._fields = list(self._index.fields if self._index else fields or ())
        self._allow_sensitive = allow_sensitive
        self._client = client
        self._owner: dict[str, Any] = {"user": user, "collection": collection}

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Performs the reads in order, then all puts and deletes in one change."""
        asked = list(ops)
        return self._performed(asked, self._index.embed(asked) if self._index else NOTHING)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        asked = list(ops)
        embedded = await self._index.aembed(asked) if self._index else NOTHING
        return await asyncio.to_thread(self._performed, asked, embedded)

    def _performed(self, asked: Sequence[Op], embedded: BatchVectors) -> list[Result]:
        results = [None if isinstance(op, PutOp) else self._done(op, embedded) for op in asked]
        self._put({id_of(op.namespace, op.key): op for op in asked if isinstance(op, PutOp)}, embedded)
        return results

    def _done(self, op: Op, embedded: BatchVectors) -> Result:
        if isinstance(op, GetOp):
            record = self._record(op.namespace, op.key)
            if record is not None and op.refresh_ttl:
                self._extend(record)
            return None if record is None else Item(**fields_of(record))
        if isinstance(op, SearchOp):
            return self._found(op, embedded)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        raise TypeError(f"no operation of a store: {type(op).__name__}")

    # ---- one item ----

    def _record(self, namespace: tuple[str, ...], key: str) -> pb.Record | None:
        return self._read(id_of(namespace, key))

    def _read(self, record_id: str) -> pb.Record | None:
        try:
            return self._client.get_record(**self._owner, record_id=record_id).record
        except MemoryBankError as error:
            if error.reason in MISSING:
                return None
            raise

    def _whole(self, record: pb.Record) -> pb.Record | None:
        """Returns a record with all of its metadata, of which lists have a head where it is large; None: it is gone."""
        return self._read(record.record_id) if record.metadata_bytes else record

    def _put(self, ops: Mapping[str, PutOp], embedded: BatchVectors) -> None:
        puts = [
            record_of(record_id, op, self._fields, self._index.stored(op, embedded) if self._index else [])
            for record_id, op in ops.items()
            if op.value is not None
        ]
        gone = [record_id for record_id, op in ops.items() if op.value is None]
        if not puts and len(gone) == 1:  # makes no collection where there is none
            self._delete(gone[0])
            return
        for start in range(0, max(len(puts), len(gone)), PUTS):
            self._client.batch_put_records(
                **self._owner,
                records=puts[start : start + PUTS],
                delete_ids=gone[start : start + PUTS],
                allow_sensitive=self._allow_sensitive,
            )

    def _delete(self, record_id: str) -> None:
        try:
            self._client.delete_records(**self._owner, record_ids=[record_id])
        except MemoryBankError as error:
            if error.reason not in MISSING:
                raise

    def _extend(self, record: pb.Record) -> None:
        """Lets the item's time begin anew; when it was put stays known."""
        told = json.loads(record.metadata_json)
        if "ttl" not in told:
            return
        told["put"] = put_time_of(record).isoformat()
        extended = pb.Record(
            record_id=record.record_id,
            metadata_json=json.dumps(told, ensure_ascii=False),
            ttl=time_to_live(record, told["ttl"]),
        )
        try:
            self._client.update_record(**self._owner, record=extended, update_mask=EXTENDED)
        except MemoryBankError as error:
            if error.reason not in MISSING:
                raise

    # ---- several ----

    def _found(self, op: SearchOp, embedded: BatchVectors) -> list[SearchItem]:
        if op.limit < 0 or op.offset < 0:
            raise ValueError(f"limit and offset are 0 or more, not {min(op.limit, op.offset)}")
        require_operators(op.filter)
        if not op.query:
            found: Scored = [(record, None) for record in self._below(op)]
        elif self._index:
            found = self._by_vectors(op, embedded.queries[op.query], self._index)
        else:
            found = self._by_meaning(op, op.query)
        shown = found[op.offset : op.offset + op.limit]
        for record, _ in shown if op.refresh_ttl else ():
            self._extend(record)
        return [SearchItem(**fields_of(record), score=score) for record, score in shown]

    def _by_vectors(self, op: SearchOp, query: Sequence[float], index: Index) -> Scored:
        """Returns what the search wants, the best vector first; what has none follows, newest first."""
        scored = [(record, index.score(vectors_of(record), query)) for record in self._below(op)]
        return sorted(scored, key=lambda one: -math.inf if one[1] is None else one[1], reverse=True)

    def _by_meaning(self, op: SearchOp, query: str) -> Scored:
        """Returns what the search wants, nearest first; what is not among the nearest follows."""
        route = pb.Route(intent=pb.INTENT_DECIDE, categories=[CATEGORY])
        near: Scored = []
        for top_k in sorted({min(op.offset + op.limit, NEAREST), NEAREST}):
            found = self._client.retrieve_memories(
                **self._owner,
                query=query,
                route=route,
                strict=True,
                wait=True,
                filter=filter_of(op.namespace_prefix, op.filter),
                top_k=max(top_k, 1),
            )
            nearest = [(self._whole(one.record), one.similarity) for one in found.memories]
            near = [
                (record, similarity) for record, similarity in nearest if record and _is_wanted(record, op)
            ]
            if len(near) >= op.offset + op.limit:
                return near
            if len(found.memories) < top_k and not found.truncated:
                break
        known = {record.record_id for record, _ in near}
        rest = [record for record in self._below(op) if record.record_id not in known]
        asked = _words(query)
        rest.sort(key=lambda record: -len(asked & _words(record.content)))
        return near + [(record, None) for record in rest]

    def _below(self, op: SearchOp) -> list[pb.Record]:
        """Returns what the search wants, its query left aside, newest first."""
        chosen = filter_of(op.namespace_prefix, op.filter)
        return [record for record in self._all(chosen) if _is_wanted(record, op)]

    def _all(self, chosen: pb.RecordFilter) -> list[pb.Record]:
        """Returns every item that the filter admits, newest first."""
        records: list[pb.Record] = []
        token = ""
        while True:
            try:
                page = self._client.list_records(
                    **self._owner,
                    filter=chosen,
                    page_size=PAGE,
                    page_token=token,
                )
            except MemoryBankError as error:
                if error.reason in MISSING:
                    return []
                raise
            records += filter(None, map(self._whole, page.records))
            token = page.next_page_token
            if not token:
                return sorted(records, key=lambda r: r.update_time.ToNanoseconds(), reverse=True)

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        every = {namespace_of(record) for record in self._all(filter_of((), None))}
        chosen = {n for n in every if all(_matches(n, condition) for condition in op.match_conditions or ())}
        cut = sorted({n[: op.max_depth] for n in chosen} if op.max_depth is not None else chosen)
        return cut[op.offset : op.offset + op.limit]


class AsyncMemoryBankStore(AsyncBatchedBaseStore):
    """The store for one event loop: what is asked for in one turn of the loop is one batch.

    As with LangGraph's own asynchronous stores its plain methods raise InvalidStateError in that loop, which they would
    block; other threads may call them.
    """

    supports_ttl = True

    def __init__(self, store: MemoryBankStore) -> None:
        super().__init__()
        self._store = store
        self.ttl_config = store.ttl_config
        self.index_config = store.index_config

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await self._store.abatch(ops)


def _is_wanted(record: pb.Record, op: SearchOp) -> bool:
    is_item = TAG in record.tags and _is_below(namespace_of(record), op.namespace_prefix)
    return is_item and fits(value_of(record), op.filter)


def _words(text: str) -> set[str]:
    return set(WORD.findall(text.casefold()))


def _is_below(namespace: Sequence[str], prefix: Sequence[str]) -> bool:
    return tuple(namespace[: len(prefix)]) == tuple(prefix)


def _matches(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    """Whether labels match at either end; `*` matches any one."""
    path = tuple(condition.path)
    if len(namespace) < len(path):
        return False
    part = (
        namespace[: len(path)]
        if condition.match_type == "prefix"
        else namespace[len(namespace) - len(path) :]
    )
    return all(wanted in ("*", label) for wanted, label in zip(path, part, strict=True))
