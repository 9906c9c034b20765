"""The SQLite store's one writer: groups, cancellations, full disks, and reads beside it."""

import asyncio
import os
import sqlite3
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.bank.state import BankState
from core.bank.steps import InteractionAdd
from core.errors import StoreUnavailable
from core.ids import ChangeId
from core.internal_errors import HeadMoved
from core.keys import BankKey
from service.adapters.store import sqlite_file
from service.adapters.store.bank_tables import BankTables
from service.adapters.store.database import GuardedStatement
from service.adapters.store.sql_store import LARGE
from service.adapters.store.sqlite_store import SqliteStore
from tests.support import changes as a
from tests.support.sqlite_store import busy_until, queued, statements_of

# ---- the writer ----


async def test_writes_that_gather_share_one_transaction(store: SqliteStore) -> None:
    release = threading.Event()
    seen = statements_of(store)
    busy = await busy_until(store, release)
    stories = [a.Story(a.key(f"b{number}")) for number in range(40)]
    appends = [
        asyncio.create_task(store.append(story.key, "u1", [a.founding_with_two_nodes(story)]))
        for story in stories
    ]
    await queued(store, len(appends))

    release.set()
    await asyncio.gather(busy, *appends)

    assert seen.count("COMMIT") == 2  # the busy one's, and one for all forty
    assert seen.count("RELEASE one") == 40  # what has a transaction to itself needs no savepoint


async def test_a_write_cancelled_before_its_turn_writes_nothing(store: SqliteStore) -> None:
    release = threading.Event()
    busy = await busy_until(store, release)
    append = asyncio.create_task(store.append(a.KEY, "u1", [a.founding_with_two_nodes(a.Story())]))
    await queued(store, 1)

    append.cancel()
    with pytest.raises(asyncio.CancelledError):
        await append  # its turn must not come before the loop has taken it back
    release.set()
    await busy

    assert await store.load(a.KEY) is None


async def test_what_can_be_done_meanwhile_is_done_once_before_the_outcome_is_told(store: SqliteStore) -> None:
    story, told = a.Story(), list[str]()
    loops_thread = threading.get_ident()

    def meanwhile() -> None:
        told.append("meanwhile" if threading.get_ident() == loops_thread else "in another thread")

    await store.append(a.KEY, "u1", [a.founding_with_two_nodes(story)], meanwhile=meanwhile)
    told.append("stored")
    with pytest.raises(HeadMoved):
        await store.append(
            a.KEY,
            "u1",
            [replace(story.change(a.node_put("n1", 1)), parent=ChangeId("other"))],
            meanwhile=meanwhile,
        )

    assert told == ["meanwhile", "stored"]


async def test_an_outcome_lost_at_commit_is_found_again(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def commit_and_lose(*_: object) -> None:
        store.file._writer.execute("COMMIT")
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR
        raise error

    monkeypatch.setattr(store.file, "_commit", commit_and_lose)

    await store.append(a.KEY, "u1", [a.founding_with_two_nodes(a.Story())])

    assert await store.load(a.KEY) is not None


async def test_a_failed_commit_is_unavailable_and_leaves_nothing(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    founding = a.founding_with_two_nodes(a.Story())
    with monkeypatch.context() as broken:
        broken.setattr(store.file, "_commit", fail)
        with pytest.raises(StoreUnavailable, match="disk is full"):
            await store.append(a.KEY, "u1", [founding])
    assert await store.load(a.KEY) is None

    await store.append(a.KEY, "u1", [founding])

    assert await store.load(a.KEY) is not None


async def test_a_full_disk_is_unavailable_until_there_is_room(store: SqliteStore) -> None:
    story = a.Story()
    await store.append(a.KEY, "u1", [a.founding_with_two_nodes(story)])
    large = story.change(InteractionAdd(interaction=a.interaction("i2", "很长的文字" * 100_000)))

    def limit_pages(pages: int) -> object:
        return store.file._writer.execute(f"PRAGMA max_page_count = {pages}").fetchone()

    await asyncio.to_thread(limit_pages, 1)  # SQLite takes the present size for the least
    with pytest.raises(StoreUnavailable, match="full"):
        await store.append(a.KEY, "u1", [large])

    await asyncio.to_thread(limit_pages, 1_000_000)
    await store.append(a.KEY, "u1", [large])

    assert (await store.heads([a.KEY]))[a.KEY] == story.head


async def test_a_long_write_is_brought_into_the_file_and_synced_though_it_is_of_few_rows(
    store: SqliteStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(sqlite_file, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(os, "fsync", synced.append)

    await store.append(a.KEY, "u1", [a.Story().founding(a.node_put("n1"))])
    await asyncio.to_thread(store.file._checkpointing.submit(int).result)

    assert "n1 的摘要".encode() in await asyncio.to_thread(path.read_bytes)
    assert synced == [store.file._descriptor]


async def test_a_bug_in_one_write_reaches_its_caller_as_it_is(store: SqliteStore) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no_such_table"):
        await store.file.write([GuardedStatement("SELECT * FROM no_such_table", [()], finds=True)])

    await store.append(a.KEY, "u1", [a.founding_with_two_nodes(a.Story())])


async def test_closing_finishes_what_waits(path: Path) -> None:
    store = await SqliteStore.open(path)
    release = threading.Event()
    busy = await busy_until(store, release)
    stories = [a.Story(a.key(f"b{number}")) for number in range(20)]
    founding = [a.founding_with_two_nodes(story) for story in stories]
    appends = [
        asyncio.create_task(store.append(story.key, "u1", [change]))
        for story, change in zip(stories, founding, strict=True)
    ]
    await queued(store, 1)

    closing = asyncio.create_task(store.close())
    await asyncio.sleep(0)
    release.set()
    await closing

    assert await busy
    outcomes = await asyncio.gather(*appends, return_exceptions=True)
    reopened = await SqliteStore.open(path)
    stored = await reopened.heads([story.key for story in stories])
    await reopened.close()
    assert [story.key in stored for story in stories] == [outcome is None for outcome in outcomes]
    assert len(stored) > 0


async def test_the_questions_of_the_background_use_their_indexes(store: SqliteStore, path: Path) -> None:
    asked = {
        "leftovers": "structurings_left",
        "expired": "aggregates_finished",
        "due": "aggregates_due",
        "keys_of_user": "aggregates_of_user",
        "old_changes": "changes_by_time",
        "old_requests": "requests_by_time",
        "listed": "sqlite_autoindex_aggregates",
    }
    named = "limit since now default_ttl before tenant kind after user collection state include_banks prefix".split()
    values = dict.fromkeys(named, 0) | {"labels": "{}", "names": "null", "collections": "null"}
    connection = sqlite3.connect(path)

    plans = {
        name: str(connection.execute(f"EXPLAIN QUERY PLAN {store._sql[name]}", values).fetchall())
        for name in asked
    }
    connection.close()

    assert [name for name, index in asked.items() if index not in plans[name]] == []
    assert "aggregates_being_purged" in plans["expired"]


async def test_a_small_bank_is_loaded_while_a_large_one_is(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    large, small = a.Story(a.key("large"), "u1"), a.Story(a.key("small"), "u2")
    nodes = [a.node_put(f"n{number}") for number in range(LARGE + 1)]
    await store.append(large.key, "u1", [large.founding(), large.change(*nodes)])
    await store.append(small.key, "u2", [small.founding()])
    reading, go_on = threading.Event(), threading.Event()
    as_before = BankTables.state

    def held_up(tables: BankTables, connection: Any, key: BankKey, *others: Any) -> BankState:
        if key == large.key:
            reading.set()
            assert go_on.wait(10)
        return as_before(tables, connection, key, *others)

    monkeypatch.setattr(BankTables, "state", held_up)
    loads = [asyncio.create_task(store.load(large.key)) for _ in range(4)]
    assert await asyncio.to_thread(reading.wait, 10)

    found = await store.load(small.key)

    assert found is not None
    assert not any(load.done() for load in loads)
    go_on.set()
    states = await asyncio.gather(*loads)
    assert [state and len(state.nodes.nodes) for state in states] == [LARGE + 1] * 4
