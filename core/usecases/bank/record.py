"""Keeping a context verbatim: the interaction, its segments, and the work to structure it. One change.

Law: texts are stored as they came; messages are joined by a line break, nothing is added or cut.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from core.bank.bank import Bank
from core.bank.steps import InteractionAdd, Step, StructuringPut
from core.errors import InteractionExists, InteractionRetracted
from core.ids import ConflictId, InteractionId
from core.model.conflict import VerdictType
from core.model.interaction import Attachment, Interaction, InteractionOrigin, Span, TaskReport
from core.model.retraction import RetractionState
from core.model.structuring import Purpose, Structuring, StructuringState
from core.text.segmenting import message_pieces, segment
from core.usecases.ports import HasSettings, MakingPorts

LARGE = 10_000  # characters; more than this is cut into segments off the loop
EVIDENCE = "evidence"  # the role of the spans that back a verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation, as it was said."""

    text: str
    message_id: str = ""
    role: str = ""
    speaker: str = ""
    event_time: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What is to be remembered: a text or messages, and what belongs to it.

    An attachment without a URI names an uploaded one. `interaction_id` may be chosen by the caller.
    `writer`: the subject of its API key.
    """

    text: str = ""
    messages: tuple[Message, ...] = ()
    task: TaskReport | None = None
    attachments: tuple[Attachment, ...] = ()
    event_time: datetime | None = None
    source: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    interaction_id: InteractionId | None = None
    writer: str = ""

    @property
    def is_empty(self) -> bool:
        return not (self.text or self.messages)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedAnswer:
    """The answer kept for a request that structures: where its outcome will stand."""

    interaction_id: InteractionId | None = None


async def make_interaction(
    ports: MakingPorts,
    context: Context,
    origin: InteractionOrigin = InteractionOrigin.CONTEXT,
    evidence: str = "",
) -> Interaction:
    """Returns the interaction for a context, its segments found. `evidence` is kept after a verdict's text."""
    now = ports.clock.now()
    length = len(context.text) + sum(len(message.text) for message in context.messages)
    if length > LARGE:
        text, spans = await asyncio.to_thread(_cut, context, evidence)
    else:
        text, spans = _cut(context, evidence)
    return Interaction(
        interaction_id=context.interaction_id or InteractionId(ports.ids.new("i")),
        text=text,
        spans=spans,
        event_time=context.event_time or _newest(context.messages) or now,
        create_time=now,
        origin=origin,
        source=context.source,
        labels=context.labels,
        task=context.task,
        attachments=context.attachments,
        writer=context.writer,
    )


def record_steps(
    ports: HasSettings,
    bank: Bank,
    interaction: Interaction,
    purpose: Purpose,
    conflict_id: ConflictId | None = None,
    verdict_type: VerdictType | None = None,
) -> list[Step]:
    """Returns the steps that store an interaction with its structuring to come.

    Raises InteractionExists, InteractionRetracted, AttachmentNotFound, LimitReached.
    """
    require_not_retracted(bank, interaction.interaction_id)
    if interaction.interaction_id in bank.tree.interactions:
        raise InteractionExists(interaction.interaction_id)
    ports.settings.limits.check_segments(bank, len(interaction.spans))
    attachments = tuple(_kept(bank, attachment) for attachment in interaction.attachments)
    structuring = Structuring(
        interaction_id=interaction.interaction_id,
        purpose=purpose,
        state=StructuringState.PENDING,
        update_time=interaction.create_time,
        conflict_id=conflict_id,
        verdict_type=verdict_type,
    )
    stored = replace(interaction, attachments=attachments)
    return [InteractionAdd(interaction=stored), StructuringPut(structuring=structuring)]


def require_not_retracted(bank: Bank, interaction_id: InteractionId) -> None:
    """Raises InteractionRetracted for a record that is in quarantine, or was erased by a retraction."""
    for retraction in bank.retractions.values():
        is_taken = retraction.state is not RetractionState.RELEASED
        if is_taken and interaction_id in retraction.interaction_ids:
            raise InteractionRetracted(interaction_id, retraction.retraction_id)


def _kept(bank: Bank, given: Attachment) -> Attachment:
    """Returns the file as it was uploaded, where only its id is given, or all that its upload answered."""
    uploaded = bank.attachments.get(given.attachment_id)
    own = uploaded is not None and uploaded.uri == given.uri
    return bank.attachment(given.attachment_id) if own or not given.uri else given


def _cut(context: Context, evidence: str) -> tuple[str, tuple[Span, ...]]:
    if context.messages:
        return _joined(context.messages)
    spans = segment(context.text)
    if not evidence:
        return context.text, spans
    start = len(context.text) + 2
    more = (replace(s, start=s.start + start, end=s.end + start, role=EVIDENCE) for s in segment(evidence))
    return f"{context.text}\n\n{evidence}", (*spans, *more)


def _joined(messages: Sequence[Message]) -> tuple[str, tuple[Span, ...]]:
    spans: list[Span] = []
    start = 0
    for message in messages:
        spans += (
            Span(
                start=start + piece.start,
                end=start + piece.end,
                message_id=message.message_id,
                role=message.role,
                speaker=message.speaker,
                event_time=message.event_time,
            )
            for piece in message_pieces(message.text)
        )
        start += len(message.text) + 1
    return "\n".join(message.text for message in messages), tuple(spans)


def _newest(messages: Sequence[Message]) -> datetime | None:
    return max((m.event_time for m in messages if m.event_time), default=None)
