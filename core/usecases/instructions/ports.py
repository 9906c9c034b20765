"""What use cases of instructions need."""

from typing import Protocol

from core.instructions.run import Run
from core.ports.aggregates import Aggregates
from core.usecases.ports import HasInstructions, HasStore
from core.usecases.user.ports import UserPorts


class SourcePorts(UserPorts, HasInstructions, Protocol):
    """Sources that are written."""


class RunPorts(SourcePorts, HasStore, Protocol):
    """Sources that runs of agents load, each the same versions every time."""

    @property
    def runs(self) -> Aggregates[Run]: ...
