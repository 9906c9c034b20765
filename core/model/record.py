"""A record of long-term memory: a fact, an episode, a strategy, and what is known of its worth.

How often it was used stands apart (`Uses`), as it changes with every retrieval.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from core.ids import ConversationId, InvocationId, RecordId, ReflectionId
from core.model.bearing import PromptSlot

STRATEGY = "strategy"
PREFERENCE = "preference"
LIFE = "life"
CATEGORIES = ("work", LIFE, PREFERENCE, "emotion", STRATEGY)
ERROR_RECOVERY = "error_recovery"
LIMIT = "limit"
"""The subcategory of a fact that names what somebody cannot have or do: an allergy, an illness, a diet, a budget."""

NO_RECORD, NO_REFLECTION = RecordId(""), ReflectionId("")
NO_CONVERSATION, NO_INVOCATION = ConversationId(""), InvocationId("")


class RecordKind(StrEnum):
    MEMORY = "memory"
    FACT = "fact"  # judged against others
    EPISODE = "episode"


class Origin(StrEnum):
    STORED = "stored"  # by a call
    STATED = "stated"  # by the user
    OBSERVED = "observed"  # in a tool's result
    DISTILLED = "distilled"  # by an agent

    @property
    def strength(self) -> int:
        """The larger the stronger; STATED and STORED are equals."""
        return _STRENGTHS[self]

    @property
    def first_confidence(self) -> float:
        return _CONFIDENCES[self]


_STRENGTHS = {Origin.STATED: 2, Origin.STORED: 2, Origin.OBSERVED: 1, Origin.DISTILLED: 0}
_CONFIDENCES = {Origin.STATED: 0.8, Origin.STORED: 0.8, Origin.OBSERVED: 0.6, Origin.DISTILLED: 0.5}


class RecordState(StrEnum):
    ACTIVE = "active"
    CONTESTED = "contested"
    SUPERSEDED = "superseded"


class SupersededReason(StrEnum):
    """Why a fact is SUPERSEDED."""

    SAME = "same"  # another says the same
    CALLER = "caller"
    CORRECTION = "correction"  # the user took it back
    MODEL = "model"  # a language model found the contradiction
    EARLIER = "earlier"  # stored before reasons were


@dataclass(frozen=True, slots=True)
class Rival:
    """A fact that another one may contradict: that is likely, not sure."""

    record_id: RecordId
    likelihood: float


EPISODE_STEP = 400
"""Code points of a step that tells what a run was asked: an episode of a whole conversation has these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """What was tried, and what came of it."""

    goal: str
    steps: tuple[str, ...] = ()
    outcome: str = ""
    lessons: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """Arguments that failed, and those that worked in their place, as JSON objects."""

    original_json: str
    fixed_json: str


MOST_REFLECTED = 50  # records of one reflection
MOST_EXAMPLES = 4  # of a recovery, beside its newest


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """How a failed tool call was mended: the arguments that failed and those that worked, as JSON objects. `examples`:
    earlier ones of the same kind, the newest first."""

    error_type: str
    tool: str
    message: str
    original_json: str
    fixed_json: str
    successes: int = 1
    failures: int = 0
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where a record came from. `writer`: the subject of the API key that wrote it."""

    origin: Origin
    source: str
    conversation_id: ConversationId
    steps: tuple[int, ...]
    invocation_id: InvocationId
    event_time: datetime
    writer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordMetadata:
    """What a caller keeps with a record, too large for the record itself: a JSON object, as it came."""

    metadata_json: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(PromptSlot):
    """One entry of a collection.

    `reason`: why it was superseded last; ask `superseded_reason`. `valid_from` and `valid_until` bound the time in
    which a fact is known to hold. A SUPERSEDED one without `valid_until` is a duplicate that `superseded_by` stands
    for.
    `speaker`: as whom the words of a fact were said, `said_dates` what their relative times come to; both are beside
    the content. An earlier version's fact has them in its content, and neither here. `context`: the sentence before,
    word for word, which the words of a fact refer to.
    `revision` is the collection's at which a call last changed it. `awaits_review`: it is none of the collection's
    records yet, but a proposal. `writer`: the subject of the API key that wrote its words; "" without keys.
    `metadata_bytes`: what its metadata has where that stands apart, and `metadata_json` is its head; 0: it is whole.
    `rivals`: facts that were there when it was judged; some may be gone.
    """

    record_id: RecordId
    kind: RecordKind
    category: str
    content: str
    confidence: float
    event_time: datetime
    create_time: datetime
    update_time: datetime
    valid_from: datetime
    subcategory: str = ""
    tags: tuple[str, ...] = ()
    detail: str = ""
    reward: float = 0.0
    source: str = ""
    origin: Origin = Origin.STORED
    conversation_id: ConversationId = NO_CONVERSATION
    steps: tuple[int, ...] = ()
    invocation_id: InvocationId = NO_INVOCATION
    agent: str = ""
    needs_revision: bool = False
    judged: bool = True
    metadata_json: str = ""
    reflection_id: ReflectionId = NO_REFLECTION
    state: RecordState = RecordState.ACTIVE
    superseded_by: RecordId = NO_RECORD
    reason: SupersededReason | None = None
    valid_until: datetime | None = None
    contested_with: tuple[RecordId, ...] = ()
    ttl: timedelta | None = None
    episode: Episode | None = None
    recovery: Recovery | None = None
    also_from: tuple[Provenance, ...] = ()
    revision: int = 0
    awaits_review: bool = False
    writer: str = ""
    metadata_bytes: int = 0
    speaker: str = ""
    said_dates: tuple[str, ...] = ()
    context: str = ""
    rivals: tuple[Rival, ...] = ()

    @property
    def provenance(self) -> Provenance:
        return Provenance(
            origin=self.origin,
            source=self.source,
            conversation_id=self.conversation_id,
            steps=self.steps,
            invocation_id=self.invocation_id,
            event_time=self.event_time,
            writer=self.writer,
        )

    @property
    def superseded_reason(self) -> SupersededReason | None:
        """Why it is SUPERSEDED; None: it is not."""
        if self.state is not RecordState.SUPERSEDED:
            return None
        return self.reason or SupersededReason.EARLIER

    def held_at(self, moment: datetime) -> bool:
        """Whether it is known to have held then."""
        if self.state is RecordState.SUPERSEDED and self.valid_until is None:
            return False  # another record says the same
        return self.valid_from <= moment and (self.valid_until is None or moment < self.valid_until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Uses:
    """How often a record was retrieved, and when last."""

    count: int
    last_time: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflection:
    """A text over records. One without a text waits to be made anew. `kept_up`: made by the service, for the strategies
    of the subcategory `subject`, and made anew as more come."""

    reflection_id: ReflectionId
    title: str
    category: str
    text: str
    record_ids: tuple[RecordId, ...]
    create_time: datetime
    update_time: datetime
    kept_up: bool = False
    subject: str = ""
    revision: int = 0
