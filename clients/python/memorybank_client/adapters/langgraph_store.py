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
in common with the query follows without a score.

What is put is got back equal; what has another kind of record in the same collection is not touched.

`pip install langgraph-checkpoint` brings what this module imports: 4.0.0 and 4.3.2 were tried.
"""

import asyncio
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from google.protobuf.duration_pb2 import Duration
from google.protobuf.field_mask_pb2 import FieldMask
from langgraph.store.base import (
    BaseStore,
    GetOp,
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

from memorybank.v1 import long_term_pb2 as pb
from memorybank_client import ErrorReason, MemoryBankError, SyncMemoryBankClient

CATEGORY = "langgraph"
TAG = "langgraph"
SEPARATOR = "\x1f"
PAGE = 1_000
CONTENT = 4_096
LABELS = 128  # characters of a namespace that stand as they are
LABELS_KEPT = 80  # of a longer one; a hash follows
NEAREST = 1_000  # records that a search by meaning brings at the most
PUTS = 1_000  # records of one change
CONDITIONS = 8
WORD = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
EXTENDED = FieldMask(paths=["metadata_json", "ttl"])
MISSING = (
    ErrorReason.ERROR_REASON_RECORD_NOT_FOUND,
    ErrorReason.ERROR_REASON_COLLECTION_NOT_FOUND,
)


class MemoryBankStore(BaseStore):
    """One collection of one user. The synchronous client may be shared between threads; `abatch` works in one.

    `fields`: the paths whose texts searches read, where a put names none. `allow_sensitive`: values may hold
    credentials, card, account and identity numbers, which are refused otherwise.
    """

    supports_ttl = True

    def __init__(
        self,
        client: SyncMemoryBankClient,
        user: str,
        collection: str = "",
        *,
        ttl: TTLConfig | None = None,
        fields: Sequence[str] | None = None,
        allow_sensitive: bool = False,
    ) -> None:
        self.ttl_config = ttl
        self._fields = list(fields) if fields else None
        self._allow_sensitive = allow_sensitive
        self._client = client
        self._owner: dict[str, Any] = {"user": user, "collection": collection}

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Performs the reads in order, then all puts and deletes in one change."""
        asked = list(ops)
        results = [None if isinstance(op, PutOp) else self._done(op) for op in asked]
        self._put({_id_of(op.namespace, op.key): op for op in asked if isinstance(op, PutOp)})
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def _done(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            record = self._record(op.namespace, op.key)
            if record is not None and op.refresh_ttl:
                self._extend(record)
            return None if record is None else Item(**_fields(record))
        if isinstance(op, SearchOp):
            return self._found(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        raise TypeError(f"no operation of a store: {type(op).__name__}")

    # ---- one item ----

    def _record(self, namespace: tuple[str, ...], key: str) -> pb.Record | None:
        return self._read(_id_of(namespace, key))

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

    def _put(self, ops: Mapping[str, PutOp]) -> None:
        puts = [
            _record_of(record_id, op, self._fields) for record_id, op in ops.items() if op.value is not None
        ]
        gone = [record_id for record_id, op in ops.items() if op.value is None]
        if not puts:
            for record_id in gone:
                self._delete(record_id)
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
        told["put"] = _put_time(record).isoformat()
        extended = pb.Record(
            record_id=record.record_id,
            metadata_json=json.dumps(told, ensure_ascii=False),
            ttl=_lasting(record, told["ttl"]),
        )
        try:
            self._client.update_record(**self._owner, record=extended, update_mask=EXTENDED)
        except MemoryBankError as error:
            if error.reason not in MISSING:
                raise

    # ---- several ----

    def _found(self, op: SearchOp) -> list[SearchItem]:
        if op.limit < 0 or op.offset < 0:
            raise ValueError(f"limit and offset are 0 or more, not {min(op.limit, op.offset)}")
        _require_operators(op.filter)
        found = self._by_meaning(op, op.query) if op.query else [(record, None) for record in self._below(op)]
        shown = found[op.offset : op.offset + op.limit]
        for record, _ in shown if op.refresh_ttl else ():
            self._extend(record)
        return [SearchItem(**_fields(record), score=score) for record, score in shown]

    def _by_meaning(self, op: SearchOp, query: str) -> list[tuple[pb.Record, float | None]]:
        """Returns what the search wants, nearest first; what is not among the nearest follows."""
        route = pb.Route(intent=pb.INTENT_DECIDE, categories=[CATEGORY])
        near: list[tuple[pb.Record, float | None]] = []
        for top_k in sorted({min(op.offset + op.limit, NEAREST), NEAREST}):
            found = self._client.retrieve_memories(
                **self._owner,
                query=query,
                route=route,
                strict=True,
                wait=True,
                filter=_filter(op.namespace_prefix, op.filter),
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
        chosen = _filter(op.namespace_prefix, op.filter)
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
        every = {_namespace(record) for record in self._all(_filter((), None))}
        chosen = {n for n in every if all(_matches(n, condition) for condition in op.match_conditions or ())}
        cut = sorted({n[: op.max_depth] for n in chosen} if op.max_depth is not None else chosen)
        return cut[op.offset : op.offset + op.limit]


# ---- values ----


def _record_of(record_id: str, op: PutOp, fields: list[str] | None) -> pb.Record:
    if any(SEPARATOR in label for label in op.namespace):
        raise ValueError("a label of a namespace must not hold the unit separator (U+001F)")
    told: dict[str, Any] = {"key": op.key, "value": op.value}
    path = SEPARATOR.join(op.namespace)
    if len(path) > LABELS:
        told["namespace"] = list(op.namespace)
    record = pb.Record(
        record_id=record_id,
        kind=pb.RECORD_KIND_MEMORY,
        category=CATEGORY,
        subcategory=path if len(path) <= LABELS else f"{path[:LABELS_KEPT]}{SEPARATOR}{_hash(path)}",
        tags=[TAG],
        content=_content(op, fields),
        confidence=1.0,
    )
    if op.ttl is not None:
        told["ttl"] = op.ttl
        record.ttl.FromTimedelta(timedelta(minutes=op.ttl))
    record.metadata_json = json.dumps(told, ensure_ascii=False)
    return record


def _filter(prefix: Sequence[str], asked: Mapping[str, Any] | None) -> pb.RecordFilter:
    """Returns what the service leaves out before it cuts: never anything that is wanted."""
    path = SEPARATOR.join(prefix)
    return pb.RecordFilter(
        category=CATEGORY,
        tags=[TAG],
        subcategory_prefix=path if len(path) <= LABELS_KEPT else path[:LABELS_KEPT],
        metadata=[
            pb.MetadataCondition(
                path=f"value.{name}", op=pb.METADATA_OP_IN, value_json=json.dumps(_alike(wanted))
            )
            for name, wanted in (asked or {}).items()
            if isinstance(wanted, str | bool | int | float)
            and "." not in name
            and len(str(wanted)) < CONTENT // 8
        ][:CONDITIONS],
    )


def _alike(value: str | float) -> list[str | float | bool]:
    """Returns the JSON values that equal it: to Python 1 is true."""
    return [value, bool(value) if not isinstance(value, bool) else int(value)] if value in (0, 1) else [value]


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:40]


def _id_of(namespace: Sequence[str], key: str) -> str:
    named = json.dumps([*namespace, key], ensure_ascii=False)
    return f"lg-{_hash(named)}"


def _fields(record: pb.Record) -> dict[str, Any]:
    return {
        "namespace": _namespace(record),
        "key": json.loads(record.metadata_json)["key"],
        "value": _value(record),
        "created_at": _time(record.create_time),
        "updated_at": _put_time(record),
    }


def _namespace(record: pb.Record) -> tuple[str, ...]:
    labels = json.loads(record.metadata_json).get("namespace")
    return tuple(labels or record.subcategory.split(SEPARATOR))


def _value(record: pb.Record) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(record.metadata_json)["value"]
    return value


def _time(stamp: Any) -> datetime:
    moment: datetime = stamp.ToDatetime(tzinfo=UTC)
    return moment


def _put_time(record: pb.Record) -> datetime:
    """Returns when the item was last put: reads that let its time begin anew are no puts."""
    put = json.loads(record.metadata_json).get("put")
    return datetime.fromisoformat(put) if put else _time(record.update_time)


def _lasting(record: pb.Record, minutes: float) -> Duration:
    """Returns a time to live that ends so many minutes from now: a record's counts from its making."""
    age = max(datetime.now(UTC) - _time(record.create_time), timedelta())
    made = Duration()
    made.FromTimedelta(age + timedelta(minutes=minutes))
    return made


def _content(op: PutOp, fields: list[str] | None) -> str:
    """Returns the searchable text of a value: all its texts, or those at the paths that `index` names; else its key."""
    if op.index is False or op.value is None:
        return op.key[:CONTENT] or "item"
    paths = op.index or fields
    chosen = [_at(op.value, path) for path in paths] if paths else [op.value]
    return "\n".join(text for one in chosen for text in _texts(one))[:CONTENT].strip() or op.key[:CONTENT]


def _at(value: Any, path: str) -> Any:
    for name in path.replace("[*]", "").removeprefix("$").split("."):
        if isinstance(value, list):
            value = [one.get(name) for one in value if isinstance(one, Mapping)]
        elif name:
            value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
    elif value is not None:
        yield str(value)


# ---- conditions ----

_ORDERS: Mapping[str, Any] = {
    "$eq": lambda a, b: a == b,
    "$ne": lambda a, b: a != b,
    "$gt": lambda a, b: float(a) > float(b),
    "$gte": lambda a, b: float(a) >= float(b),
    "$lt": lambda a, b: float(a) < float(b),
    "$lte": lambda a, b: float(a) <= float(b),
}


def _require_operators(asked: Any, within: bool = False) -> None:
    """Raises ValueError for an operator that is none here, or stands where a name should."""
    if isinstance(asked, list | tuple):
        for each in asked:
            _require_operators(each)
    elif isinstance(asked, Mapping):
        for name, wanted in asked.items():
            if str(name).startswith("$") and not (within and name in _ORDERS):
                raise ValueError(f"no operator {name!r} here: a field has {', '.join(_ORDERS)}")
            if name not in _ORDERS:
                _require_operators(wanted, within=True)


def _fits(value: Mapping[str, Any], asked: Mapping[str, Any] | None) -> bool:
    return all(_holds(_named(value, name), wanted) for name, wanted in (asked or {}).items())


def _named(value: Mapping[str, Any], name: str) -> Any:
    """Returns what has the name, or what a name with dots leads to."""
    found: Any = value
    for part in (name,) if name in value else name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _holds(found: Any, wanted: Any) -> bool:
    """Whether a value is what is wanted: equal, within operators such as `{"$gt": 3}`, or, of an object, in the parts
    that are named. What is not there fits none but `$ne`."""
    if isinstance(wanted, list | tuple):
        same = isinstance(found, list | tuple) and len(found) == len(wanted)
        return same and all(map(_holds, found, wanted))
    if not isinstance(wanted, Mapping):
        return bool(found == wanted)
    if not any(str(name).startswith("$") for name in wanted):
        return isinstance(found, Mapping) and _fits(found, wanted)
    return all(_compares(found, name, limit) for name, limit in wanted.items())


def _compares(found: Any, operator: str, limit: Any) -> bool:
    if found is None and operator not in ("$eq", "$ne"):
        return False
    return bool(_ORDERS[operator](found, limit))


def _is_wanted(record: pb.Record, op: SearchOp) -> bool:
    is_item = TAG in record.tags and _is_below(_namespace(record), op.namespace_prefix)
    return is_item and _fits(_value(record), op.filter)


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
