"""A conversation as plain values: its record, turns, clusters, summaries, keys."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta
from enum import StrEnum

from core.ids import Collection, RecordId, User
from core.keys import ConversationKey
from core.model.bearing import PromptSlot
from core.model.record import NO_RECORD
from core.model.retraction import RetractionState


class ConversationState(StrEnum):
    ACTIVE = "active"
    ENDING = "ending"  # its end is stored, and is being carried out
    ENDED = "ended"


class SummaryKind(StrEnum):
    LONG = "long"  # of a stretch of turns
    FOLDED = "folded"  # of a cluster that made room for others


class KeyType(StrEnum):
    USER = "user"
    SYSTEM = "system"  # made of a cluster that was recalled often


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationSettings:
    """A conversation's overrides of the configuration; None means the configured value holds."""

    short_turns: int | None = None
    similarity: float | None = None
    max_clusters: int | None = None
    hit_threshold: int | None = None
    top_clusters: int | None = None
    summary_every: int | None = None
    summary_length: int | None = None
    idle_timeout: timedelta | None = None
    extract_facts: bool | None = None
    record_episodes: bool | None = None


NO_SETTINGS = ConversationSettings()
_SETTINGS = tuple(each.name for each in fields(ConversationSettings))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiers:
    """How the tiers of a conversation are kept: as configured, or with a conversation's own settings in their place.

    `extract_facts`, `record_episodes`: whether what was said and done teaches long-term memory by itself.
    `similarity` None: the embedder's own line. `cluster_turns`: a cluster of so many takes no more. `summaries`: of
    either kind. `summary_length` in Chinese characters, or words of other languages.
    """

    short_turns: int = 20
    similarity: float | None = None
    max_clusters: int = 100
    cluster_turns: int = 64
    top_clusters: int = 3
    hit_threshold: int = 10
    system_keys: int = 20
    key_tokens: int = 2_000
    summary_every: int = 10
    summary_length: int = 200
    summaries: int = 200
    invocation_summaries: int = 200
    idle_timeout: timedelta = timedelta(minutes=30)
    extract_facts: bool = True
    record_episodes: bool = True

    def under(self, settings: ConversationSettings) -> "Tiers":
        """Returns these settings, but for what the conversation's own override."""
        own = {name: value for name in _SETTINGS if (value := getattr(settings, name)) is not None}
        return replace(self, **own) if own else self


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRange:
    """Consecutive steps, both ends included."""

    first_step: int
    last_step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryOwed:
    """A summary that went with a turn it told of, to be made anew of the turns that are left."""

    summary_id: str
    kind: SummaryKind
    ranges: tuple[StepRange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionOwed:
    """Turns that facts are being looked for in, under a number that no others ever get."""

    attempt: int
    steps: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgettingOwed:
    """Turns that were deleted, under a number of their own: what they taught has still to go. `everything`: what the
    conversation taught as a whole, whichever its turns. `again`: the turns are there, with other words, and are to be
    looked through again. `retraction_id`: it is taken back, and kept; `closes`: what was taken back stands again
    (RELEASED) or goes for good (ERASED)."""

    number: int
    steps: tuple[int, ...]
    everything: bool = False
    again: bool = False
    retraction_id: str = ""
    closes: RetractionState | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """What the end of a conversation taught long-term memory."""

    fact_ids: tuple[RecordId, ...] = ()
    withheld: int = 0
    episode_id: RecordId = NO_RECORD


NOTHING_TAUGHT = Taught()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationRecord:
    """What a conversation is apart from its contents.

    `last_step`: the newest ever given. Turns up to `placed_to` have been given their cluster, those up to
    `summarised_to` their summary; `owed` are those to be made anew. With those up to `compared_to` the keys of the
    system were compared. Those up to `extracted_to` have been looked through for facts, `attempts` times in all;
    `extraction` is under way, `anew` are to be looked through again.
    What `forgetting` names was deleted, and what it taught has still to go. `taught`: by the latest end.
    `edited_at`: the revision at which what a caller can set last changed. `text_bytes`: of all turns that are
    there, in UTF-8; `metadata_bytes` the same of their metadata.
    """

    key: ConversationKey
    uid: str
    user: User
    collection: Collection
    create_time: datetime
    update_time: datetime
    goal: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    settings: ConversationSettings = NO_SETTINGS
    enabled: bool = True
    state: ConversationState = ConversationState.ACTIVE
    generation: int = 0
    ttl: timedelta | None = None
    turn_count: int = 0
    last_step: int = 0
    text_bytes: int = 0
    metadata_bytes: int = 0
    placed_to: int = 0
    compared_to: int = 0
    summarised_to: int = 0
    owed: tuple[SummaryOwed, ...] = ()
    extracted_to: int = 0
    attempts: int = 0
    extraction: ExtractionOwed | None = None
    anew: tuple[int, ...] = ()
    forgetting: tuple[ForgettingOwed, ...] = ()
    taught: Taught = NOTHING_TAUGHT
    last_turn_time: datetime | None = None
    end_time: datetime | None = None
    due_time: datetime | None = None
    purge_time: datetime | None = None
    tokens_spent: int = 0
    edited_at: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn(PromptSlot):
    """One input and its reply, word for word. Which cluster it lies in is the cluster's to say. `stated`: whether its
    writer may speak for the user, so that facts of the input are the user's own statements. `writer`: the subject of
    the API key that wrote it."""

    step: int
    input: str
    reply: str
    event_time: datetime
    create_time: datetime
    input_speaker: str = ""
    reply_speaker: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    invocation_id: str = ""  # of the run of an agent that it came from
    stated: bool = True
    writer: str = ""
    metadata_bytes: int = 0  # of its metadata, in UTF-8, which is not loaded with it

    @property
    def characters(self) -> int:
        return len(self.input) + len(self.reply)

    @property
    def text_bytes(self) -> int:
        """In UTF-8."""
        return len(self.input.encode()) + len(self.reply.encode())


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnMetadata:
    """What a caller keeps with a turn, as it came: a JSON object. Never searched, and in no prompt."""

    metadata_json: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnCluster(PromptSlot):
    """Older turns about one thing; `steps` ascend. It is called after the step that founded it. What is kept with it is
    its label."""

    cluster_id: str
    steps: tuple[int, ...]
    promoted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterHits:
    """How often a cluster was recalled, and when last: apart from the cluster, as it changes more often. `answers`: the
    steps of those of its turns that answered the latest questions best, one a question, the newest last."""

    cluster_id: str
    hits: int
    last_hit_time: datetime
    answers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnWorths:
    """What some turns are worth by a reader, whose name stands beside them: a byte a turn, `worth_byte`'s."""

    steps: tuple[int, ...]
    worths: bytes
    reader: str

    @property
    def name(self) -> str:
        """Its name among those of a conversation: its first step."""
        return f"{self.steps[0]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary(PromptSlot):
    """What was said in the turns of `ranges`, in few words. Times: of the earliest and the latest of them."""

    summary_id: str
    kind: SummaryKind
    ranges: tuple[StepRange, ...]
    text: str
    start_time: datetime
    end_time: datetime
    create_time: datetime

    @property
    def first_step(self) -> int:
        return self.ranges[0].first_step

    @property
    def last_step(self) -> int:
        return self.ranges[-1].last_step

    def tells_of(self, steps: frozenset[int]) -> bool:
        """Whether one of the steps lies in its ranges."""
        return any(r.first_step <= step <= r.last_step for r in self.ranges for step in steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyMemory:
    """A short statement that every prompt shows. `from_steps`: the turns that a SYSTEM key rests on.

    `revision`: at which its text last changed. `event_time`: when the newest of these turns was said. `seen_to`: the
    last turn of its cluster when it was made; 0 of one that an earlier version made. `shown_time`: when a prompt last
    showed it, to within a day; None of one that none has shown, or that an earlier version wrote last.
    """

    key_id: str
    type: KeyType
    text: str
    create_time: datetime
    update_time: datetime
    revision: int
    cluster_id: str = ""
    from_steps: tuple[int, ...] = ()
    event_time: datetime | None = None
    seen_to: int = 0
    shown_time: datetime | None = None

    def unshown_since(self, time: datetime) -> bool:
        """Whether no prompt has shown it since then, though it was there."""
        return (self.shown_time or self.create_time) < time
