"""What makes a report a verdict, and what a verdict says.

Law: nothing becomes a verdict in silence. The conflict's id, the id of its validation, or a type that says so while
one conflict is open makes a context one; any other context is memory, whatever it says.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from core.bank.bank import Bank
from core.errors import ConflictClosed, InvalidField, TaskNotFound
from core.ids import ConflictId, InteractionId, SegmentRef, TaskId
from core.model.conflict import Conflict, VerdictType
from core.model.insight import TaskType, is_validation
from core.model.interaction import Attachment, Interaction, Span, TaskReport
from core.usecases.bank.plans.planning import again_id, attempts_at, validation_id
from core.usecases.bank.record import EVIDENCE

SPEAKS = frozenset({"assistant", "ai", "agent", "model"})
"""Roles that give verdicts, where messages of other roles come with them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a cross-validation found: its words, what they rest on, and when; kept as an interaction and its segments.

    `type`: how it settles the conflict; None: its words say.
    """

    text: str
    evidence: str
    type: VerdictType | None
    interaction_id: InteractionId
    segments: tuple[SegmentRef, ...]
    event_time: datetime


def verdict_of(bank: Bank, interaction: Interaction, type_: VerdictType | None) -> Verdict:
    """Splits a verdict's interaction into its own words, and the messages and attachments that it rests on."""
    own = _own_spans(interaction.spans)
    resting = [span for span in interaction.spans if span not in own]
    words = [*_texts(interaction, resting), *map(_attached, interaction.attachments)]
    return Verdict(
        text="\n".join(_texts(interaction, own)) or interaction.text,
        evidence="\n".join(words),
        type=type_,
        interaction_id=interaction.interaction_id,
        segments=tuple(bank.tree.refs(interaction.interaction_id)),
        event_time=interaction.event_time,
    )


def open_conflict(bank: Bank, conflict_id: ConflictId) -> Conflict:
    """Returns a conflict that is open or suspected. Raises ConflictNotFound, ConflictClosed."""
    conflict = bank.conflict_named(conflict_id)
    if conflict.is_closed:
        raise ConflictClosed(conflict_id, conflict.status)
    return conflict


def conflict_settled(
    bank: Bank, report: TaskReport | None, conflict_id: ConflictId | None
) -> ConflictId | None:
    """Returns the open conflict that a task's report settles; None for a report that is no verdict.

    Raises ConflictNotFound, ConflictClosed, InvalidField for a validation that does not say of which conflict.
    """
    if conflict_id is not None:
        return open_conflict(bank, conflict_id).conflict_id
    if report is None:
        return None
    for task in bank.insight.pending:
        if task.conflict_id and report.task_id and task.task_id == report.task_id:
            return ConflictId(task.conflict_id)
    if not is_validation(report.type):
        return None
    waiting = [conflict.conflict_id for conflict in bank.open_conflicts()]
    if len(waiting) == 1 and not report.task_id:
        return waiting[0]
    named = f"open are {', '.join(waiting)}" if waiting else "none is open"
    raise InvalidField("conflict_id", f"must name the conflict that this validation settles: {named}")


def validation_report(bank: Bank, conflict_id: ConflictId, report: TaskReport | None) -> TaskReport:
    """Returns the report, naming the validation task of the conflict, or the attempts before, even if the caller did
    not.

    One that was not planned stands under the id that closing the conflict gives it, so it is completed once."""
    report = replace(report or TaskReport(), type=TaskType.CROSS_VALIDATION)
    for task in bank.insight.pending:
        if task.conflict_id == conflict_id:
            return replace(report, task_id=task.task_id)
    before = attempts_at(bank.insight, conflict_id)
    if before:
        last = before[-1].task_id
        return replace(report, task_id=again_id(last), retry_of=last)
    return replace(report, task_id=validation_id(conflict_id))


def require_known(bank: Bank, report: TaskReport | None) -> None:
    """Raises TaskNotFound for a retry of what was never done."""
    if report is None or not report.retry_of:
        return
    if all(task.task_id != report.retry_of for task in bank.insight.completed):
        raise TaskNotFound(TaskId(report.retry_of))


def _own_spans(spans: Iterable[Span]) -> list[Span]:
    """Returns the verdict's own spans: those not called evidence, and among messages of other roles the agent's
    last."""
    own = [span for span in spans if span.role != EVIDENCE]
    spoken = [span.role.casefold() in SPEAKS for span in own]
    if not any(spoken) or all(spoken):
        return own
    end = len(own) - spoken[::-1].index(True)
    start = end
    while start and spoken[start - 1]:
        start -= 1
    return own[start:end]


def _texts(interaction: Interaction, spans: Iterable[Span]) -> list[str]:
    return [interaction.text[span.start : span.end] for span in spans]


def _attached(file: Attachment) -> str:
    return f"[{file.attachment_id}: {file.type}, {file.media_type or 'unknown type'}, {file.uri}]"
