"""The first changes of an aggregate.

Law: its revisions lie above those of every aggregate of the tenant that was purged: no later one reuses a revision.
"""

from dataclasses import replace
from typing import Any

from core.aggregate.change import Change
from core.aggregate.kind import Kinds
from core.ids import Tenant
from core.internal_errors import RevisionTaken
from core.keys import Key
from core.ports.aggregates import Draft, RequestKey
from core.ports.store import Store
from service.holding.writer import Journal, owned

PORTION = 4_000  # steps to one change of an aggregate that is founded with many


class Founder:
    """Stores the first changes of aggregates."""

    def __init__(self, kinds: Kinds, store: Store, journal: Journal) -> None:
        self._kinds, self._store, self._journal = kinds, store, journal
        self._floors: dict[Tenant, int] = {}  # by tenant: revisions of purged aggregates, as last read

    async def found(
        self, key: Key, record: Any, draft: Draft[Any], request: RequestKey | None, revision: int
    ) -> list[Change[Any]]:
        """Stores an aggregate's first changes, above all purged revisions of the tenant. Returns them."""
        requires = (*owned(self._kinds[key.kind], record), *draft.requires)
        while True:
            changes = self._changes(draft, request, revision, self._floors.get(key.tenant, 0))
            try:
                await self._store.append(key, record.uid, changes, requires=requires, erase=draft.erase)
            except RevisionTaken as taken:
                self._floors[key.tenant] = taken.floor
            else:
                return changes

    def _changes(
        self, draft: Draft[Any], request: RequestKey | None, revision: int, floor: int
    ) -> list[Change[Any]]:
        """Returns the first changes: one, or several of at most PORTION steps that end at `revision` or later."""
        portions = [draft.steps[i : i + PORTION] for i in range(0, len(draft.steps), PORTION)]
        first = max(floor + 1, revision - len(portions) + 1)
        changes: list[Change[Any]] = []
        for number, steps in enumerate(portions, start=first):
            parent = changes[-1].change_id if changes else None
            last = len(changes) == len(portions) - 1
            changes.append(
                self._journal.change(parent, number, replace(draft, steps=steps), request if last else None)
            )
        return changes
