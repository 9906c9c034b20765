"""What everything of a user takes: exported, imported, purged, or rid of a word."""

from typing import Protocol

from core.usecases.bank.ports import ClosingPorts, ExportPorts, ImportPorts
from core.usecases.conversation.ports import ForgettingPorts
from core.usecases.long_term.ports import CollectionPorts
from core.usecases.ports import HasConversations, HasInstructions, HasInvocations, HasStore, SpendingPorts
from core.usecases.user.ports import UserPorts


class PurgePorts(UserPorts, SpendingPorts, HasStore, Protocol):
    """A user who goes, with all that is theirs."""


class UserExportPorts(
    ExportPorts, CollectionPorts, HasConversations, HasInstructions, HasInvocations, Protocol
):
    """A user's files."""


class UserImportPorts(PurgePorts, ImportPorts, Protocol):
    """A user who is made of files."""


class ErasurePorts(ClosingPorts, ForgettingPorts, HasInstructions, HasInvocations, HasStore, Protocol):
    """What mentions a word, in every memory of a user."""
