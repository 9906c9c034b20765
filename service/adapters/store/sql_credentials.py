"""API keys in a database, in the same one as the memory that they open.

Law: what a key allows is written once; what may change later are times, each by a statement that only shortens it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from core.aggregate.codec import decode, dumps, encode_text, instant, micros
from core.model.access import ApiKey
from core.ports.credentials import Asking
from service.adapters.store.database import Database, GuardedStatement
from service.adapters.store.rows import Row


class SqlCredentials:
    """Implements `core.ports.credentials.Credentials` over a `Database`."""

    def __init__(self, database: Database, queries: Mapping[str, str]) -> None:
        self._database = database
        self._sql = queries

    async def asking(self) -> Asking:
        rows = await self._database.fetch(self._sql["asking"], {})
        is_on, version = rows[0] if rows else (0, 0)
        return Asking(is_on=bool(is_on), version=int(version))

    async def add(self, key: ApiKey) -> None:
        row: Row = {
            "key_id": key.key_id,
            "record": encode_text(key),
            "create_time": micros(key.create_time),
            "expire_time": micros(key.expire_time),
        }
        await self._write("add_api_key", row, "ask")

    async def find(self, key_id: str) -> ApiKey | None:
        rows = await self._database.fetch(self._sql["api_key"], {"key_id": key_id})
        return _key(rows[0]) if rows else None

    async def listed(self) -> Sequence[ApiKey]:
        return [_key(row) for row in await self._database.fetch(self._sql["api_keys"], {})]

    async def shorten(self, key_id: str, expire_time: datetime) -> bool:
        row: Row = {"key_id": key_id, "expire_time": micros(expire_time)}
        return await self._write("shorten_api_key", row, "ask_anew")

    async def revoke(self, key_id: str, now: datetime) -> bool:
        return await self._write("revoke_api_key", {"key_id": key_id, "now": micros(now)}, "ask_anew")

    async def touch(self, key_ids: Collection[str], day: datetime) -> None:
        row: Row = {"key_ids": dumps(sorted(key_ids)), "day": micros(day)}
        await self._database.write([GuardedStatement(self._sql["touch_api_keys"], [row])])

    async def stop_asking(self) -> None:
        await self._database.write([GuardedStatement(self._sql["stop_asking"], [{}])])

    async def _write(self, name: str, row: Row, told: str) -> bool:
        """Changes a key, and tells every process that something changed. Returns whether there was one."""
        plan = [GuardedStatement(self._sql[name], [row]), GuardedStatement(self._sql[told], [{}])]
        touched = await self._database.write(plan)
        return touched[0] > 0


def _key(row: Any) -> ApiKey:
    record, expire_time, revoke_time, last_used = row
    return replace(
        decode(ApiKey, record),
        expire_time=instant(expire_time),
        revoke_time=None if revoke_time is None else instant(revoke_time),
        last_used=None if last_used is None else instant(last_used),
    )
