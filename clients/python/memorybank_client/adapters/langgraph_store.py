"""A user's long-term memory as a store of LangGraph (`langgraph.store.base.BaseStore`).

A namespace is a path of labels, kept as the records' subcategory; a value is kept as the record's metadata, word for
word, and its texts as the content that searches read. Time to live is in minutes, as LangGraph has it, and begins
anew with every read that asks for it (`refresh_ttl`, or the store's `TTLConfig`). An item has one record: its id
follows from namespace and key, so that putting it twice is putting it once, in one change. The labels of a namespace
have at most 128 characters together, a value 65,536 as JSON. Of puts of one key at once each succeeds, and one stays.

A search by meaning looks through the nearest of all items, more and more of them. What it does not reach follows by
the words that it shares with the query, without a score: others are nearer, or it was put a moment ago and its meaning
is not known yet.

What is put is got back equal; what has another kind of record in the same collection is not touched.

`pip install langgraph-checkpoint` brings what this module imports.
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
LABELS = 128  # characters of a namespace
NEAREST = (100, 1_000)  # records that a search by meaning looks at, fewer first
PUTS = 10  # times that a put is tried while others put and delete the same key
WORD = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
VALUE = FieldMask(paths=["content", "metadata_json", "ttl"])
EXTENDED = FieldMask(paths=["metadata_json", "ttl"])
MISSING = (
    ErrorReason.ERROR_REASON_RECORD_NOT_FOUND,
    ErrorReason.ERROR_REASON_COLLECTION_NOT_FOUND,
)

EXISTS = (ErrorReason.ERROR_REASON_RECORD_EXISTS,)


class MemoryBankStore(BaseStore):
    """One collection of one user. The synchronous client may be shared between threads; `abatch` works in one."""

    supports_ttl = True

    def __init__(
        self, client: SyncMemoryBankClient, user: str, collection: str = "", *, ttl: TTLConfig | None = None
    ) -> None:
        self.ttl_config = ttl
        self._client = client
        self._owner: dict[str, Any] = {"user": user, "collection": collection}

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Performs every operation in order; a later one sees what an earlier one put."""
        return [self._done(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def _done(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            record = self._record(op.namespace, op.key)
            if record is not None and op.refresh_ttl:
                self._extend(record)
            return None if record is None else Item(**_fields(record))
        if isinstance(op, PutOp):
            self._put(op)
            return None
        if isinstance(op, SearchOp):
            return self._found(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        raise TypeError(f"no operation of a store: {type(op).__name__}")

    # ---- one item ----

    def _record(self, namespace: tuple[str, ...], key: str) -> pb.Record | None:
        try:
            return self._client.get_record(**self._owner, record_id=_id_of(namespace, key)).record
        except MemoryBankError as error:
            if error.reason in MISSING:
                return None
            raise

    def _put(self, op: PutOp) -> None:
        record_id = _id_of(op.namespace, op.key)
        if op.value is None:
            self._delete(record_id)
            return
        if any(SEPARATOR in label for label in op.namespace):
            raise ValueError("a label of a namespace must not hold the unit separator (U+001F)")
        before = self._record(op.namespace, op.key)
        told = {"key": op.key, "value": op.value} | ({} if op.ttl is None else {"ttl": op.ttl})
        record = pb.Record(
            record_id=record_id,
            kind=pb.RECORD_KIND_MEMORY,
            category=CATEGORY,
            subcategory=SEPARATOR.join(op.namespace),
            tags=[TAG],
            content=_content(op),
            metadata_json=json.dumps(told, ensure_ascii=False),
            confidence=1.0,
        )
        if op.ttl is not None:
            record.ttl.CopyFrom(_lasting(before, op.ttl))
        self._write(record, is_there=before is not None)

    def _write(self, record: pb.Record, *, is_there: bool) -> None:
        """Adds the record or changes the one that is there, whatever others do to it meanwhile: the last one stays."""
        for tries_left in reversed(range(PUTS)):
            try:
                if is_there:
                    self._client.update_record(**self._owner, record=record, update_mask=VALUE)
                else:
                    self._client.add_record(**self._owner, record=record)
                return
            except MemoryBankError as error:
                moved = MISSING if is_there else EXISTS
                if error.reason not in moved or not tries_left:
                    raise
            if is_there:
                self._delete(record.record_id)  # it may have expired, and hold its id until it is swept away
            is_there = not is_there

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
        _require_operators(op.filter)
        found = self._by_meaning(op, op.query) if op.query else [(record, None) for record in self._below(op)]
        shown = found[op.offset : op.offset + op.limit]
        for record, _ in shown if op.refresh_ttl else ():
            self._extend(record)
        return [SearchItem(**_fields(record), score=score) for record, score in shown]

    def _by_meaning(self, op: SearchOp, query: str) -> list[tuple[pb.Record, float | None]]:
        """Returns what the search wants, nearest first; what is not among the nearest follows."""
        near: list[tuple[pb.Record, float | None]] = []
        route = pb.Route(intent=pb.INTENT_DECIDE, categories=[CATEGORY])
        for top_k in NEAREST:
            found = self._client.retrieve_memories(**self._owner, query=query, route=route, top_k=top_k)
            near = [(one.record, one.similarity) for one in found.memories if _is_wanted(one.record, op)]
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
        return [record for record in self._all(op.namespace_prefix) if _is_wanted(record, op)]

    def _all(self, prefix: Sequence[str] = ()) -> list[pb.Record]:
        """Returns every item of namespaces that begin so, and of some whose labels only do; newest first."""
        records: list[pb.Record] = []
        token = ""
        while True:
            try:
                page = self._client.list_records(
                    **self._owner,
                    filter=pb.RecordFilter(
                        category=CATEGORY, tags=[TAG], subcategory_prefix=SEPARATOR.join(prefix)[:LABELS]
                    ),
                    page_size=PAGE,
                    page_token=token,
                )
            except MemoryBankError as error:
                if error.reason in MISSING:
                    return []
                raise
            records += page.records
            token = page.next_page_token
            if not token:
                return sorted(records, key=lambda r: r.update_time.ToNanoseconds(), reverse=True)

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        every = {_namespace(record) for record in self._all()}
        chosen = {n for n in every if all(_matches(n, condition) for condition in op.match_conditions or ())}
        cut = sorted({n[: op.max_depth] for n in chosen} if op.max_depth is not None else chosen)
        return cut[op.offset : op.offset + op.limit]


# ---- values ----


def _id_of(namespace: Sequence[str], key: str) -> str:
    named = json.dumps([*namespace, key], ensure_ascii=False)
    return f"lg-{sha256(named.encode()).hexdigest()[:40]}"


def _fields(record: pb.Record) -> dict[str, Any]:
    return {
        "namespace": _namespace(record),
        "key": json.loads(record.metadata_json)["key"],
        "value": _value(record),
        "created_at": _time(record.create_time),
        "updated_at": _put_time(record),
    }


def _namespace(record: pb.Record) -> tuple[str, ...]:
    return tuple(record.subcategory.split(SEPARATOR))


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


def _lasting(before: pb.Record | None, minutes: float) -> Duration:
    """Returns a time to live that ends so many minutes from now: a record's counts from its making."""
    age = timedelta() if before is None else max(datetime.now(UTC) - _time(before.create_time), timedelta())
    made = Duration()
    made.FromTimedelta(age + timedelta(minutes=minutes))
    return made


def _content(op: PutOp) -> str:
    """Returns the searchable text of a value: all its texts, or those at the paths that `index` names; else its key."""
    if op.index is False or op.value is None:
        return op.key[:CONTENT] or "item"
    chosen = [_at(op.value, path) for path in op.index] if op.index else [op.value]
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
    return all(_holds(value.get(name), wanted) for name, wanted in (asked or {}).items())


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
