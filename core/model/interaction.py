"""The verbatim record: interactions, their segments and attachments. Never rewritten."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from core.ids import AttachmentId, ConflictId, InteractionId, NodeId, SegmentRef
from core.model.bearing import WireSlot


class AttachmentType(StrEnum):
    """The kinds the service knows; any other lower-case word is allowed as a type too."""

    IMAGE = "image"
    DOCUMENT = "document"
    CODE = "code"


class InteractionOrigin(StrEnum):
    CONTEXT = "context"  # memorized: goes through clustering
    VERBATIM = "verbatim"  # given with a node by AddNode: never clustered
    VERDICT = "verdict"  # the outcome of a cross-validation: never clustered


class TaskStatus(StrEnum):
    SUCCEEDED = "succeeded"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file beside an interaction, by URI. `size` in bytes, 0 when not known."""

    attachment_id: AttachmentId
    type: str
    uri: str
    media_type: str = ""
    size: int = 0
    stored: bool = False  # whether this service wrote the file (and purges it)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskReport:
    """What a framework says of the task whose context it hands over. `result` is what the agent answered."""

    type: str = ""
    description: str = ""
    status: TaskStatus = TaskStatus.SUCCEEDED
    task_id: str = ""
    retry_of: str = ""
    result: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Where a segment lies in its interaction's text, and who said it. Offsets count Unicode code points."""

    start: int
    end: int
    message_id: str = ""
    role: str = ""
    speaker: str = ""
    event_time: datetime | None = None  # when it differs from the interaction's


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """One verbatim record, immutable once stored. `spans` are its segments' places, in order. `writer`: the subject of
    the API key that stored it."""

    interaction_id: InteractionId
    text: str
    spans: tuple[Span, ...]
    event_time: datetime
    create_time: datetime
    origin: InteractionOrigin = InteractionOrigin.CONTEXT
    source: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    task: TaskReport | None = None
    attachments: tuple[Attachment, ...] = ()
    writer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refutation:
    """Words that a conflict's verdict speaks against: code points [start, end) of their segment's text."""

    start: int
    end: int
    conflict_id: ConflictId


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment(WireSlot):
    """An ordered piece of an interaction: a message, or a paragraph of at most a few hundred characters.

    `node_ids` are the living nodes that summarise it, `refuted` the words in it that verdicts speak against, by place.
    `of_failure`: it stands in the context of a step that failed.
    """

    ref: SegmentRef
    text: str
    offset: int
    event_time: datetime
    message_id: str = ""
    role: str = ""
    speaker: str = ""
    source: str = ""
    node_ids: tuple[NodeId, ...] = ()
    refuted: tuple[Refutation, ...] = ()
    of_failure: bool = False

    @property
    def refuted_by(self) -> str:
        """The conflict whose verdict speaks against it or a part of it; empty when none does."""
        return self.refuted[0].conflict_id if self.refuted else ""

    @property
    def is_refuted_whole(self) -> bool:
        """Whether nothing is left of it that no verdict speaks against."""
        if not self.refuted:  # as a rule
            return False
        left = list(self.text)
        for words in self.refuted:
            left[words.start : words.end] = " " * (words.end - words.start)
        return not any(map(str.isalnum, left))
