"""What an append writes, as a plan: every statement of it, and what must hold.

Law: pure; whatever an append depends on is a guard in its plan.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from core.aggregate.change import Change
from core.aggregate.codec import encode_text, micros
from core.aggregate.kind import Kinds
from core.keys import Key
from core.model.request import RequestRecord
from core.ports.store import Require
from service.adapters.store.checksums import checksum, seed_of
from service.adapters.store.database import GuardedStatement, Plan
from service.adapters.store.owned import OwnedTables, owner_row, record_row
from service.adapters.store.purging import owed_scrub
from service.adapters.store.rows import Row, RowShape
from service.adapters.store.verifying import request_checksum


class Plans:
    """The plans of appends, with the dialect's named `queries`."""

    def __init__(
        self,
        queries: Mapping[str, str],
        kinds: Kinds,
        tables: Mapping[str, OwnedTables],
        requests: RowShape[RequestRecord],
    ) -> None:
        self._sql, self._kinds, self._tables, self._requests = queries, kinds, tables, requests

    def plan(
        self,
        key: Key,
        uid: str,
        founding: Any | None,
        changes: Sequence[Change[Any]],
        requires: Sequence[Require],
        *,
        erase: bool,
    ) -> Plan:
        """Returns all that an append writes, and what must hold for it. The fence: the head moves from the first
        change's parent to the last change."""
        tables, last = self._tables[key.kind], changes[-1]
        plan = [self.fulfils(require) for require in requires]
        plan.append(self._head_moves(key, uid, founding, changes))
        if founding is not None:
            plan.append(self._begins_above_floor(key, changes[0]))
            plan += tables.founding(key, founding)
        for change in changes:
            plan += tables.statements(key, change.steps)
            plan.append(GuardedStatement(self._sql["add_change"], [self._entry(key, change)]))
        for request in (request for change in changes for request in change.requests):
            row = {**owner_row(key), **self._requests.columns(request)}
            row["checksum"] = request_checksum(key, request)
            plan.append(GuardedStatement(self._sql["add_request"], [row]))
        if erase:
            older = {**owner_row(key), "revision": last.revision}
            plan.append(GuardedStatement(self._sql["erase_changes"], [older]))
            plan += owed_scrub(self._sql)
        return plan

    def _head_moves(
        self, key: Key, uid: str, founding: Any | None, changes: Sequence[Change[Any]]
    ) -> GuardedStatement:
        first, last = changes[0], changes[-1]
        if founding is None:
            place = (key.tenant, key.kind, key.name, uid)
            step = (*place, first.parent, last.revision, last.change_id, first.revision - 1)
            return GuardedStatement(self._sql["advance"], [step], must_touch=1)
        row: Row = {
            **record_row(key, encode_text(founding)),
            "uid": uid,
            "revision": last.revision,
            "head": last.change_id,
        }
        return GuardedStatement(self._sql["create"], [row], must_touch=1)

    def _begins_above_floor(self, key: Key, first: Change[Any]) -> GuardedStatement:
        """Returns the guard on the floor. It follows a statement that waits for a purge under way, so it reads the
        floor that the purge has raised."""
        at: Row = {"tenant": key.tenant, "revision": first.revision}
        return GuardedStatement(self._sql["begins_above_floor"], [at], finds=True)

    def _entry(self, key: Key, change: Change[Any]) -> tuple[Any, ...]:
        steps = self._kinds[key.kind].steps.text(change.steps)
        place = (key.tenant, key.kind, key.name)
        entry = (change.revision, change.change_id, change.parent, micros(change.time), steps)
        return (*place, *entry, checksum(seed_of(key), entry))

    def fulfils(self, require: Require) -> GuardedStatement:
        row: Row = {
            **owner_row(require.key),
            "uid": require.uid,
            "generation": require.generation,
            "enabled": require.enabled,
            "if_there": require.if_there,
        }
        return GuardedStatement(self._sql["fulfils"], [row], finds=True)

    def is_there(self, key: Key, uid: str, revision: int | None) -> GuardedStatement:
        return GuardedStatement(
            self._sql["is_there"], [{**owner_row(key), "uid": uid, "revision": revision}], finds=True
        )

    def landed(self, key: Key, uid: str, change: Change[Any]) -> GuardedStatement:
        row: Row = {
            **owner_row(key),
            "uid": uid,
            "revision": change.revision,
            "change_id": change.change_id,
        }
        return GuardedStatement(self._sql["change_stored"], [row], finds=True)
