"""Records, and what else several requests of LongTerm share."""

import json
import re
from collections.abc import Sequence
from typing import Any, Protocol

from core.caller import Caller
from core.ids import ConversationId, InvocationId, RecordId
from core.keys import CollectionKey
from core.long_term.conditions import Condition, Op
from core.model.access import Scope
from core.model.record import NO_RECORD, Episode, Origin, Record, RecordKind
from core.text.storable import depth_of
from core.usecases.long_term.new_records import default_category
from core.usecases.long_term.verbs.list_records import RecordFilter
from memorybank.v1 import long_term_pb2 as pb
from service.api.enums import METADATA_OPS, RECORD_KINDS, RECORD_ORIGINS, RECORD_STATES, or_first
from service.api.from_proto.checks import (
    EPOCH,
    GOAL,
    KEYWORD,
    KEYWORDS,
    NAME,
    SENTENCE,
    SOURCE,
    Checks,
)

CATEGORY = re.compile(r"[a-z][a-z0-9_-]{0,63}")
CATEGORY_RULE = "must be a lower-case word of at most 64 characters"
DETAIL = 65_536
JSON = 65_536
METADATA = 1_048_576  # bytes of a turn's or a record's metadata
DEEPEST = 100  # arrays and objects in one another, of a JSON object
MOST_IDS = 100
MOST_STEPS = 1_000
MOST_CATEGORIES = 64
EPISODE_STEPS = 100
MOST_CONDITIONS = 8
MOST_VALUES = 64  # of one condition
CONDITION_PATH = 256


def collection_key(
    check: Checks, caller: Caller, user: str, collection: str, path: str = ""
) -> CollectionKey:
    return caller.collection(
        check.text(f"{path}user", user, NAME, least=1), check.text(f"{path}collection", collection, NAME)
    )


class Whose(Protocol):
    """A request that says whose memory it is about."""

    user: str
    collection: str


def key_of(check: Checks, caller: Caller, request: Whose) -> CollectionKey:
    return collection_key(check, caller, request.user, request.collection)


def category(check: Checks, field: str, value: str) -> str:
    if value and not CATEGORY.fullmatch(value):
        check.wrong(field, CATEGORY_RULE)
    return value


def categories(check: Checks, field: str, values: Sequence[str]) -> tuple[str, ...]:
    check.amount(field, values, MOST_CATEGORIES)
    for index, value in enumerate(values[:MOST_CATEGORIES]):
        if not CATEGORY.fullmatch(value):
            check.wrong(f"{field}[{index}]", CATEGORY_RULE)
    return tuple(values)


def metadata(check: Checks, field: str, value: str) -> str:
    """Checks a caller's own JSON object, of METADATA bytes at most, and keeps it as it came; empty for none."""
    if len(value.encode()) > METADATA:
        check.wrong(field, f"must have at most {METADATA} bytes")
        return ""
    return json_object(check, field, value, METADATA)


def json_object(check: Checks, field: str, value: str, most: int = JSON) -> str:
    """Checks a JSON object and keeps it as it came; empty for none."""
    if not value:
        return ""
    if len(check.text(field, value, most)) > most:
        return ""
    try:
        read = json.loads(value, parse_constant=_no_constant)
        json.dumps(read, ensure_ascii=False, allow_nan=False).encode()
        if isinstance(read, dict) and depth_of(read) <= DEEPEST:
            return value
        nested = isinstance(read, dict)
        check.wrong(field, f"must nest at most {DEEPEST} deep" if nested else "must be a JSON object")
    except UnicodeEncodeError:
        check.wrong(field, "must not hold half a surrogate pair (\\ud800 without its other half)")
    except (ValueError, RecursionError):
        check.wrong(field, "must be JSON, its numbers finite")
    return ""


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def record_ids(
    check: Checks, values: Sequence[str], most: int = MOST_IDS, least: int = 1
) -> tuple[RecordId, ...]:
    return tuple(map(RecordId, check.ids("record_ids", values, most, least)))


def optional_id(check: Checks, field: str, value: str) -> str:
    return check.id_or_none(field, value) or ""


def new_record(check: Checks, given: pb.Record, path: str, episode_path: str | None = None) -> Record:
    """Reads a new record; what is the service's to set is set when it is stored."""
    kind = check.choice(f"{path}kind", given.kind, or_first(RECORD_KINDS))
    origin = check.choice(f"{path}origin", given.origin, or_first(RECORD_ORIGINS))
    if origin is Origin.STATED and not check.caller.may(Scope.SPEAK_FOR_USER):
        origin = Origin.STORED
    episode = _episode_of(check, given, kind, path, episode_path)
    content = episode.goal if episode is not None else given.content
    event_time = check.optional_time(given, "event_time", f"{path}event_time") or EPOCH
    confidence = check.optional_share(given, "confidence", f"{path}confidence")
    check.amount(f"{path}steps", given.steps, MOST_STEPS)
    if given.steps and min(given.steps) < 1:
        check.wrong(f"{path}steps", "must be steps of a conversation, which count from 1")
    return Record(
        record_id=RecordId(optional_id(check, f"{path}record_id", given.record_id)) or NO_RECORD,
        kind=kind,
        category=category(check, f"{path}category", given.category) or default_category(kind),
        subcategory=check.text(f"{path}subcategory", given.subcategory, NAME),
        tags=check.texts(f"{path}tags", given.tags, KEYWORDS, KEYWORD),
        content=content
        if kind is RecordKind.EPISODE
        else check.text(f"{path}content", content, SENTENCE, least=1),
        detail=check.text(f"{path}detail", given.detail, DETAIL),
        confidence=origin.first_confidence if confidence is None else confidence,
        reward=_reward(check, given, path) if given.HasField("reward") else 0.0,
        source=check.text(f"{path}source", given.source, SOURCE),
        origin=origin,
        conversation_id=ConversationId(optional_id(check, f"{path}conversation_id", given.conversation_id)),
        steps=tuple(given.steps),
        invocation_id=InvocationId(optional_id(check, f"{path}invocation_id", given.invocation_id)),
        agent=check.text(f"{path}agent", given.agent, NAME),
        writer=check.caller.subject,
        event_time=event_time,
        create_time=event_time,
        update_time=event_time,
        valid_from=event_time,
        needs_revision=given.needs_revision,
        metadata_json=metadata(check, f"{path}metadata_json", given.metadata_json),
        ttl=check.duration(f"{path}ttl", given.ttl) if given.HasField("ttl") else None,
        episode=episode,
    )


def _reward(check: Checks, given: pb.Record, path: str) -> float:
    if not -1.0 <= given.reward <= 1.0:  # NaN is neither
        check.wrong(f"{path}reward", f"must be -1 to 1, not {given.reward:g}")
    return given.reward


def _episode_of(
    check: Checks, given: pb.Record, kind: RecordKind, path: str, episode_path: str | None
) -> Episode | None:
    """Reads what an EPISODE has, and no other."""
    if given.HasField("episode") is not (kind is RecordKind.EPISODE):
        problem = (
            "must be given with an EPISODE" if kind is RecordKind.EPISODE else "goes with an EPISODE alone"
        )
        check.wrong(f"{path}episode", problem)
        return None
    if kind is not RecordKind.EPISODE:
        return None
    if given.content:
        check.wrong(f"{path}content", "must be empty with an EPISODE: its goal is its content")
    return _episode(check, given.episode, f"{path}episode." if episode_path is None else episode_path)


def _episode(check: Checks, message: pb.Episode, path: str) -> Episode:
    return Episode(
        goal=check.text(f"{path}goal", message.goal, SENTENCE, least=1),
        steps=check.texts(f"{path}steps", message.steps, EPISODE_STEPS, SENTENCE),
        outcome=check.text(f"{path}outcome", message.outcome, GOAL),
        lessons=check.text(f"{path}lessons", message.lessons, GOAL),
    )


def given_fields(check: Checks, record: pb.Record, named: frozenset[str]) -> dict[str, Any]:
    """Checks every field that can be set, as far as it is named.

    Metadata is checked only where it is named: what was stored before its depth was bounded comes back unchanged.
    """
    path = "record."
    given: dict[str, Any] = {
        "content": check.text("record.content", record.content, SENTENCE, least=int("content" in named)),
        "detail": check.text("record.detail", record.detail, DETAIL),
        "category": category(check, "record.category", record.category),
        "subcategory": check.text("record.subcategory", record.subcategory, NAME),
        "tags": check.texts("record.tags", record.tags, KEYWORDS, KEYWORD),
        "confidence": check.optional_share(record, "confidence", "record.confidence"),
        "reward": _reward(check, record, path),
        "source": check.text("record.source", record.source, SOURCE),
        "agent": check.text("record.agent", record.agent, NAME),
        "event_time": check.optional_time(record, "event_time", "record.event_time"),
        "needs_revision": record.needs_revision,
        "metadata_json": metadata(
            check, "record.metadata_json", record.metadata_json if "metadata_json" in named else ""
        ),
        "ttl": check.duration("record.ttl", record.ttl) if record.HasField("ttl") else None,
    }
    if "category" in named and not record.category:
        check.wrong("record.category", "must not be empty")
    if "episode" in named:
        given["episode"] = _episode(check, record.episode, "record.episode.")
        if "content" in named:
            check.wrong("record.content", "follows from the episode's goal")
    if "state" in named:
        given["state"] = check.choice("record.state", record.state, RECORD_STATES)
    return given


def record_filter(check: Checks, path: str, given: pb.RecordFilter) -> RecordFilter:
    check.amount(f"{path}.kinds", given.kinds, 16)
    check.amount(f"{path}.states", given.states, 16)
    return RecordFilter(
        kinds=check.choices(f"{path}.kinds", given.kinds[:16], RECORD_KINDS),
        category=category(check, f"{path}.category", given.category),
        subcategory_prefix=check.text(f"{path}.subcategory_prefix", given.subcategory_prefix, NAME),
        tags=frozenset(check.texts(f"{path}.tags", given.tags, KEYWORDS, KEYWORD)),
        states=check.choices(f"{path}.states", given.states[:16], RECORD_STATES),
        needs_revision=given.needs_revision if given.HasField("needs_revision") else None,
        conversation_id=ConversationId(optional_id(check, f"{path}.conversation_id", given.conversation_id)),
        awaits_review=given.awaits_review,
        writer=check.text(f"{path}.writer", given.writer, NAME),
        metadata=_conditions(check, f"{path}.metadata", given.metadata),
    )


def _conditions(check: Checks, path: str, given: Sequence[pb.MetadataCondition]) -> tuple[Condition, ...]:
    check.amount(path, given, MOST_CONDITIONS)
    return tuple(
        _condition(check, f"{path}[{place}].", each) for place, each in enumerate(given[:MOST_CONDITIONS])
    )


def _condition(check: Checks, path: str, given: pb.MetadataCondition) -> Condition:
    names = check.text(f"{path}path", given.path, CONDITION_PATH, least=1)
    op = check.choice(f"{path}op", given.op, METADATA_OPS)
    text = check.text(f"{path}value_json", given.value_json, SENTENCE, least=1)
    try:
        value = json.loads(text, parse_constant=_no_constant) if len(text) <= SENTENCE else None
    except (ValueError, RecursionError):
        check.wrong(f"{path}value_json", "must be JSON")
        return Condition(path=(), op=Op.EQ, value=None)
    if op is Op.IN:
        fits = isinstance(value, list) and len(value) <= MOST_VALUES and all(map(_is_scalar, value))
        rule = f"must be an array of at most {MOST_VALUES} texts, numbers, booleans and nulls"
    elif op in (Op.EQ, Op.NE):
        fits, rule = _is_scalar(value), "must be a text, a number, a boolean or null"
    else:
        fits = _is_scalar(value) and value is not None and not isinstance(value, bool)
        rule = "must be a number or a text"
    if not fits:
        check.wrong(f"{path}value_json", rule)
    return Condition(
        path=tuple(names.split(".")), op=op, value=tuple(value) if isinstance(value, list) else value
    )


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, str | bool | int | float)
