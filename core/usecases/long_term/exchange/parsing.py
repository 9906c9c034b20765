"""What the files of a collection hold: `memory.json` and `reflections/ID.md` read, whoever wrote them.

Law: pure. What a file says is bounded here as calls are bounded by the contract.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from core.aggregate.codec import decode
from core.errors import ImportInvalid
from core.ids import ConversationId, InvocationId, RecordId, ReflectionId, is_id
from core.long_term.standing import MOST_OPPONENTS, MOST_ORIGINS
from core.model.record import (
    MOST_EXAMPLES,
    STRATEGY,
    Episode,
    Example,
    Origin,
    Provenance,
    Record,
    RecordKind,
    RecordState,
    Recovery,
    Reflection,
    SupersededReason,
    Uses,
)
from core.model.review import Proposal
from core.text.long_json import decoded
from core.text.storable import depth_of, require_storable
from core.usecases.long_term.exchange.files import EPOCH, FENCE, FOLDER, INDEX, Contents

LARGEST = 999_999_999_999  # of a number that counts: also the last step there can be
LONGEST_TTL = 315_576_000_001.0  # seconds; calls take what is less
METADATA, DEEPEST = 1_048_576, 100  # bytes of a caller's JSON object, and how deep it may nest
TAGS, STEPS, EPISODE_STEPS = 200, 1_000, 100  # of a record: what is learned has no more, nor what is stored
UNREADABLE = (AttributeError, KeyError, TypeError, ValueError, OverflowError, RecursionError)


def contents_of(files: Mapping[str, str], now: datetime) -> Contents:
    """Returns what files hold. Raises ImportInvalid, whose `line` counts the entries of the index from 1."""
    try:
        index = decoded(files[INDEX])
    except KeyError:
        raise ImportInvalid(0, f"there is no {INDEX}") from None
    except (ValueError, RecursionError):
        raise ImportInvalid(0, f"{INDEX} is not JSON") from None
    whole = {"memories": index} if isinstance(index, list) else index
    entries, reflected = _entries(whole, "memories"), _entries(whole, "reflections", [])
    records: dict[RecordId, Record] = {}
    uses: dict[RecordId, Uses] = {}
    proposals: dict[RecordId, Proposal] = {}
    waiting = _entries(whole, "awaiting_review", [])
    for line, entry in enumerate((*entries, *waiting), 1):
        try:
            record, used = _record(entry, files, now)
            supersedes = _ids(entry.get("supersedes", []))
        except UNREADABLE as failure:
            raise ImportInvalid(line, f"the memory cannot be read ({type(failure).__name__})") from None
        if record.record_id in records or record.record_id in proposals:
            raise ImportInvalid(line, f"{record.record_id} stands there twice")
        if line > len(entries):
            proposals[record.record_id] = Proposal(record=record, supersedes=supersedes)
            continue
        records[record.record_id] = record
        if used is not None:
            uses[record.record_id] = used
    return Contents(
        records=tuple(records.values()),
        uses=uses,
        reflections=_reflections(reflected, files, records, now),
        proposals=tuple(proposals.values()),
    )


def _entries(index: Any, name: str, missing: Any = None) -> list[Any]:
    found = index.get(name, missing) if isinstance(index, dict) else None
    if not isinstance(found, list):
        raise ImportInvalid(0, f"{INDEX} has no list of {name}")
    return found


def _record(entry: Any, files: Mapping[str, str], now: datetime) -> tuple[Record, Uses | None]:
    require_storable(entry)
    record_id = _id(entry["memory_id"])
    created = _time(entry.get("created_at"), now)
    metadata = _object(entry.get("metadata") or {})
    recovery = _recovery(metadata)
    kind = RecordKind(entry.get("kind", RecordKind.MEMORY))
    own_metadata = metadata if recovery is None else entry.get("own_metadata")
    event_time = _time(entry.get("event_time"), created)
    uses = _count(entry.get("access_count", 0))
    origin = Origin(entry.get("origin", Origin.STORED))
    ttl = entry.get("ttl_seconds")
    record = Record(
        record_id=RecordId(record_id),
        kind=kind,
        category=_text(entry.get("category", STRATEGY), 64, least=1),
        subcategory=_text(entry.get("subcategory", ""), 128),
        tags=tuple(_text(tag, 256, least=1) for tag in _list(entry.get("tags", []), TAGS)),
        content=_text(entry["content"], 4_096, least=1),
        detail=_detail(record_id, files),
        confidence=_within(entry.get("confidence", origin.first_confidence), 0.0, 1.0),
        reward=_within(entry.get("reward", 0.0), -1.0, 1.0),
        source=_text(entry.get("source", ""), 1_024),
        origin=origin,
        conversation_id=ConversationId(_id_or_none(entry.get("conversation_id", ""))),
        steps=_steps(entry.get("steps", [])),
        invocation_id=InvocationId(_id_or_none(entry.get("invocation_id", ""))),
        agent=_text(entry.get("agent", ""), 128),
        writer=_text(entry.get("writer", ""), 128),
        speaker=_text(entry.get("speaker", ""), 128),
        context=_text(entry.get("context", ""), 200),
        said_dates=tuple(_text(day, 64, least=1) for day in _list(entry.get("said_dates", []), TAGS)),
        event_time=event_time,
        create_time=created,
        update_time=_time(entry.get("updated_at"), created),
        valid_from=_time(entry.get("valid_from"), event_time),
        valid_until=_time(entry["valid_until"], now) if "valid_until" in entry else None,
        needs_revision=bool(entry.get("needs_revision", False)),
        judged=bool(entry.get("judged", kind is not RecordKind.FACT)),
        metadata_json=_json(own_metadata) if own_metadata else "",
        reflection_id=ReflectionId(_id_or_none(entry.get("reflection_id", ""))),
        state=RecordState(entry.get("state", RecordState.ACTIVE)),
        superseded_by=RecordId(_id_or_none(entry.get("superseded_by", ""))),
        reason=SupersededReason(entry["superseded_reason"]) if "superseded_reason" in entry else None,
        contested_with=tuple(
            dict.fromkeys(RecordId(_id(other)) for other in entry.get("contested_with", ()))
        ),
        ttl=timedelta(seconds=_within(ttl, 0.0, LONGEST_TTL)) if ttl is not None else None,
        episode=_episode(entry["episode"]) if "episode" in entry else None,
        recovery=recovery,
        also_from=tuple(_provenance(one) for one in _list(entry.get("also_from", []), MOST_ORIGINS)),
    )
    used = Uses(count=uses, last_time=_time(entry.get("last_use_time"), record.update_time)) if uses else None
    return record, used


def _recovery(metadata: Mapping[str, Any]) -> Recovery | None:
    if "fix_pattern" not in metadata or "error_type" not in metadata:
        return None
    pattern = metadata["fix_pattern"]
    return Recovery(
        error_type=_text(metadata["error_type"], 128, least=1),
        tool=_text(metadata["tool_name"], 128, least=1),
        message=_text(metadata.get("error_message", ""), 4_096),
        original_json=_json(pattern.get("original", {})),
        fixed_json=_json(pattern.get("fixed", {})),
        examples=tuple(
            Example(original_json=_json(one.get("original", {})), fixed_json=_json(one.get("fixed", {})))
            for one in _list(pattern.get("earlier", []), MOST_EXAMPLES)
        ),
        successes=_count(metadata.get("successes", 1)),
        failures=_count(metadata.get("failures", 0)),
    )


def _episode(entry: Any) -> Episode:
    episode = decode(Episode, json.dumps(entry))
    for text in (episode.goal, *_list(list(episode.steps), EPISODE_STEPS), episode.outcome, episode.lessons):
        _text(text, 65_536)
    return episode


def _provenance(entry: Any) -> Provenance:
    found = decode(Provenance, json.dumps(entry))
    _text(found.source, 1_024)
    _steps(list(found.steps))
    for named in (found.conversation_id, found.invocation_id):
        _id_or_none(named)
    return found


def _detail(record_id: str, files: Mapping[str, str]) -> str:
    text = files.get(f"{FOLDER}{record_id}.md")
    return "" if text is None else _text(_body(text), 65_536)


def _body(text: str) -> str:
    """Returns Markdown without its front matter."""
    if not text.startswith(FENCE):
        return text
    _, fence, body = text[len(FENCE) :].partition("\n" + FENCE)
    return body.removeprefix("\n") if fence else text


def _reflections(
    entries: list[Any], files: Mapping[str, str], records: Mapping[RecordId, Record], now: datetime
) -> tuple[Reflection, ...]:
    found = []
    for entry in entries:
        try:
            require_storable(entry)
            reflection_id = _id(entry["memory_id"])
            text = files[f"{FOLDER}{reflection_id}.md"]
            created = _time(entry.get("created_at"), now)
            made_of = dict.fromkeys(RecordId(_id(record_id)) for record_id in entry.get("record_ids", ()))
            found.append(
                Reflection(
                    reflection_id=ReflectionId(reflection_id),
                    title=_text(entry["title"], 256, least=1),
                    category=_text(entry.get("category", ""), 64),
                    text=_text(_body(text), 8_192, least=1),
                    record_ids=tuple(record_id for record_id in made_of if record_id in records),
                    create_time=created,
                    update_time=_time(entry.get("updated_at"), created),
                    kept_up=bool(entry.get("kept_up", False)),
                    subject=_text(entry.get("subject", ""), 128),
                )
            )
        except UNREADABLE as failure:
            raise ImportInvalid(0, f"a reflection cannot be read ({type(failure).__name__})") from None
    return tuple(found)


def _id(value: Any) -> str:
    if not isinstance(value, str) or not is_id(value):
        raise ValueError("no id")
    return value


def _ids(values: Any) -> tuple[RecordId, ...]:
    return tuple(dict.fromkeys(RecordId(_id(value)) for value in _list(values, MOST_OPPONENTS)))


def _id_or_none(value: Any) -> str:
    return _id(value) if value else ""


def _text(value: Any, most: int, least: int = 0) -> str:
    if not isinstance(value, str) or len(value) > most or "\0" in value or (least and not value.strip()):
        raise ValueError("no text of that length")
    return value


def _list(value: Any, most: int) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("no list")
    if len(value) > most:
        raise ValueError("too many")
    return value


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("no object")
    return value


def _json(value: Any) -> str:
    """Returns a caller's own JSON object as text."""
    if depth_of(_object(value)) > DEEPEST:
        raise ValueError("nested too deep")
    text = json.dumps(value, ensure_ascii=False)
    if len(text.encode()) > METADATA:
        raise ValueError(f"has more than {METADATA} bytes")
    return _text(text, METADATA)


def _count(value: Any) -> int:
    return int(_within(int(value), 0, LARGEST))


def _steps(values: Any) -> tuple[int, ...]:
    return tuple(int(_within(int(step), 1, LARGEST)) for step in _list(values, STEPS))


def _within(value: Any, least: float, most: float) -> float:
    number = float(value)
    if not least <= number <= most:
        raise ValueError("out of range")
    return number


def _time(value: Any, default: datetime) -> datetime:
    """Seconds since 1970, or an ISO date."""
    if value is None:
        return default
    if isinstance(value, str):
        time = datetime.fromisoformat(value)
        return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    if not isinstance(value, int | float):  # a list times a million is a long list
        raise TypeError("no time")
    return EPOCH + timedelta(microseconds=round(value * 1_000_000))
