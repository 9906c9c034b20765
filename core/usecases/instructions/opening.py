"""Opening the sources of an owner, whether it has any or not."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from core.errors import RevisionNotReached, SourceNotFound
from core.instructions.instructions import Instructions
from core.internal_errors import InstructionsNotFound
from core.keys import InstructionsKey
from core.usecases.ports import HasInstructions


@asynccontextmanager
async def opened(
    ports: HasInstructions, key: InstructionsKey, min_revision: int = 0
) -> AsyncIterator[Instructions | None]:
    """Yields the owner's sources, None if it never had one. Raises RevisionNotReached."""
    try:
        async with ports.instructions.reading(key, min_revision) as instructions:
            yield instructions
    except InstructionsNotFound:
        if min_revision:
            raise RevisionNotReached(min_revision, 0) from None
        yield None


@asynccontextmanager
async def having(
    ports: HasInstructions, key: InstructionsKey, path: str, min_revision: int
) -> AsyncIterator[Instructions]:
    """Yields the owner's sources, this one among them. Raises SourceNotFound, RevisionNotReached."""
    async with opened(ports, key, min_revision) as instructions:
        if instructions is None or instructions.find(path) is None:
            raise SourceNotFound(path)
        yield instructions
