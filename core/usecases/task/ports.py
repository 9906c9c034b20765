"""What the steps of a task need."""

from typing import Protocol

from core.usecases.bank.ports import StructuringPorts
from core.usecases.context.ports import ContextPorts


class TaskPorts(ContextPorts, StructuringPorts, Protocol):
    """The bank, and a context for each step."""
