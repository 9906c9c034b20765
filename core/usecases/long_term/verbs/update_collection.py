"""UpdateCollection: half-lives, retention, whether it takes and shows memories, and what of it waits for a review."""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from datetime import timedelta

from core.errors import CollectionNotFound, PermissionDenied
from core.keys import CollectionKey
from core.long_term.collection import Collection
from core.long_term.steps import CollectionPut
from core.model.collection import CollectionRecord
from core.model.review import Review
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.long_term.ports import WritingPorts
from core.usecases.long_term.writing import make
from core.usecases.revisions import require_unchanged
from core.usecases.user.permission import permission_to_write


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateCollection:
    """`fields` names what is set: `half_life_days`, `retention` (None clears it), `enabled`, `review`. `approves`: its
    caller may approve what waits for a review, and say what does."""

    key: CollectionKey
    fields: Set[str]
    half_life_days: Mapping[str, float] = field(default_factory=dict)
    retention: timedelta | None = None
    enabled: bool = True
    review: Review = Review.NONE
    approves: bool = True
    if_revision: int | None = None
    request: RequestKey | None = None


async def update_collection(ports: WritingPorts, command: UpdateCollection) -> CommitResult[CollectionRecord]:
    """Updates a collection; makes one that is missing. Switching off raises the generation, so that work begun
    before does not land.

    Raises PermissionDenied, StaleRevision, MemoryOff (of the user), LimitReached, RequestIdReused."""
    if "review" in command.fields and not command.approves:
        raise PermissionDenied("the API key lacks the scope approve, which `review` takes")
    now = ports.clock.now()
    permission = await permission_to_write(ports, command.key)
    requires = (permission.writer(),)

    def stage(collection: Collection, revision: int) -> Draft[CollectionRecord]:
        before = collection.record
        require_unchanged(command.if_revision, before.settings_revision)
        given = {name: getattr(command, name) for name in command.fields}
        after = replace(before, **given, update_time=now, settings_revision=revision)
        if before.enabled and not after.enabled:
            after = replace(after, generation=before.generation + 1)
        if after.retention is not None or (after.enabled and not before.enabled):
            soon = now + ports.settings.resume_after
            after = replace(after, due_time=min(soon, after.due_time or soon))
        return Draft(result=after, steps=(CollectionPut(record=after),), sees_all=True, requires=requires)

    while True:
        try:
            return await ports.collections.commit(command.key, stage, command.request, CollectionRecord)
        except CollectionNotFound:
            await make(ports, command.key, permission, requires)
