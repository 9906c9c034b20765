"""Making records of what callers and agents bring."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from core.agents.offline.thinking import think
from core.errors import InvalidField, SensitiveContent
from core.long_term.metadata import INLINE
from core.model.record import LIFE, STRATEGY, Record, RecordKind
from core.text.sensitive import SECRETS, lines_of_json, sort_in

SKEW = timedelta(minutes=1)
"""How far a caller's clock may be ahead."""

CONTENT = 4_096
PIECE, OVERLAP = 16_384, 1_024
"""Code points that are looked through for secrets at once; of these last two pieces have both."""


def require_past(field: str, event_time: datetime | None, now: datetime) -> None:
    """Raises InvalidField for a time in the future: what has not happened is not remembered."""
    if event_time is not None and event_time > now + SKEW:
        raise InvalidField(field, "must not lie in the future")


def default_category(kind: RecordKind) -> str:
    return LIFE if kind is RecordKind.FACT else STRATEGY


def require_harmless(record: Record, prefix: str = "record.") -> None:
    """Raises SensitiveContent, naming the field, for a text or JSON value that holds a secret."""
    for field, texts in _texts(record):
        sort = sort_in(texts, SECRETS)
        if sort is not None:
            raise SensitiveContent(prefix + field, sort.value)


def require_harmless_metadata(metadata_json: str, prefix: str = "record.") -> None:
    """Raises SensitiveContent for a JSON value that holds a secret."""
    if (sort := sort_in(_in_pieces(metadata_json), SECRETS)) is not None:
        raise SensitiveContent(f"{prefix}metadata_json", sort.value)


async def require_harmless_large(record: Record, prefix: str = "record.") -> None:
    """The same, aside from all else where the metadata is large: that takes up to a second."""
    if len(record.metadata_json) > INLINE:
        await think(require_harmless, record, prefix)
    else:
        require_harmless(record, prefix)


def is_harmless(record: Record) -> bool:
    try:
        require_harmless(record)
    except SensitiveContent:
        return False
    return True


def _texts(record: Record) -> Iterable[tuple[str, list[str]]]:
    yield "content", [record.content]
    yield "context", [record.context]
    yield "detail", [record.detail]
    yield "tags", list(record.tags)
    yield "subcategory", [record.subcategory]
    yield "source", [record.source]
    yield "metadata_json", _in_pieces(record.metadata_json)
    if record.episode is not None:
        episode = record.episode
        yield "episode", [episode.goal, *episode.steps, episode.outcome, episode.lessons]
    if record.recovery is not None:
        mended = record.recovery
        yield "message", [mended.message]
        yield "original_json", lines_of_json(mended.original_json)
        yield "fixed_json", lines_of_json(mended.fixed_json)


def _in_pieces(metadata_json: str) -> list[str]:
    return [piece for line in lines_of_json(metadata_json) for piece in _pieces(line)]


def _pieces(text: str) -> Iterable[str]:
    """Returns a long text in pieces that overlap: what looks through one holds up all else in the process."""
    return (text[start : start + PIECE] for start in range(0, max(1, len(text) - OVERLAP), PIECE - OVERLAP))


def stamped(record: Record, now: datetime, revision: int) -> Record:
    """Returns a new record as it is stored: facts wait for their judgement."""
    return replace(
        record,
        create_time=now,
        update_time=now,
        valid_from=record.event_time,
        judged=record.kind is not RecordKind.FACT,
        revision=revision,
    )
