"""What a PostgreSQL store does beyond what every store does: outcomes that were lost, races, a server that is away."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import psycopg
import pytest

from core.errors import InvalidField, StoreUnavailable
from core.ids import RequestId
from core.internal_errors import HeadMoved
from core.ports.store import Listing, Require
from service.adapters.store.named import migrations
from service.adapters.store.postgres_link import Link, Server
from service.adapters.store.postgres_store import PostgresStore, migrated
from tests.support import changes as a
from tests.support.pgbouncer import IS_THERE, pooled
from tests.support.postgres import cluster, empty_database
from tests.support.relay import relayed
from tests.support.scale import scaled

SWALLOWED = 12 if scaled(1) == 1 else 200
KILLED = 8 if scaled(1) == 1 else 50
POOLED = scaled(20)
WRITERS = 8


@pytest.fixture
def server() -> Server:
    return empty_database()


@pytest.fixture
async def store(server: Server) -> AsyncIterator[PostgresStore]:
    opened = await PostgresStore.open(server)
    yield opened
    await opened.close()


async def founded(store: PostgresStore) -> a.Story:
    story = a.Story(a.KEY)
    await store.append(a.KEY, "u1", [a.founding_with_two_nodes(story)])
    return story


def ask(server: Server, sql: str) -> list[tuple[object, ...]]:
    with psycopg.connect(server.url, autocommit=True) as link:
        return link.execute(sql.encode()).fetchall()


async def revisions(store: PostgresStore) -> list[int]:
    return [change.revision for change in await store.changes(a.KEY, "u1", 0, 10_000)]


# ---- outcomes ----


async def test_an_append_is_one_message_there_and_one_back(server: Server) -> None:
    async with relayed(cluster().port) as relay:
        store = await PostgresStore.open(cluster().over_tcp(server, relay.port))
        story = await founded(store)
        told = [relay.messages]
        for number in range(8):  # on each of its connections, until all statements are prepared there
            await store.append(a.KEY, "u1", [story.change(a.node_put(f"n{number + 3}"))])
            told.append(relay.messages)
        await store.close()

    assert min(after - before for before, after in pairwise(told)) == 1


async def test_an_append_whose_answer_was_lost_is_stored_once(server: Server) -> None:
    async with relayed(cluster().port) as relay:
        store = await PostgresStore.open(cluster().over_tcp(server, relay.port))
        story = await founded(store)

        for number in range(SWALLOWED):
            relay.swallows = 1
            change = story.change(a.node_put(f"m{number:03}"), requests=[a.request(f"r{number}")])
            await store.append(a.KEY, "u1", [change])

        assert relay.swallowed == SWALLOWED
        now = store.connections()
        assert now.unknown == SWALLOWED
        assert now.busy == 0 < now.open
        assert await revisions(store) == list(range(1, SWALLOWED + 2))
        asked = [RequestId(f"r{number}") for number in range(SWALLOWED)]
        assert len(await store.requests(a.KEY, asked)) == SWALLOWED
        await store.close()


async def test_an_append_whose_backend_is_killed_is_stored_once_or_not_at_all(
    server: Server, store: PostgresStore
) -> None:
    story = await founded(store)
    killing = asyncio.create_task(asyncio.to_thread(_kill_backends, server))

    appended = 0
    while not killing.done():
        appended += 1
        await store.append(a.KEY, "u1", [story.change(a.node_put(f"m{appended:06}"))])

    assert await revisions(store) == list(range(1, appended + 2))
    await killing


def _kill_backends(server: Server) -> None:
    """So many, each as it is at work."""
    killed = 0
    with psycopg.connect(server.url, autocommit=True) as link:
        while killed < KILLED:
            rows = link.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'memorybank' "
                "AND datname = current_database() AND state <> 'idle'"
            ).fetchall()
            killed += len(rows)


async def test_a_stale_append_leaves_no_row(server: Server, store: PostgresStore) -> None:
    story = await founded(store)
    late = story.fork(a.node_put("late"), requests=[a.request("late")])
    await store.append(a.KEY, "u1", [story.change(a.node_put("n3"))])

    with pytest.raises(HeadMoved):
        await store.append(a.KEY, "u1", [late])

    assert ask(server, "SELECT count(*) FROM nodes WHERE node_id = 'late'") == [(0,)]
    assert ask(server, "SELECT count(*) FROM requests") == [(0,)]
    assert ask(server, "SELECT count(*) FROM changes") == [(2,)]


async def test_a_purge_whose_answer_was_lost_says_that_it_may_be_done(server: Server) -> None:
    async with relayed(cluster().port) as relay:
        store = await PostgresStore.open(cluster().over_tcp(server, relay.port))
        await founded(store)
        relay.spares, relay.swallows = 2, 1  # what it reads first: where the bank stands, and how large it is

        with pytest.raises(StoreUnavailable):
            await store.delete(a.KEY)

        assert await store.load(a.KEY) is None
        await store.close()


# ---- races ----


@pytest.mark.parametrize("state", ["40001", "40P01", "55P03"])
async def test_a_transaction_that_lost_a_race_is_made_again(
    server: Server, store: PostgresStore, state: str
) -> None:
    story = await founded(store)
    _fail_twice(server, state)

    try:
        await store.append(a.KEY, "u1", [story.change(a.node_put("n3"))])
    finally:
        _fail_no_more(server)

    assert await revisions(store) == [1, 2]


async def test_one_that_always_loses_is_unavailable(server: Server, store: PostgresStore) -> None:
    story = await founded(store)
    _fail_twice(server, "40001", times=1_000)

    try:
        with pytest.raises(StoreUnavailable):
            await store.append(a.KEY, "u1", [story.change(a.node_put("n3"))])
    finally:
        _fail_no_more(server)

    assert await revisions(store) == [1]


def _fail_twice(server: Server, state: str, times: int = 2) -> None:
    """Have the next appends end as the server ends one that lost a race. A sequence counts: it is not undone."""
    with psycopg.connect(server.url, autocommit=True) as link:
        link.execute("CREATE SEQUENCE failures")
        link.execute(
            f"""
            CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
              IF nextval('failures') <= {times} THEN
                RAISE EXCEPTION 'lost a race' USING ERRCODE = '{state}';
              END IF;
              RETURN NEW;
            END $$
            """.encode()
        )
        link.execute("CREATE TRIGGER fails BEFORE INSERT ON changes FOR EACH ROW EXECUTE FUNCTION fail()")


def _fail_no_more(server: Server) -> None:
    with psycopg.connect(server.url, autocommit=True) as link:
        link.execute("DROP TRIGGER fails ON changes")
        link.execute("DROP FUNCTION fail")
        link.execute("DROP SEQUENCE failures")


async def test_what_an_append_requires_cannot_change_before_it_is_stored(
    server: Server, store: PostgresStore
) -> None:
    """The row of what is required is locked by the append, and by who changes it."""
    await founded(store)
    with psycopg.connect(server.url) as other:
        other.execute("UPDATE aggregates SET revision = revision WHERE name = 'bank-1'")  # a writer midway
        required = Require(key=a.KEY, uid="u1")
        second = a.Story(a.key("bank-2"))
        appending = asyncio.create_task(
            store.append(second.key, "u1", [a.founding_with_two_nodes(second)], requires=[required])
        )
        await asyncio.to_thread(_until_one_waits, server)
        assert not appending.done()
        other.commit()
        await appending
    assert second.key in await store.heads([second.key])


def _until_one_waits(server: Server) -> None:
    with psycopg.connect(server.url, autocommit=True) as link:
        while not link.execute(
            "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        ).fetchall():
            pass


# ---- a server that is away ----


async def test_a_server_that_is_away_is_unavailable_and_then_back(server: Server) -> None:
    async with relayed(cluster().port) as relay:
        store = await PostgresStore.open(cluster().over_tcp(server, relay.port))
        story = await founded(store)

        relay.down()
        for call in (store.load(a.KEY), store.heads([a.KEY]), store.changes(a.KEY, "u1", 0, 1)):
            with pytest.raises(StoreUnavailable) as away:
                await call
            assert "of the tests" not in str(away.value)
        relay.is_down = False

        assert (await store.heads([a.KEY]))[a.KEY] == story.head
        await store.append(a.KEY, "u1", [story.change(a.node_put("n3"))])
        await store.close()


async def test_a_server_that_falls_silent_is_unavailable_in_time(server: Server) -> None:
    async with relayed(cluster().port) as relay:
        quick = replace(cluster().over_tcp(server, relay.port), timeout_seconds=0.2)
        store = await PostgresStore.open(quick)
        await founded(store)

        relay.is_deaf = True
        with pytest.raises(StoreUnavailable):
            await store.heads([a.KEY])

        relay.is_deaf = False
        assert a.KEY in await store.heads([a.KEY])
        await store.close()


@pytest.mark.parametrize(("timeout", "patience"), [(0.2, 2), (9.5, 10)])
def test_a_server_that_is_slow_to_greet_has_as_long_as_for_a_statement(
    server: Server, monkeypatch: pytest.MonkeyPatch, timeout: float, patience: int
) -> None:
    asked: list[int] = []
    connect = Link.connect

    def connected(url: str, **given: Any) -> Any:
        asked.append(given["connect_timeout"])
        return connect(url, **given)

    monkeypatch.setattr(Link, "connect", connected)

    replace(server, timeout_seconds=timeout).connect().close()

    assert asked == [patience]


async def test_a_slow_statement_is_given_up(server: Server) -> None:
    store = await PostgresStore.open(replace(server, timeout_seconds=0.3))
    story = await founded(store)
    with psycopg.connect(server.url) as other:
        other.execute("SELECT 1 FROM aggregates FOR UPDATE")  # a writer that has fallen asleep

        with pytest.raises(StoreUnavailable):
            await store.append(a.KEY, "u1", [story.change(a.node_put("n3"))])

    assert await revisions(store) == [1]
    await store.close()


async def test_texts_with_a_character_that_it_cannot_keep_are_refused_by_name(store: PostgresStore) -> None:
    story = await founded(store)

    with pytest.raises(InvalidField, match="NUL"):
        await store.append(a.KEY, "u1", [story.fork(a.node_put("n3", summary="a\0b"))])

    assert await revisions(store) == [1]
    await store.append(a.KEY, "u1", [story.change(a.node_put("n3"))])


# ---- a pooler ----


@pytest.mark.skipif(
    not IS_THERE, reason="pgbouncer is not here (Debian: make pooler, or apt-get install pgbouncer)"
)
@pytest.mark.parametrize("pipeline", [True, False])
async def test_behind_a_pooler_in_transaction_mode_nothing_is_lost(server: Server, pipeline: bool) -> None:
    """More connections than the pooler has to the server: each transaction has another one."""
    async with pooled(server) as through:
        store = await PostgresStore.open(replace(through, pipeline=pipeline))
        stories = [a.Story(a.key(f"bank-{number}")) for number in range(WRITERS)]

        async def write(story: a.Story) -> None:
            await store.append(story.key, "u1", [a.founding_with_two_nodes(story)])
            for number in range(POOLED):
                stale = story.fork(a.node_put("stale"))
                await store.append(story.key, "u1", [story.change(a.node_put(f"m{number:03}"))])
                with pytest.raises(HeadMoved):
                    await store.append(story.key, "u1", [stale])
                assert (await store.heads([story.key]))[story.key] == story.head

        await asyncio.gather(*(write(story) for story in stories))

        for story in stories:
            state: Any = await store.load(story.key)
            assert {put.node.node_id for put in state.nodes} == {
                "n1",
                "n2",
                *(f"m{number:03}" for number in range(POOLED)),
            }
        await store.close()


# ---- the schema ----


async def test_a_database_without_a_schema_is_refused_with_the_way_out() -> None:
    server = cluster().database("without_schema")

    with pytest.raises(StoreUnavailable, match="memorybank migrate"):
        await PostgresStore.open(server)

    assert await migrated(server) == (0, len(migrations("postgres")))
    assert await migrated(server) == (len(migrations("postgres")),) * 2
    await (await PostgresStore.open(server)).close()


async def test_several_processes_may_migrate_at_once() -> None:
    server = cluster().database("migrated_at_once")

    stores = await asyncio.gather(*(PostgresStore.open(server, migrate=True) for _ in range(6)))

    assert ask(server, "SELECT version FROM schema_versions ORDER BY version") == [
        (version,) for version in range(len(migrations("postgres")) + 1)
    ]
    for store in stores:
        await store.close()


async def test_the_schema_of_the_next_version_will_do_and_a_later_one_will_not() -> None:
    server = cluster().database("newer")
    await migrated(server)
    known = len(migrations("postgres"))
    with psycopg.connect(server.url, autocommit=True) as link:
        link.execute("INSERT INTO schema_versions (version) VALUES (%s)", [known + 1])
        await (await PostgresStore.open(server)).close()
        link.execute("INSERT INTO schema_versions (version) VALUES (%s)", [known + 2])

    with pytest.raises(StoreUnavailable, match="newer version"):
        await PostgresStore.open(server)


@pytest.mark.parametrize(
    ("options", "setting", "problem"),
    [
        ("", "synchronous_commit = off", "synchronous_commit is off"),
        ("TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'", "", "encoding is LATIN1"),
    ],
)
async def test_a_database_that_would_lose_something_is_refused(
    options: str, setting: str, problem: str
) -> None:
    name = "unfit_" + problem.rsplit(maxsplit=1)[-1].lower()
    server = cluster().database(name, options=options)
    with psycopg.connect(server.url, autocommit=True) as link:
        if setting:
            link.execute(f"ALTER DATABASE {name} SET {setting}".encode())

    with pytest.raises(StoreUnavailable, match=problem):
        await PostgresStore.open(server, migrate=True)


@pytest.mark.parametrize(
    "where",
    [
        "host=no-such-host.invalid",
        "host=127.0.0.1 port=1",
        "host=127.0.0.1 port={port} user=memorybank",
        "host=127.0.0.1 port={port} user=stranger",
        "no address at all",
    ],
)
async def test_a_server_that_is_absent_or_refuses_the_login_is_reported_in_one_line(where: str) -> None:
    address = "dbname=bank " + where.format(port=cluster().port)
    with pytest.raises(StoreUnavailable) as refused:
        await PostgresStore.open(Server(url=address, password="secret-word"))

    assert "\n" not in str(refused.value)
    assert "store.url" in str(refused.value)  # the way out
    assert "secret-word" not in str(refused.value)


async def test_ids_sort_by_their_bytes_whatever_the_collation(server: Server) -> None:
    """As the other stores sort them: capitals first, and what has accents after all letters."""
    assert ask(
        server,
        "SELECT string_agg(id, '' ORDER BY id) FROM (VALUES ('b'), ('A'), ('a'), ('é'), ('B')) AS ids (id) "
        "WHERE (SELECT collation_name FROM information_schema.columns "
        "WHERE table_name = 'nodes' AND column_name = 'node_id') = 'C'",
    ) == [("ABabé",)]


async def test_a_database_that_sorts_as_a_language_does_keeps_ids_sorted_by_their_bytes() -> None:
    icu = "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C'"
    try:
        server = cluster().database("sorted_as_english", options=icu)
    except psycopg.errors.FeatureNotSupported:
        pytest.skip("this PostgreSQL is built without ICU, and so without such a database")
    store = await PostgresStore.open(server, migrate=True)
    for name in ("b", "A", "a", "é", "B"):
        story = a.Story(a.key(name))
        await store.append(story.key, "u1", [story.founding()])

    listed = await store.listed(a.KEY.tenant, "bank", Listing(), "", 10)

    assert [record.key.bank_id for record, _ in listed] == ["A", "B", "a", "b", "é"]
    await store.close()
