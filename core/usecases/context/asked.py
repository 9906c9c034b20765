"""The request of AssembleContext, what of a user's a task's prompt has, and the parts that are missing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum

from core.context.prompt import ToolFormat
from core.errors import MemoryBankError
from core.keys import BankKey, CollectionKey, ConversationKey, InvocationKey, Key
from core.text.needs import has_need
from core.usecases.bank.verbs.augment import Augment
from core.usecases.instructions.load_sources import LoadSources, named


class Form(StrEnum):
    TEXT = "text"
    MESSAGES = "messages"


class Part(StrEnum):
    CONVERSATION = "conversation"
    BANK = "bank"
    INSTRUCTIONS = "instructions"
    LONG_TERM = "long_term"
    WORKING = "working"


@dataclass(frozen=True, slots=True, kw_only=True)
class AssembleContext:
    """No part: all that have a source. No number: as configured. `state`: where things stand, which episodes are to be
    like, too. `min_revisions` by the names of keys (`conversation/ada/c1`). `patience`: how long a part may take.
    `observe`: nothing that is found counts a hit or a use. `min_score`: the least weight of what is found.
    `recall_turns`: whether to look into the user's other conversations that teach the collection.
    `task`: the prompt is for the next step of that bank's task, which it ends with; `input` is what memories are looked
    for then.
    """

    input: str
    system: str = ""
    conversation: ConversationKey | None = None
    bank: BankKey | None = None
    instructions: LoadSources | None = None
    collection: CollectionKey | None = None
    invocation: InvocationKey | None = None
    state: str = ""
    parts: frozenset[Part] = frozenset()
    top_facts: int | None = None
    top_episodes: int | None = None
    top_memories: int | None = None
    top_clusters: int | None = None
    token_budget: int | None = None
    form: Form = Form.TEXT
    tools: bool = False
    tool_format: ToolFormat = ToolFormat.OPENAI
    tools_apart: bool = False
    allow_partial: bool = False
    patience: timedelta | None = None
    observe: bool = False
    min_score: float | None = None
    recall_turns: bool = True
    task: Augment | None = None
    min_revisions: Mapping[str, int] = field(default_factory=dict)

    @property
    def needs(self) -> bool:
        """Whether anything recorded may bear on it: on a task's step always something may."""
        return bool(self.input) if self.task else has_need(self.input)

    def wants(self, part: Part) -> bool:
        return not self.parts or part in self.parts

    def least(self, key: Key) -> int:
        return self.min_revisions.get(named(key), 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    part: Part
    error: MemoryBankError


@dataclass(frozen=True, slots=True, kw_only=True)
class UserMemories:
    """What of a user's stands in the prompt of a task. `allow_partial`, `min_revisions`: as of AssembleContext."""

    conversation: ConversationKey | None = None
    collection: CollectionKey | None = None
    invocation: InvocationKey | None = None
    allow_partial: bool = False
    min_revisions: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        return self.conversation is None and self.collection is None and self.invocation is None


NO_USER = UserMemories()
