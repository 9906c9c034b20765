"""FindRecoveries: how failures like this were mended before, best match first (source document 002 §8.2)."""

from dataclasses import dataclass

from core.keys import CollectionKey
from core.long_term.recovery import Failure, matches
from core.model.record import Record, Uses
from core.usecases.long_term.ports import RetrievalPorts
from core.usecases.long_term.reading import retrieving
from core.usecases.room import fitting


@dataclass(frozen=True, slots=True, kw_only=True)
class FindRecoveries:
    key: CollectionKey
    failure: Failure
    top_k: int | None = None
    min_match: float | None = None
    observe: bool = False
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveriesFound:
    """Best first: record, match, uses. `truncated`: one message does not hold them all."""

    found: tuple[tuple[Record, float, Uses | None], ...]
    revision: int
    truncated: bool = False


async def find_recoveries(ports: RetrievalPorts, command: FindRecoveries) -> RecoveriesFound:
    """Raises RevisionNotReached."""
    settings = ports.settings.long_term
    async with retrieving(ports, command.key, command.min_revision) as opened:
        if opened is None:
            return RecoveriesFound(found=(), revision=0)
        collection = opened.collection
        known = (collection.records[record_id] for record_id in collection.recoveries)
        found = matches(
            filter(opened.lasts, known),
            command.failure,
            least=settings.min_match if command.min_match is None else command.min_match,
            uses=lambda record: collection.uses_of(record).count,
        )[: command.top_k or settings.top_recoveries]
        held = fitting(found)
        if not command.observe:
            ports.uses.count(command.key, [one.record.record_id for one in held], opened.now)
        shown = tuple((one.record, one.score, collection.uses.get(one.record.record_id)) for one in held)
        return RecoveriesFound(found=shown, revision=collection.revision, truncated=len(shown) < len(found))
