"""What memory in PostgreSQL costs, each figure beside its floor, or its bound, of the same run.

    python -m tests.bench.bench_replicas

The database is made for it (`tests/support/postgres.py`); only that in which a node is added syncs its disk.
A raw commit is the least that a fenced append can be: one message with BEGIN, the guarded UPDATE of the head, a node's
row, the feed's, the request's, and COMMIT.
"""

import asyncio
import json
import tempfile
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

from core.kinds import KINDS
from memorybank_client import MemoryBankClient
from service.adapters.store.postgres_link import Server
from service.adapters.store.postgres_store import PostgresStore, migrated
from service.adapters.store.sqlite_store import SqliteStore
from service.adapters.store.trimming import AT_ONCE
from service.adapters.system_clock import SystemClock
from service.adapters.ulid_ids import UlidIds
from service.holding.held import Holding
from service.holding.open import OpenAggregates
from tests.bench.bench_cold_start import fill
from tests.support import changes as a
from tests.support.no_blobs import NoBlobs
from tests.support.postgres import Cluster, cluster, empty_database
from tests.support.process import CLIENT_SPACE, server_process, vector

ADDED = 400  # nodes
BESIDE = 20  # of them by turns with so many raw commits
NODES, LOADS = 10_000, 7
FOLLOWED, ROUNDS = 1_000, 40
FEED = 1_000_000  # changes
STEPS = json.dumps([{"type": "NodePut", "summary": "a text of the length of a node's " * 12}])


def milliseconds(seconds: list[float]) -> float:
    return 1_000 * float(np.median(seconds))


async def timed(seconds: list[float], act: Any) -> None:
    start = time.perf_counter()
    await act
    seconds.append(time.perf_counter() - start)


# ---- a node added, beside a raw commit ----


async def adding_a_node() -> None:
    durable = Cluster({"fsync": "on", "full_page_writes": "on"})
    database = durable.database("added")
    await migrated(database)
    added: list[float] = []
    read: list[float] = []  # a call that asks the database nothing
    raw: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        async with (
            server_process(Path(folder), {"store.url": database.url}) as server,
            server.client() as client,
        ):
            await client.create_bank(bank_id="b", embedding_space=CLIENT_SPACE)
            with psycopg.connect(database.url, autocommit=True) as link:
                commit = raw_commits(link)
                for number in range(ADDED):
                    for _ in range(BESIDE if number % BESIDE == 0 else 0):
                        start = time.perf_counter()
                        commit()
                        raw.append(time.perf_counter() - start)
                    await timed(added, add(client, number))
                    await timed(read, client.get_bank(bank_id="b"))
    durable.remove()
    ratio = milliseconds(added) / milliseconds(raw)
    print(
        f"AddNode p50 {milliseconds(added):.2f} ms, a raw fenced commit {milliseconds(raw):.2f} ms: "
        f"{ratio:.1f} x (bound 3); a warm read {milliseconds(read):.2f} ms"
    )


async def add(client: MemoryBankClient, number: int) -> None:
    await client.add_node(bank_id="b", summary=f"node {number} of a bank", embedding=vector(number))


def raw_commits(link: "psycopg.Connection[Any]") -> Callable[[], None]:
    """Of a table of heads, one of rows, one of the feed, one of requests: as few columns as do."""
    for table in (
        "heads (name text PRIMARY KEY, revision bigint, head text)",
        "rows (name text, item bigint, summary text, vector bytea, PRIMARY KEY (name, item))",
        "feed (name text, revision bigint, steps text, PRIMARY KEY (name, revision))",
        "asked (name text, id text, answer text, PRIMARY KEY (name, id))",
    ):
        link.execute(f"CREATE TABLE raw_{table}".encode())
    link.execute("INSERT INTO raw_heads VALUES ('b', 0, '0')")
    content = vector(1).f32
    at = iter(range(1, 1_000_000))

    def commit() -> None:
        n = next(at)
        with link.pipeline():
            link.execute("BEGIN")
            link.execute(
                "WITH moved AS (UPDATE raw_heads SET revision = %s, head = %s WHERE name = 'b' AND head = %s "
                "RETURNING 1) SELECT 1 / count(*) FROM moved",
                [n, str(n), str(n - 1)],
            )
            link.execute("INSERT INTO raw_rows VALUES ('b', %s, 'node of a bank', %s)", [n, content])
            link.execute("INSERT INTO raw_feed VALUES ('b', %s, %s)", [n, STEPS])
            link.execute("INSERT INTO raw_asked VALUES ('b', %s, 'answer')", [str(n)])
            link.execute("COMMIT")

    return commit


# ---- a cold load ----


async def loading() -> None:
    with tempfile.TemporaryDirectory() as folder:
        lite = await SqliteStore.open(Path(folder) / "bank.sqlite")
        shared = await PostgresStore.open(empty_database())
        seconds: Mapping[Any, list[float]] = {lite: [], shared: []}
        for store in seconds:
            await fill(store, NODES, segments=False)
        for _ in range(LOADS):
            for store, taken in seconds.items():
                await timed(taken, store.load(a.KEY))
        for store in seconds:
            await store.close()
    ratio = milliseconds(seconds[shared]) / milliseconds(seconds[lite])
    print(
        f"load of {NODES:,} nodes: PostgreSQL {milliseconds(seconds[shared]):.0f} ms, "
        f"SQLite {milliseconds(seconds[lite]):.0f} ms: {ratio:.2f} x (bound 1.5)"
    )


# ---- banks that are followed ----


async def following() -> None:
    holding = Holding(max_staleness=1.0)
    store = await PostgresStore.open(empty_database())
    banks = OpenAggregates(KINDS, store, NoBlobs(), SystemClock(), UlidIds(), holding)
    keys = [a.key(f"bank-{number:04}") for number in range(FOLLOWED)]
    for key in keys:
        await store.append(key, "u1", [a.Story(key).founding()])
        async with banks.reading(key):
            pass
    taken: list[float] = []
    queries: list[float] = []
    for _ in range(ROUNDS):
        for key in keys:  # read a moment ago, as of those that are followed
            async with banks.reading(key):
                pass
        before = time.process_time()
        await timed(queries, banks.confirm_recent())
        taken.append(time.process_time() - before)
    await banks.close()
    await store.close()
    share = float(np.median(taken)) / (holding.max_staleness / 2)
    print(
        f"{FOLLOWED:,} banks followed: one query of {milliseconds(queries):.1f} ms each "
        f"{holding.max_staleness / 2} s, {100 * share:.2f} % of a processor (bound 1)"
    )


# ---- trimming ----


async def trimming() -> None:
    server = empty_database()
    store = await PostgresStore.open(server)
    now = datetime.now(UTC)
    key = a.KEY
    await store.append(key, "u1", [a.Story(key).founding()])
    await asyncio.to_thread(grow_feed, server, now)
    seconds: list[float] = []
    write = store._database.write

    async def watched(*given: Any, **named: Any) -> Any:
        start = time.perf_counter()
        try:
            return await write(*given, **named)
        finally:
            seconds.append(time.perf_counter() - start)

    store._database.write = watched  # type: ignore[method-assign]
    gone = await store.trim(now - timedelta(days=3))
    await store.close()
    print(
        f"of {FEED:,} changes {gone:,} trimmed, {AT_ONCE} at once: p50 {milliseconds(seconds):.1f} ms, "
        f"longest {1_000 * max(seconds):.1f} ms (bound 50)"
    )


def grow_feed(server: Server, now: datetime) -> None:
    """A feed of a week, of a thousand banks."""
    with psycopg.connect(server.url, autocommit=True) as link:
        link.execute(
            b"INSERT INTO aggregates (tenant, kind, name, uid, revision, head, record) "
            b"SELECT tenant, kind, 'grown-' || n, uid, 1000, 'c-' || n || '-1000', record "
            b"FROM aggregates, generate_series(1, 1000) AS n WHERE kind = 'bank'"
        )
        link.execute(
            "INSERT INTO changes (tenant, kind, name, revision, change_id, parent, time, steps) "
            "SELECT %s, 'bank', 'grown-' || b, r, 'c-' || b || '-' || r, 'c-' || b || '-' || (r - 1), "
            "%s - (1000 - r) * 604800000::bigint, %s FROM generate_series(1, 1000) AS b, generate_series(1, %s) AS r",
            [a.KEY.tenant, int(now.timestamp() * 1_000_000), "[]", FEED // 1_000],
        )
        link.execute("ANALYZE")


async def main() -> None:
    await adding_a_node()
    await loading()
    await following()
    await trimming()
    cluster().remove()


if __name__ == "__main__":
    asyncio.run(main())
