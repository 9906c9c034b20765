"""The request of AssembleContext, and the parts of it that are missing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum

from core.context.prompt import ToolFormat
from core.errors import MemoryBankError
from core.keys import BankKey, CollectionKey, ConversationKey, InvocationKey, Key
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
    `observe`: nothing that is found counts a hit or a use."""

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
    min_revisions: Mapping[str, int] = field(default_factory=dict)

    def wants(self, part: Part) -> bool:
        return not self.parts or part in self.parts

    def least(self, key: Key) -> int:
        return self.min_revisions.get(named(key), 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    part: Part
    error: MemoryBankError
