"""Metadata of records that is too large to be held in memory: it stands apart, in a row of its own.

Law: pure. Of what stands apart the record keeps a head: the same object without lists and without long texts, so that
conditions on short values hold or fail as they would of the whole.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from core.errors import InvalidField
from core.ids import RecordId
from core.long_term.steps import (
    HeldPut,
    ProposalPut,
    RecordMetadataDrop,
    RecordMetadataPut,
    RecordPut,
    Step,
)
from core.model.record import Record, RecordMetadata
from core.model.retraction import HeldItem

INLINE = 65_536
"""Code points of metadata that a record holds itself."""
SHORT = 1_024
"""Code points of a text that a head keeps: no condition asks for a longer one."""


def with_metadata_apart(records: Mapping[RecordId, Record], steps: Iterable[Step]) -> tuple[Step, ...]:
    """Returns steps that leave large metadata out of their records, and put it beside them; `records`: as they stand.
    Raises InvalidField for large metadata of what waits for a review."""
    return tuple(made for step in steps for made in _apart(records, step))


def head_of(metadata_json: str) -> str:
    """Returns the object without lists and long texts; empty where it is large without them, too."""
    head = json.dumps(_short(json.loads(metadata_json)), ensure_ascii=False)
    return head if len(head) <= INLINE else ""


def _apart(records: Mapping[RecordId, Record], step: Step) -> Iterator[Step]:
    match step:
        case RecordPut():
            yield from _put(step, records.get(step.record.record_id))
        case HeldPut():
            yield HeldPut(held=_without(step.held))
        case ProposalPut() if len(step.proposal.record.metadata_json) > INLINE:
            problem = f"has more than {INLINE:,} code points, which is not kept of what waits for a review"
            raise InvalidField("metadata_json", problem)
        case _:
            yield step


def _put(step: RecordPut, before: Record | None) -> Iterator[Step]:
    record = step.record
    if len(record.metadata_json) > INLINE:
        whole = record.metadata_json
        cut = replace(record, metadata_json=head_of(whole), metadata_bytes=len(whole.encode()))
        yield replace(step, record=cut)
        yield RecordMetadataPut(record_id=record.record_id, metadata=RecordMetadata(metadata_json=whole))
        return
    yield step
    if before is not None and before.metadata_bytes and not record.metadata_bytes:
        yield RecordMetadataDrop(record_id=record.record_id)


def _without(held: HeldItem) -> HeldItem:
    """Returns what a retraction holds of a record that goes: its large metadata goes for good."""
    if held.record is None or held.after is not None or not held.record.metadata_bytes:
        return held
    return replace(held, record=replace(held.record, metadata_json="", metadata_bytes=0))


def _short(value: Any) -> Any:
    """Returns an object with its scalars and objects."""
    if not isinstance(value, dict):
        return value
    return {
        name: _short(each)
        for name, each in value.items()
        if not isinstance(each, list) and not (isinstance(each, str) and len(each) > SHORT)
    }
