"""What is taken back of a memory, and what becomes of it, told by ids alone: a store that was set back repeats it.

Law: no words. Where a source was taken back, a digest of its name stands for it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from core.keys import Key
from core.long_term.unlearning import Selection
from core.model.interaction_retraction import InteractionRetraction
from core.model.retraction import Retraction, RetractionState
from core.model.turn_retraction import TurnRetraction
from core.ports.aggregates import Aggregates
from core.usecases.ports import HasRetracted

AnyRetraction = Retraction | InteractionRetraction | TurnRetraction


@dataclass(frozen=True, slots=True, kw_only=True)
class RetractionNotice:
    """What was taken back of the memory with this uid: `ids` of turns, of a bank's records or of a collection's; of a
    collection else by origin, `source` being a digest. As `Selection` says it. All empty: its id alone tells it."""

    kind: str
    uid: str
    retraction_id: str
    state: RetractionState
    ids: tuple[str, ...] = ()
    source: str = ""
    conversation_id: str = ""
    steps: tuple[int, ...] = ()
    writer: str = ""
    since: datetime | None = None
    until: datetime | None = None


async def tell_retracted(
    ports: HasRetracted,
    aggregates: Aggregates[Any],
    key: Key,
    retraction: AnyRetraction | None,
    chosen: Selection | None = None,
) -> None:
    """Tells that something was taken back, released or erased; nothing where that came to nothing."""
    record = await aggregates.record(key) if retraction is not None else None
    if record is None or retraction is None:
        return
    asked = chosen or Selection()
    notice = RetractionNotice(
        kind=key.kind,
        uid=record.uid,
        retraction_id=retraction.retraction_id,
        state=retraction.state,
        ids=tuple(map(str, _ids(retraction, asked))),
        source=digest_of(asked.source) if asked.source else "",
        conversation_id=asked.conversation_id,
        steps=tuple(sorted(asked.steps)),
        writer=asked.writer,
        since=asked.since,
        until=asked.until,
    )
    ports.retracted(notice)


def digest_of(source: str) -> str:
    return sha256(source.encode()).hexdigest()


def _ids(retraction: AnyRetraction, asked: Selection) -> Iterable[object]:
    match retraction:
        case InteractionRetraction():
            return retraction.interaction_ids
        case TurnRetraction():
            return retraction.steps
        case _:
            return sorted(asked.record_ids)
