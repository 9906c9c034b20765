"""RecordRecovery: how a failed tool call was mended. The same again reinforces what is known."""

import json
from dataclasses import dataclass, replace
from datetime import datetime

from core.errors import InvalidField
from core.ids import RecordId
from core.keys import CollectionKey
from core.language import language_of
from core.long_term.collection import Collection
from core.long_term.recovery import changed, same_mending
from core.long_term.reviewing import awaits, proposal
from core.long_term.standing import MOST_ORIGINS
from core.long_term.steps import ProposalPut, RecordPut
from core.long_term.worth import reinforced
from core.model.record import (
    ERROR_RECOVERY,
    MOST_EXAMPLES,
    NO_CONVERSATION,
    NO_INVOCATION,
    STRATEGY,
    Example,
    Provenance,
    Record,
    RecordKind,
    Recovery,
)
from core.ports.aggregates import RequestKey
from core.ports.store import Require
from core.usecases.long_term.answers import RecordsKept, StoredRecords, kept_of, read_back
from core.usecases.long_term.new_records import require_harmless
from core.usecases.long_term.ports import WritingPorts
from core.usecases.long_term.reading import Lasts, lasting
from core.usecases.long_term.verbs.add_record import was_forgotten
from core.usecases.long_term.writing import Edit, write
from core.usecases.user.permission import Permission, permission_to_write

SOURCE = "task_result"
SHOWN = 200  # code points of a value in a detail


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRecovery:
    """`explanation`: empty to tell it from the arguments. `source`: the run of an agent it was seen in. `approves`: its
    caller may approve what waits for a review; what is learned of a run has none. `writer`: the subject of its API
    key."""

    key: CollectionKey
    recovery: Recovery
    explanation: str = ""
    success: bool = True
    allow_sensitive: bool = False
    source: Provenance | None = None
    approves: bool = True
    writer: str = ""
    request: RequestKey | None = None


async def record_recovery(ports: WritingPorts, command: RecordRecovery) -> RecordsKept:
    """Raises InvalidField (success), SensitiveContent, MemoryOff, LimitReached, RequestIdReused."""
    return await store_recovery(ports, command)


async def store_recovery(
    ports: WritingPorts,
    command: RecordRecovery,
    permission: Permission | None = None,
    requires: tuple[Require, ...] | None = None,
) -> RecordsKept:
    """Stores it. `permission`: the user's, where it was asked for. `requires`: what must hold, where it is more than
    that the user's memory is on."""
    if not command.success:
        raise InvalidField("success", "must be true: what did not work is no recovery")
    now = ports.clock.now()
    new = _record(command, RecordId(ports.ids.new("r")), now, ports.settings.long_term.recovery_confidence)
    if not command.allow_sensitive:
        require_harmless(new, "")
    permission = permission or await permission_to_write(ports, command.key)
    retention = permission.retention

    def compose(collection: Collection, revision: int) -> Edit[StoredRecords]:
        if was_forgotten(collection, new, approves=command.approves):
            return Edit(result=StoredRecords(record_ids=(), forgotten=True))
        lasts = lasting(collection, now, retention)
        known = known_mending(collection, command.recovery, lasts)
        waits = awaits(collection.record, new, approves=command.approves)
        if known is None and waits:
            waiting = proposal(collection, replace(new, revision=revision), lasts, ports.settings.long_term)
            record_id = waiting.record.record_id
            kept = StoredRecords(record_ids=(record_id,), uses=(None,), awaits_review=True)
            touches = frozenset({f"recovery:{new.tags}", f"record:{record_id}"})
            return Edit(result=kept, steps=(ProposalPut(proposal=waiting),), touches=touches)
        if known is None:
            kept, put = (
                StoredRecords(record_ids=(new.record_id,), uses=(None,)),
                replace(new, revision=revision),
            )
        else:
            kept = kept_of(collection, [known.record_id], known=True)
            put = mended_again(reinforced(known, ports.settings.long_term), new, keeps_words=waits)
        touches = frozenset({f"recovery:{new.tags}", f"record:{put.record_id}"})
        return Edit(result=kept, steps=(RecordPut(record=put),), touches=touches)

    committed = await write(ports, command.key, compose, command.request, StoredRecords, permission, requires)
    return await read_back(ports, command.key, committed)


def known_mending(collection: Collection, recovery: Recovery, lasts: Lasts) -> Record | None:
    for record_id in collection.recoveries:
        record = collection.records[record_id]
        if record.recovery is not None and lasts(record) and same_mending(record.recovery, recovery):
            return record
    return None


def mended_again(known: Record, new: Record, *, keeps_words: bool = False) -> Record:
    """Returns the known record with the newest arguments that worked; with its own where these would wait for a
    review."""
    assert known.recovery is not None, "it was found among recoveries"
    assert new.recovery is not None, "it was made as one"
    worked = known.recovery if keeps_words else new.recovery
    recovery = replace(
        worked,
        successes=known.recovery.successes + 1,
        failures=known.recovery.failures,
        examples=known.recovery.examples if keeps_words else _examples(known.recovery, new.recovery),
    )
    sources = dict.fromkeys((*known.also_from, new.provenance))
    return replace(
        known,
        recovery=recovery,
        detail=known.detail if keeps_words else new.detail,
        event_time=new.event_time,
        also_from=tuple(sources)[:MOST_ORIGINS] if new.steps else known.also_from,
    )


def _examples(known: Recovery, new: Recovery) -> tuple[Example, ...]:
    """Returns what mended such failures before, the newest first, nothing twice."""
    latest = Example(original_json=known.original_json, fixed_json=known.fixed_json)
    newest = Example(original_json=new.original_json, fixed_json=new.fixed_json)
    earlier = dict.fromkeys((latest, *known.examples))
    return tuple(each for each in earlier if each != newest)[:MOST_EXAMPLES]


def _record(command: RecordRecovery, record_id: RecordId, now: datetime, confidence: float) -> Record:
    recovery = command.recovery
    return Record(
        record_id=record_id,
        kind=RecordKind.MEMORY,
        category=STRATEGY,
        subcategory=ERROR_RECOVERY,
        tags=(ERROR_RECOVERY, f"tool:{recovery.tool}", f"error:{recovery.error_type}"),
        content=command.explanation or _told(recovery),
        detail=_detail(recovery, command.explanation),
        confidence=confidence,
        source=SOURCE,
        event_time=now,
        create_time=now,
        update_time=now,
        valid_from=now,
        recovery=recovery,
        writer=command.writer,
        conversation_id=command.source.conversation_id if command.source else NO_CONVERSATION,
        steps=command.source.steps if command.source else (),
        invocation_id=command.source.invocation_id if command.source else NO_INVOCATION,
    )


def _told(recovery: Recovery) -> str:
    names = sorted(changed(recovery.original_json, recovery.fixed_json))
    language = language_of(recovery.message)
    phrases = language.phrases.runs
    how = phrases.changing.format(language.marks.listed.join(names)) if names else phrases.trying_again
    return phrases.recovered.format(tool=recovery.tool, error=recovery.error_type, how=how)


def _detail(recovery: Recovery, explanation: str) -> str:
    """Returns what source document 002 §8.1 shows of a recovery, in Markdown."""
    titles = language_of(recovery.message).phrases.runs.recovery_titles
    lines = [f"# {titles[0]}: {recovery.tool}", "", f"## {titles[1]}"]
    lines += [f"- **{titles[2]}**: {recovery.error_type}", f"- **{titles[3]}**: {recovery.message}"]
    for title, arguments in ((titles[4], recovery.original_json), (titles[5], recovery.fixed_json)):
        shown = json.dumps(json.loads(arguments or "{}"), ensure_ascii=False, indent=2)
        lines += ["", f"## {title}", "```json", shown, "```"]
    lines += ["", f"## {titles[6]}"]
    lines += [explanation] if explanation else []
    mended = changed(recovery.original_json, recovery.fixed_json)
    lines += [
        f"- `{name}`: `{_value(before)}` → `{_value(after)}`" for name, (before, after) in mended.items()
    ]
    return "\n".join(lines) + "\n"


def _value(value: object) -> str:
    shown = (
        value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
    )
    return shown.replace("`", "'").replace("\n", " ")[:SHOWN]
