"""What a refused append means: which of its guards did not hold, and why."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.aggregate.change import Change
from core.aggregate.kind import Kinds
from core.internal_errors import HeadMoved, RequestRepeated, RequirementFailed, RevisionTaken
from core.keys import Key
from core.ports.store import Require
from service.adapters.store.database import Connection, Database, WriteRefused
from service.adapters.store.fence import ChangeInvalid
from service.adapters.store.owned import owner_row
from service.adapters.store.plans import Plans


class Refusals:
    """Names refusals, by what the store has now."""

    def __init__(self, database: Database, queries: Mapping[str, str], kinds: Kinds, plans: Plans) -> None:
        self._database, self._sql, self._kinds, self._plans = database, queries, kinds, plans

    async def name(
        self,
        key: Key,
        uid: str,
        changes: Sequence[Change[Any]],
        requires: Sequence[Require],
        refused: WriteRefused,
    ) -> None:
        """Returns if the changes are stored after all; else raises what the refusal means."""
        kind, first = self._kinds[key.kind], changes[0]
        landed = self._plans.landed(key, uid, changes[-1])

        def look(connection: Connection) -> tuple[bool, Any | None]:
            stored = connection.execute(landed.sql, landed.rows[0]).fetchone() is not None
            return stored, connection.execute(self._sql["stands"], owner_row(key)).fetchone()

        stored, standing = await self._database.read(look)
        if stored:
            return  # an append whose outcome was lost, sent again
        for require in requires:
            if refused.guard == self._plans.fulfils(require):
                raise RequirementFailed(require.key)
        if refused.guard.sql == self._sql["create"]:  # whatever happened to the other one since
            raise kind.taken(key)
        if refused.guard.sql == self._sql["begins_above_floor"]:
            ((floor,),) = await self._database.fetch(self._sql["floor"], {"tenant": key.tenant})
            raise RevisionTaken(floor)
        if first.parent is not None and (standing is None or standing[0] != uid):
            raise kind.missing(key)
        if standing is not None and standing[2] != first.parent:
            raise HeadMoved
        if refused.guard.sql == self._sql["add_request"]:
            raise RequestRepeated
        if refused.guard.sql == self._sql["advance"]:
            raise ChangeInvalid(f"{first.change_id} skips revisions")
        raise ChangeInvalid(str(refused))
