"""A collection as files: `memory.json` and `reflections/ID.md`, in the form of source document 002 §8.1.

Law: pure, and lossless: what is read from files that were written is equal to what was written. The index holds what
decides, with the seed's field names; Markdown holds what models and people read: details and reflections. What the seed
has no name for stands under names of our own, and may be left out by other writers.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from core.aggregate.codec import encode_text
from core.ids import RecordId
from core.model.record import (
    Record,
    Reflection,
    Uses,
)
from core.model.review import Proposal

INDEX = "memory.json"
FOLDER = "reflections/"
FENCE = "---\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What files hold."""

    records: tuple[Record, ...]
    uses: Mapping[RecordId, Uses]
    reflections: tuple[Reflection, ...]
    proposals: tuple[Proposal, ...] = ()

    @property
    def all_records(self) -> tuple[Record, ...]:
        """Returns the records, and those that wait for a review."""
        return (*self.records, *(one.record for one in self.proposals))


# ---- writing ----


def files_of(contents: Contents) -> Iterable[tuple[str, str]]:
    """Yields path and text of each file, the index first."""
    entries = [_entry(record, contents.uses.get(record.record_id)) for record in contents.records]
    index: dict[str, Any] = {
        "memories": entries,
        "reflections": [_reflection_entry(r) for r in contents.reflections],
    }
    if contents.proposals:
        index["awaiting_review"] = [
            _entry(one.record, None) | ({"supersedes": list(one.supersedes)} if one.supersedes else {})
            for one in contents.proposals
        ]
    yield INDEX, json.dumps(index, ensure_ascii=False, indent=2) + "\n"
    for record in contents.all_records:
        if record.detail:
            yield f"{FOLDER}{record.record_id}.md", _front(record) + record.detail
    for reflection in contents.reflections:
        yield f"{FOLDER}{reflection.reflection_id}.md", _reflection_front(reflection) + reflection.text


def _entry(record: Record, uses: Uses | None) -> dict[str, Any]:
    ref = f"{FOLDER}{record.record_id}.md" if record.detail else _ref(record.reflection_id)
    entry: dict[str, Any] = {
        "memory_id": record.record_id,
        "layer": "L2",
        "category": record.category,
        "subcategory": record.subcategory,
        "tags": list(record.tags),
        "content": record.content,
        "confidence": record.confidence,
        "reward": record.reward,
        "source": record.source,
        "created_at": _seconds(record.create_time),
        "updated_at": _seconds(record.update_time),
        "access_count": uses.count if uses else 0,
        "summary_md_ref": ref,
        "metadata": _metadata(record),
        "needs_revision": record.needs_revision,
    }
    own: dict[str, Any] = {
        "kind": record.kind.value,
        "origin": record.origin.value,
        "state": record.state.value,
        "event_time": _seconds(record.event_time),
        "valid_from": _seconds(record.valid_from),
        "judged": record.judged,
    }
    if uses:
        own["last_use_time"] = _seconds(uses.last_time)
    if record.valid_until is not None:
        own["valid_until"] = _seconds(record.valid_until)
    if record.superseded_reason is not None:
        own["superseded_reason"] = record.superseded_reason.value
    if record.ttl is not None:
        own["ttl_seconds"] = record.ttl.total_seconds()
    for name in (
        "conversation_id",
        "invocation_id",
        "agent",
        "superseded_by",
        "reflection_id",
        "writer",
        "speaker",
        "context",
    ):
        if value := getattr(record, name):
            own[name] = value
    for name in ("steps", "contested_with", "said_dates"):
        if value := getattr(record, name):
            own[name] = list(value)
    if record.metadata_json and record.recovery is not None:
        own["own_metadata"] = json.loads(record.metadata_json)
    if record.episode is not None:
        own["episode"] = json.loads(encode_text(record.episode))
    if record.also_from:
        own["also_from"] = [json.loads(encode_text(one)) for one in record.also_from]
    return entry | own


def _metadata(record: Record) -> dict[str, Any]:
    """Returns the caller's own; of a recovery what source document 002 §8.1 puts there."""
    recovery = record.recovery
    if recovery is None:
        found: dict[str, Any] = json.loads(record.metadata_json) if record.metadata_json else {}
        return found
    earlier = [
        {"original": json.loads(each.original_json or "{}"), "fixed": json.loads(each.fixed_json or "{}")}
        for each in recovery.examples
    ]
    return {
        "category": record.subcategory,
        "error_type": recovery.error_type,
        "tool_name": recovery.tool,
        "error_message": recovery.message,
        "fix_pattern": {
            "original": json.loads(recovery.original_json or "{}"),
            "fixed": json.loads(recovery.fixed_json or "{}"),
            **({"earlier": earlier} if earlier else {}),
        },
        "success": True,
        "successes": recovery.successes,
        "failures": recovery.failures,
    }


def _reflection_entry(reflection: Reflection) -> dict[str, Any]:
    return {
        "memory_id": reflection.reflection_id,
        "layer": "L3",
        "title": reflection.title,
        "category": reflection.category,
        "record_ids": list(reflection.record_ids),
        "created_at": _seconds(reflection.create_time),
        "updated_at": _seconds(reflection.update_time),
        "summary_md_ref": f"{FOLDER}{reflection.reflection_id}.md",
        "kept_up": reflection.kept_up,
        "subject": reflection.subject,
    }


def _front(record: Record) -> str:
    return _front_matter(record.record_id, record.category, record.tags, record.create_time)


def _reflection_front(reflection: Reflection) -> str:
    return _front_matter(reflection.reflection_id, reflection.category, (), reflection.create_time)


def _front_matter(memory_id: str, category: str, tags: Sequence[str], time: datetime) -> str:
    shown = json.dumps(list(tags), ensure_ascii=False)
    lines = (f"memory_id: {memory_id}", f"category: {category}", f"tags: {shown}")
    return FENCE + "\n".join((*lines, f"created_at: {time:%Y-%m-%d %H:%M:%S}")) + "\n" + FENCE + "\n"


def _ref(reflection_id: str) -> str:
    return f"{FOLDER}{reflection_id}.md" if reflection_id else ""


def _seconds(time: datetime) -> int | float:
    """Seconds since 1970, whole where they are whole, exact to the microsecond."""
    micros = (time - EPOCH) // MICROSECOND
    return micros // 1_000_000 if micros % 1_000_000 == 0 else micros / 1_000_000


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
