"""What contexts need: to read every memory."""

from typing import Protocol

from core.usecases.bank.ports import BankPorts, SearchPorts
from core.usecases.conversation.ports import TurnSearchPorts
from core.usecases.instructions.ports import RunPorts
from core.usecases.long_term.ports import RecordPorts, RetrievalPorts
from core.usecases.ports import HasComparer, HasHits, HasInvocations


class RecallPorts(RecordPorts, TurnSearchPorts, Protocol):
    """What a user's memories have for an input."""


class SubjectPorts(RecallPorts, BankPorts, Protocol):
    """The memories that an explanation is of."""


class PairPorts(BankPorts, RecordPorts, HasComparer, Protocol):
    """Two memories, and how they compare."""


class ContextPorts(RecallPorts, RetrievalPorts, SearchPorts, RunPorts, HasInvocations, HasHits, Protocol):
    """One context, out of all memories."""
