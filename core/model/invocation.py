"""An invocation as plain values: one run of an agent on one query, and what it keeps in mind while it runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from core.ids import Collection, ConversationId, InvocationId, RecordId, User
from core.keys import InvocationKey

NO_INVOCATION = InvocationId("")


class InvocationState(StrEnum):
    RUNNING = "running"
    ENDING = "ending"  # its end is stored, and is being carried out


class ItemType(StrEnum):
    THOUGHT = "thought"
    ACTION = "action"
    OBSERVATION = "observation"
    SUBTASK = "subtask"
    DECISION = "decision"
    CANDIDATE = "candidate"
    COMPRESSED = "compressed"  # stands for older items; never stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Working:
    """How working memory is shown: above `threshold` tokens, all but the last `keep_steps` steps as one text. An
    invocation that is left alone for `idle` is ended."""

    threshold: int = 2_000
    keep_steps: int = 4
    idle: timedelta = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One entry of a working memory. `number` counts from 1; `step` is the agent's own and never goes back."""

    number: int
    step: int
    type: ItemType
    content: str
    event_time: datetime
    tool: str = ""
    arguments_json: str = ""
    failed: bool = False
    error_type: str = ""
    record_ids: tuple[RecordId, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def text_bytes(self) -> int:
        """In UTF-8."""
        texts = (self.content, self.tool, self.arguments_json, self.error_type, *self.metadata.values())
        return sum(len(text.encode()) for text in texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompressedItems:
    """What a model made of the items up to the one numbered `last`."""

    text: str
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How an invocation ended. `request_id` and `digest` are those of the call that ended it; `idle`: none did."""

    result: str
    succeeded: bool
    skip_turn: bool
    request_id: str
    digest: str
    end_time: datetime
    idle: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class InvocationRecord:
    """What an invocation is apart from its items. `conversation_uid`: of the conversation that was there when it
    began. `due_time`: when it counts as left alone, or when its end is to be carried out. `tokens_spent`: what language
    models have cost while it ran. `stated`: whether the query counts as the user's own words. `writer`: the
    subject of the API key that started it."""

    key: InvocationKey
    uid: str
    user: User
    collection: Collection
    conversation_id: ConversationId
    conversation_uid: str
    query: str
    threshold: int
    keep_steps: int
    create_time: datetime
    due_time: datetime
    state: InvocationState = InvocationState.RUNNING
    item_count: int = 0
    last_step: int = 0
    text_bytes: int = 0
    tokens: int = 0
    tokens_spent: int = 0
    stated: bool = True
    writer: str = ""
    ending: Ending | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InvocationSummary:
    """What is left of an invocation in its conversation. `step`: of the turn that was added; 0: none was.

    `query` and `result` are clipped: the turn has them whole. `actions`: how many calls of tools it made.
    """

    invocation_id: InvocationId
    query: str
    summary: str
    result: str
    succeeded: bool
    step: int
    event_time: datetime
    actions: int = 0
