"""What callers delete of a memory that stays, told by ids alone: a store that was set back can lose it again."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.bank.steps import NodeDrop
from core.conversation.steps import KeyDrop, TurnDrop
from core.keys import Key
from core.long_term.steps import RecordDrop
from core.ports.aggregates import Aggregates, CommitResult
from core.usecases.ports import HasDeleted

NODES, TURNS, KEYS, RECORDS = "nodes", "turns", "keys", "records"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """What went, by part and id, of the memory with this uid."""

    kind: str
    uid: str
    items: Mapping[str, tuple[str, ...]]


async def tell_deleted(
    ports: HasDeleted, aggregates: Aggregates[Any], key: Key, done: CommitResult[Any]
) -> CommitResult[Any]:
    """Tells what a commit deleted, unless it is told already, and returns the commit."""
    items = _items(done.steps)
    record = await aggregates.record(key) if items else None
    if record is not None:
        ports.deleted(Deletion(kind=key.kind, uid=record.uid, items=items))
    return done


def _items(steps: Iterable[Any]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for step in steps:
        match step:
            case NodeDrop():
                found.setdefault(NODES, []).append(step.node_id)
            case TurnDrop():
                found.setdefault(TURNS, []).append(str(step.step))
            case KeyDrop():
                found.setdefault(KEYS, []).append(step.key_id)
            case RecordDrop():
                found.setdefault(RECORDS, []).append(step.record_id)
    return {part: tuple(ids) for part, ids in found.items()}
