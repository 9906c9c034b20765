"""Records, and what else several requests of LongTerm share."""

import json
from typing import Any

from core.long_term.conditions import Condition, Op
from core.model.access import Scope
from core.model.record import Episode, Origin, Record, RecordKind, RecordState
from core.usecases.long_term.new_records import default_category
from memorybank.v1 import long_term_pb2 as pb
from service.api.enums import METADATA_OPS, RECORD_KINDS, RECORD_ORIGINS, or_first
from service.api.from_proto.checks import EPOCH, Checks
from service.api.from_proto.forms import no_constant
from service.api.mapping.lines import Const, Else
from service.api.mapping.reading import reading
from service.api.mapping.rules import longest, most_items

MOST_VALUES = 64  # of one condition
CONDITION = longest(pb.MetadataCondition, "value_json")


def _kind(given: pb.Record) -> RecordKind:
    return or_first(RECORD_KINDS).get(given.kind, RecordKind.MEMORY)


def _origin(check: Checks, given: pb.Record) -> Origin:
    origin = check.choice("origin", given.origin, or_first(RECORD_ORIGINS))
    spoken = origin is Origin.STATED and not check.caller.may(Scope.SPEAK_FOR_USER)
    return Origin.STORED if spoken else origin


def _confidence(check: Checks, given: pb.Record) -> float:
    return given.confidence if given.HasField("confidence") else _origin(check, given).first_confidence


def _content(check: Checks, given: pb.Record) -> str:
    if _kind(given) is RecordKind.EPISODE and given.HasField("episode"):
        if given.content:
            check.wrong("content", "must be empty with an EPISODE: its goal is its content")
        return given.episode.goal
    least = 0 if _kind(given) is RecordKind.EPISODE else 1
    return check.text("content", given.content, least=least)


def _episode(check: Checks, given: pb.Record) -> Episode | None:
    """Reads what an EPISODE has, and no other."""
    wanted = _kind(given) is RecordKind.EPISODE
    if given.HasField("episode") is not wanted:
        problem = "must be given with an EPISODE" if wanted else "goes with an EPISODE alone"
        check.wrong("episode", problem)
        return None
    return episode(check.within("episode."), given.episode) if wanted else None


def episode(check: Checks, given: pb.Episode) -> Episode:
    whole = pb.StoreEpisodeRequest
    return Episode(
        goal=check.text("goal", given.goal, longest(whole, "goal"), least=1),
        steps=check.texts("steps", given.steps, most_items(whole, "steps"), longest(whole, "steps")),
        outcome=check.text("outcome", given.outcome, longest(whole, "outcome")),
        lessons=check.text("lessons", given.lessons, longest(whole, "lessons")),
    )


def _from_first_step(check: Checks, given: pb.Record) -> None:
    if given.steps and min(given.steps) < 1:
        check.wrong("steps", "must be steps of a conversation, which count from 1")


record = reading(
    Record,
    pb.Record,
    _from_first_step,
    unread=("episode", "recovery"),
    category=lambda _, given: given.category or default_category(_kind(given)),
    content=_content,
    confidence=_confidence,
    origin=_origin,
    event_time=Else("event_time", EPOCH),
    create_time=Else("event_time", EPOCH),
    update_time=Else("event_time", EPOCH),
    valid_from=Else("event_time", EPOCH),
    state=Const(RecordState.ACTIVE),
    episode=_episode,
    recovery=Const(None),
)


def _condition(check: Checks, given: pb.MetadataCondition) -> Any:
    op = check.choice("op", given.op, METADATA_OPS)
    try:
        text = given.value_json
        value = json.loads(text, parse_constant=no_constant) if len(text) <= CONDITION else None
    except (ValueError, RecursionError):
        check.wrong("value_json", "must be JSON")
        return None
    if op is Op.IN:
        fits = isinstance(value, list) and len(value) <= MOST_VALUES and all(map(_is_scalar, value))
        rule = f"must be an array of at most {MOST_VALUES} texts, numbers, booleans and nulls"
    elif op in (Op.EQ, Op.NE):
        fits, rule = _is_scalar(value), "must be a text, a number, a boolean or null"
    else:
        fits = _is_scalar(value) and value is not None and not isinstance(value, bool)
        rule = "must be a number or a text"
    if not fits:
        check.wrong("value_json", rule)
    return tuple(value) if isinstance(value, list) else value


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, str | bool | int | float)


condition = reading(
    Condition, pb.MetadataCondition, path=lambda _, given: tuple(given.path.split(".")), value=_condition
)
