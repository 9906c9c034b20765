"""GetReflection: one reflection that has its text."""

from dataclasses import dataclass

from core.ids import ReflectionId
from core.keys import CollectionKey
from core.model.record import Reflection
from core.usecases.long_term.ports import CollectionPorts
from core.usecases.long_term.reading import looking


@dataclass(frozen=True, slots=True, kw_only=True)
class GetReflection:
    key: CollectionKey
    reflection_id: ReflectionId
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectionSeen:
    reflection: Reflection
    revision: int


async def get_reflection(ports: CollectionPorts, command: GetReflection) -> ReflectionSeen:
    """Raises ReflectionNotFound, CollectionNotFound, RevisionNotReached."""
    async with looking(ports, command.key, command.min_revision) as opened:
        reflection = opened.collection.reflection(command.reflection_id)
        return ReflectionSeen(reflection=reflection, revision=opened.collection.revision)
