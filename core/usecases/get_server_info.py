"""GetServerInfo: what answers, what it holds, what waits and what runs out. Counts and times, nothing of a memory."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from core.ids import Tenant
from core.kinds import KINDS
from core.ports.store import StoreFacts
from core.usecases.ports import CommonPorts, HasStore
from core.usecases.process_facts import UNUSED, ProcessFacts

COUNTED_TO = 10_000
"""Counts stop here, so that a large store answers as soon as a small one."""
TOMORROW = timedelta(days=1)


class ServerPorts(CommonPorts, HasStore, Protocol):
    """What the service tells of itself."""

    @property
    def process(self) -> Callable[[], ProcessFacts]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class GetServerInfo:
    """`tenant`: whose memories are counted by kind, and whose API keys; all else is of all tenants."""

    tenant: Tenant


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerInfo:
    """See the contract."""

    process: ProcessFacts
    store: StoreFacts
    time: datetime
    memories: Mapping[str, int]
    purged_by_tomorrow: int
    due_chores: int
    oldest_due_time: datetime | None
    unstructured_interactions: int
    oldest_unstructured_time: datetime | None
    unused_api_keys: int


async def get_server_info(ports: ServerPorts, command: GetServerInfo) -> ServerInfo:
    """Raises StoreUnavailable."""
    store, now = ports.store, ports.clock.now()
    counts = {kind: await store.count_all(command.tenant, kind, COUNTED_TO) for kind in KINDS}
    due = await store.due(now, COUNTED_TO)
    left = await store.leftovers(COUNTED_TO)
    keys = [key for key in await store.credentials.listed() if key.tenant == command.tenant]
    purged = await store.expired(now + TOMORROW, ports.settings.finished_ttl.total_seconds(), COUNTED_TO)
    return ServerInfo(
        process=ports.process(),
        store=await store.facts(),
        time=now,
        memories={kind: count for kind, count in counts.items() if count},
        purged_by_tomorrow=len(purged),
        due_chores=len(due),
        oldest_due_time=await store.oldest_due_time() if due else None,
        unstructured_interactions=len(left),
        oldest_unstructured_time=left[0].update_time if left else None,
        unused_api_keys=sum(
            key.is_valid(now) and (key.last_used or key.create_time) < now - UNUSED for key in keys
        ),
    )
