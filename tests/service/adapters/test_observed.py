"""Calls of a store are measured where something listens, and go to the store itself where nothing does."""

from pathlib import Path

import pytest

from core.errors import BankNotFound, StoreUnavailable
from core.internal_errors import HeadMoved
from core.ports.store import Store
from service.adapters.observed import PortCall, observed
from service.adapters.prometheus import PrometheusMetrics
from service.adapters.store.memory_store import MemoryStore
from service.adapters.store.sqlite_store import SqliteStore
from tests.support import changes as a


async def test_each_call_is_told_with_its_time_and_how_it_ended() -> None:
    calls: list[PortCall] = []
    store = observed(MemoryStore(), Store, [calls.append])
    story = a.Story(a.KEY)
    await store.append(a.KEY, "u1", [a.founding_with_two_nodes(story)])
    with pytest.raises(BankNotFound):
        await store.delete(a.key("missing"))
    await store.append(a.KEY, "u1", [story.change(a.node_put("n8")), story.change(a.node_put("n9"))])

    told = [(call.operation, type(call.failure).__name__, call.size) for call in calls]

    assert told == [("append", "NoneType", 1), ("delete", "BankNotFound", 0), ("append", "NoneType", 2)]
    assert all(call.seconds >= 0 for call in calls)


async def test_nothing_stands_between_where_nothing_listens() -> None:
    store = MemoryStore()

    assert observed(store, Store, []) is store


async def test_failures_of_the_store_are_counted_and_lost_races_apart(tmp_path: Path) -> None:
    kept = PrometheusMetrics()
    inner = await SqliteStore.open(tmp_path / "bank.db")
    store = observed(inner, Store, [kept.stored])
    story = a.Story(a.KEY)
    await store.append(a.KEY, "u1", [a.founding_with_two_nodes(story)])
    rival = story.fork(a.node_put("n8"))
    await store.append(a.KEY, "u1", [story.change(a.node_put("n9"))])
    with pytest.raises(HeadMoved):
        await store.append(a.KEY, "u1", [rival])
    await inner.close()
    with pytest.raises(StoreUnavailable):
        await store.load(a.KEY)

    def value(name: str, **labels: str) -> float | None:
        return kept.registry.get_sample_value(name, labels)

    assert value("memorybank_fence_refused_total") == 1
    assert value("memorybank_store_errors_total", operation="load", kind="StoreUnavailable") == 1
    assert value("memorybank_store_seconds_count", operation="append") == 3
    assert value("memorybank_append_changes_sum") == 2
