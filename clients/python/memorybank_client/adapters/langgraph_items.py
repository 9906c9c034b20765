"""Items of a store of LangGraph as records of a collection: which fields say what, and what of a search the service can
decide by them.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from google.protobuf.duration_pb2 import Duration
from langgraph.store.base import PutOp, get_text_at_path

from memorybank.v1 import long_term_pb2 as pb

CATEGORY = "langgraph"
TAG = "langgraph"
SEPARATOR = "\x1f"
CONTENT = 4_096
LABELS = 128  # characters of a namespace that stand as they are
LABELS_KEPT = 80  # of a longer one; a hash follows
CONDITIONS = 8


def record_of(record_id: str, op: PutOp, fields: list[str], vectors: list[str]) -> pb.Record:
    if any(SEPARATOR in label for label in op.namespace):
        raise ValueError("a label of a namespace must not hold the unit separator (U+001F)")
    told: dict[str, Any] = {"key": op.key, "value": op.value}
    if vectors:
        told["vectors"] = vectors
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


def filter_of(prefix: Sequence[str], asked: Mapping[str, Any] | None) -> pb.RecordFilter:
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


def id_of(namespace: Sequence[str], key: str) -> str:
    named = json.dumps([*namespace, key], ensure_ascii=False)
    return f"lg-{_hash(named)}"


def fields_of(record: pb.Record) -> dict[str, Any]:
    return {
        "namespace": namespace_of(record),
        "key": json.loads(record.metadata_json)["key"],
        "value": value_of(record),
        "created_at": _time(record.create_time),
        "updated_at": put_time_of(record),
    }


def namespace_of(record: pb.Record) -> tuple[str, ...]:
    labels = json.loads(record.metadata_json).get("namespace")
    return tuple(labels or record.subcategory.split(SEPARATOR))


def value_of(record: pb.Record) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(record.metadata_json)["value"]
    return value


def vectors_of(record: pb.Record) -> list[str]:
    vectors: list[str] = json.loads(record.metadata_json).get("vectors", [])
    return vectors


def _time(stamp: Any) -> datetime:
    moment: datetime = stamp.ToDatetime(tzinfo=UTC)
    return moment


def put_time_of(record: pb.Record) -> datetime:
    """Returns when the item was last put: reads that let its time begin anew are no puts."""
    put = json.loads(record.metadata_json).get("put")
    return datetime.fromisoformat(put) if put else _time(record.update_time)


def time_to_live(record: pb.Record, minutes: float) -> Duration:
    """Returns a time to live that ends so many minutes from now: a record's counts from its making."""
    age = max(datetime.now(UTC) - _time(record.create_time), timedelta())
    made = Duration()
    made.FromTimedelta(age + timedelta(minutes=minutes))
    return made


def _content(op: PutOp, fields: list[str]) -> str:
    """Returns the searchable text of a value: all its texts, or those at the paths that `index` names; else its key."""
    if op.index is False or op.value is None:
        return op.key[:CONTENT] or "item"
    texts = [text for path in op.index or fields or ["$"] for text in _at(op.value, path)]
    return "\n".join(texts)[:CONTENT].strip() or op.key[:CONTENT]


def _at(value: Any, path: str) -> Iterable[str]:
    return _texts(value) if path in ("", "$") else get_text_at_path(value, path.removeprefix("$."))


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
