"""What the SQLite store promises beyond the port: its file, its crashes, its neighbours, its traces."""

import asyncio
import random
import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.bank.state import BankState
from core.bank.steps import (
    ConflictPut,
    EdgeDrop,
    InteractionAdd,
    NodeDrop,
    NodePut,
    PairForget,
    PairSettle,
    SegmentRefute,
    Step,
    StructuringPut,
)
from core.errors import StepUnknown, StoreUnavailable
from core.ids import ChangeId, ConflictId, NodeId
from core.internal_errors import HeadMoved
from core.keys import BankKey
from core.model.structuring import StructuringState
from service.adapters.store import sqlite_file
from service.adapters.store.bank_tables import BankTables
from service.adapters.store.database import Guarded
from service.adapters.store.memory_store import MemoryStore
from service.adapters.store.sql_store import LARGE
from service.adapters.store.sqlite_scrub import scrub
from service.adapters.store.sqlite_store import SqliteStore
from service.adapters.store.sqlite_traces import Pages
from tests.support import changes as a

CHECKOUT = Path(__file__).parents[3]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "bank.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    opened = await SqliteStore.open(path)
    yield opened
    await opened.close()


def sql(path: Path, statement: str, *values: object) -> list[tuple[object, ...]]:
    """A statement on the file, in a process of its own would do: nothing of ours is needed to read it."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        return connection.execute(statement, values).fetchall()
    finally:
        connection.close()


def statements_of(store: SqliteStore) -> list[str]:
    """The statements that the store's writer runs from now on."""
    seen: list[str] = []
    store.file._writer.set_trace_callback(seen.append)
    return seen


async def queued(store: SqliteStore, count: int) -> None:
    """Until so many writes wait for their group."""
    while len(store.file._waiting) < count:  # noqa: ASYNC110 - the store has no event for this
        await asyncio.sleep(0)


async def busy_until(store: SqliteStore, release: threading.Event) -> "asyncio.Task[Sequence[int]]":
    """A write that is at work, alone, until it is released."""
    begun = threading.Event()

    def released() -> bool:
        begun.set()
        return release.wait(10)

    store.file._writer.create_function("released", 0, released)
    busy = asyncio.create_task(store.file.write([Guarded("SELECT released()", [()], finds=True)]))
    await asyncio.to_thread(begun.wait)
    return busy


# ---- the file ----


async def test_texts_do_not_keep_what_they_were_written_as(store: SqliteStore) -> None:
    story = a.Story()
    node = a.node("n1", summary="实验室的温度" * 20, context="设备" * 20, base_context="设备" * 20)
    told = a.interaction("i1", "量子芯片" * 20)
    texts = (node.summary, node.context, node.base_context, told.text)
    before = [sys.getsizeof(text) for text in texts]

    await store.append(
        a.KEY, "u1", [story.founding(), story.change(NodePut(node=node), InteractionAdd(interaction=told))]
    )

    assert [sys.getsizeof(text) for text in texts] == before
    state = await store.load(a.KEY)
    assert state is not None
    assert [put.node for put in state.nodes] == [node]


async def test_a_bank_reopened_is_what_it_was(path: Path) -> None:
    first = await SqliteStore.open(path)
    await first.append(a.KEY, "u1", [a.founding_with_two_nodes(a.Story())])
    await first.put_vectors(a.KEY, "u1", "segments", "", {a.ref("i1", 0): a.vector(5)})
    before = await first.load(a.KEY)
    await first.close()

    second = await SqliteStore.open(path)
    after = await second.load(a.KEY)
    await second.close()

    assert a.same(after, before)


async def test_what_a_node_says_twice_is_held_once(store: SqliteStore) -> None:
    words = {"context": "of the weather", "keywords": ("rain", "雨")}
    base = {"base_context": "of the weather", "base_keywords": ("rain", "雨")}
    story = a.Story()
    await store.append(a.KEY, "u1", [story.founding()])
    await store.append(a.KEY, "u1", [story.change(NodePut(node=a.node("n1", **words, **base)))])

    state = await store.load(a.KEY)

    assert state is not None
    node = state.nodes[0].node
    assert (node.base_context, node.base_keywords) == ("of the weather", ("rain", "雨"))
    assert node.base_context is node.context
    assert node.base_keywords is node.keywords


async def test_rows_are_read_with_plain_sql(store: SqliteStore, path: Path) -> None:
    await store.append(a.KEY, "u1", [a.founding_with_two_nodes(a.Story())])

    nodes = sql(
        path, "SELECT summary, json_extract(keywords, '$[1]'), length(embedding) FROM nodes ORDER BY node_id"
    )
    segments = sql(
        path,
        """SELECT substr(text, start + 1, "end" - start) FROM segments JOIN interactions
           USING (tenant, bank_id, interaction_id) ORDER BY "index" """,
    )
    steps = sql(path, "SELECT json_extract(steps, '$[1].InteractionAdd.interaction.text') FROM changes")

    assert nodes == [
        ("n1 的摘要: what n1 says", "关键词", 4 * a.DIMENSION),
        ("n2 的摘要: what n2 says", "关键词", 4 * a.DIMENSION),
    ]
    assert segments == [("公司的首席执行官是张三。",), ("The CEO is Zhang San.",)]
    assert steps == [("公司的首席执行官是张三。The CEO is Zhang San.",)]


async def test_a_text_with_any_character_is_kept(store: SqliteStore) -> None:
    text = "零\x00 zero, \U0001f600, \u2028 and \ufffe"
    story = a.Story()

    await store.append(a.KEY, "u1", [story.founding(InteractionAdd(interaction=a.interaction("i1", text)))])

    state = await store.load(a.KEY)
    assert state is not None
    assert state.interactions[0].text == text


@pytest.mark.parametrize("_round", range(20))
async def test_a_new_file_can_be_opened_by_several_at_once(path: Path, _round: int) -> None:
    stores = await asyncio.gather(*(SqliteStore.open(path) for _ in range(4)))

    await stores[0].append(a.KEY, "u1", [a.founding_with_two_nodes(a.Story())])

    assert await stores[-1].load(a.KEY) is not None
    for store in stores:
        await store.close()


async def test_a_file_of_a_newer_version_is_refused(path: Path) -> None:
    await (await SqliteStore.open(path)).close()
    sql(path, "PRAGMA user_version = 99")

    with pytest.raises(StoreUnavailable, match="schema 99, written by a newer version"):
        await SqliteStore.open(path)


async def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    path.parent.mkdir()
    await asyncio.to_thread(path.write_bytes, b"this is not a database " * 100)

    with pytest.raises(StoreUnavailable, match="not a database"):
        await SqliteStore.open(path)


async def test_the_writer_syncs_every_commit_and_reads_cannot_write(store: SqliteStore) -> None:
    def settings(connection: sqlite3.Connection) -> list[object]:
        return [
            connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "secure_delete", "foreign_keys", "query_only")
        ]

    assert await asyncio.to_thread(settings, store.file._writer) == ["wal", 2, 1, 1, 0]
    assert await store.file.read(settings) == ["wal", 2, 1, 1, 1]


async def test_a_step_of_a_newer_program_in_the_feed_is_named(store: SqliteStore, path: Path) -> None:
    await store.append(a.KEY, "u1", [a.founding_with_two_nodes(a.Story())])
    sql(path, """UPDATE changes SET checksum = NULL, steps = '[{"NodePaint":{"colour":"red"}}]'""")

    with pytest.raises(StepUnknown) as unknown:
        await store.changes(a.KEY, "u1", 0, 10)

    assert unknown.value.step == "NodePaint"


# ---- against the oracle ----


def _random_steps(chance: random.Random, nodes: list[str], number: int) -> list[Step]:
    fresh = f"n{number}"
    steps: list[Step] = [
        InteractionAdd(
            interaction=a.interaction(f"i{number}", "句子。" * chance.randrange(1, 9), "a sentence")
        ),
        a.node_put(fresh, number, interaction_ids=(f"i{number}",), segments=(a.ref(f"i{number}", 1),)),
        StructuringPut(
            structuring=a.structuring(f"i{number}", chance.choice(list(StructuringState)), number)
        ),
    ]
    if len(nodes) > 3:
        one, other, third = (NodeId(name) for name in chance.sample(nodes, 3))
        steps += chance.sample(
            [
                a.edge(fresh, one),
                a.edge(one, other),
                EdgeDrop(node_id=other, other_node_id=one),
                PairSettle(node_id=one, other_node_id=third),
                PairForget(node_id=third),
                NodePut(node=a.node(other, context=f"改写 {number}", revision=number)),
                ConflictPut(conflict=a.conflict(f"c{number % 5}", one, other)),
                SegmentRefute(ref=a.ref(f"i{number}", 0), conflict_id=ConflictId(f"c{number % 5}")),
            ],
            4,
        )
        if chance.random() < 0.4:
            nodes.remove(third)
            steps.append(NodeDrop(node_id=third))
    nodes.append(fresh)
    return steps


@pytest.mark.parametrize("seed", range(5))
async def test_random_changes_leave_it_equal_to_the_store_in_memory(path: Path, seed: int) -> None:
    chance, story, nodes = random.Random(seed), a.Story(), list[str]()
    sqlite, memory = await SqliteStore.open(path), MemoryStore()
    changes = [story.founding()]
    changes += [
        story.change(*_random_steps(chance, nodes, number), time=a.at(number)) for number in range(60)
    ]
    while changes:
        size = chance.randrange(1, 6)
        group, changes = changes[:size], changes[size:]
        for store in (sqlite, memory):
            await store.append(a.KEY, "u1", group)

    assert a.same(await sqlite.load(a.KEY), await memory.load(a.KEY))
    assert await sqlite.leftovers(100) == await memory.leftovers(100)
    assert await sqlite.trim(a.at(30)) == await memory.trim(a.at(30))
    for ours, theirs in zip(
        await sqlite.changes(a.KEY, "u1", 40, 100), await memory.changes(a.KEY, "u1", 40, 100), strict=True
    ):
        assert a.same(ours, theirs)
    await sqlite.close()
    reopened = await SqliteStore.open(path)
    assert a.same(await reopened.load(a.KEY), await memory.load(a.KEY))
    assert await reopened.delete(a.KEY) == await memory.delete(a.KEY)
    await reopened.close()


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


async def test_a_bug_in_one_write_reaches_its_caller_as_it_is(store: SqliteStore) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no_such_table"):
        await store.file.write([Guarded("SELECT * FROM no_such_table", [()], finds=True)])

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
    named = "limit since now default_ttl before tenant kind after user collection state include_banks".split()
    values = dict.fromkeys(named, 0) | {"labels": "{}"}
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


# ---- several processes, and their deaths ----


def _start(path: Path, writer: str, count: int) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.appending", str(path), writer, str(count)],
        cwd=CHECKOUT,
        stdout=subprocess.PIPE,
        text=True,
    )


async def _check_against_replay(path: Path, at_least: int) -> int:
    """The feed has no gap, and the rows are what the feed replays to. Answers the revision."""
    store, replayed = await SqliteStore.open(path), MemoryStore()
    state = await store.load(a.KEY)
    feed = await store.changes(a.KEY, "u1", 0, 100_000)
    for change in feed:
        await replayed.append(a.KEY, "u1", [change])
    await store.close()
    assert isinstance(state, BankState)
    assert state.head.revision >= at_least
    assert [change.revision for change in feed] == list(range(1, state.head.revision + 1))
    assert a.same(state, await replayed.load(a.KEY))
    return state.head.revision


async def test_two_processes_on_one_file_lose_nothing(path: Path) -> None:
    writers = [_start(path, name, 60) for name in ("left", "right")]

    acks = [await asyncio.to_thread(writer.communicate) for writer in writers]

    revisions = [int(line.split()[1]) for out, _ in acks for line in out.splitlines()]
    assert [writer.returncode for writer in writers] == [0, 0]
    assert sorted(revisions) == list(range(2, 122))
    assert await _check_against_replay(path, 121) == 121


@pytest.mark.parametrize("seed", range(6))
async def test_a_kill_at_any_moment_leaves_a_consistent_file(path: Path, seed: int) -> None:
    writer = _start(path, f"w{seed}", 1_000_000)
    assert writer.stdout is not None
    acknowledged = 0
    for _ in range(random.Random(seed).randrange(1, 80)):
        acknowledged = int((await asyncio.to_thread(writer.stdout.readline)).split()[1])

    writer.kill()
    rest, _ = await asyncio.to_thread(writer.communicate)

    whole_lines = [line for line in rest.splitlines(keepends=True) if line.endswith("\n")]
    acknowledged = max([acknowledged, *(int(line.split()[1]) for line in whole_lines)])
    revision = await _check_against_replay(path, acknowledged)
    assert revision <= acknowledged + 1


async def test_a_writer_of_another_process_that_paused_is_refused(store: SqliteStore, path: Path) -> None:
    story = a.Story()
    await store.append(a.KEY, "u1", [a.founding_with_two_nodes(story)])
    staged_before_the_pause = story.fork(a.node_put("late"))
    assert (await asyncio.to_thread(_start(path, "other", 1).communicate))[0] == "ack 2\n"

    with pytest.raises(HeadMoved):
        await store.append(a.KEY, "u1", [staged_before_the_pause])


# ---- traces ----


def _traces(folder: Path, *marks: bytes) -> dict[str, int]:
    """How often any of the marks stands in each file, read by another process.

    Not by this one: closing a second descriptor of the file would drop SQLite's locks on it.
    """
    script = (
        "import pathlib, sys\n"
        "for file in pathlib.Path(sys.argv[1]).iterdir():\n"
        "    print(file.name, sum(file.read_bytes().count(bytes.fromhex(mark)) for mark in sys.argv[2:]))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, str(folder), *(mark.hex() for mark in marks)],
        capture_output=True,
        text=True,
        check=True,
    )
    return {name: int(count) for name, count in (line.split() for line in ran.stdout.splitlines())}


async def _churn(store: SqliteStore, seed: int) -> list[a.Story]:
    """Banks whose rows of all sizes are written by turns, and so lie among each other in the file's pages."""
    chance = random.Random(seed)
    stories = [a.Story(a.key(f"bank-{number:02d}"), f"u{number}") for number in range(12)]
    for story in stories:
        await store.append(story.key, story.uid, [story.founding()])
    for number in range(150):
        story = chance.choice(stories)
        mark = f"秘密-{story.uid}- "
        steps: list[Step] = [
            InteractionAdd(interaction=a.interaction(f"i{number}", mark * chance.randrange(1, 150))),
            a.node_put(f"n{number}", summary=mark * chance.randrange(1, 80)),
            a.node_put(f"n{number}", summary=mark * chance.randrange(1, 80)),
        ]
        answer = mark.encode() * chance.randrange(1, 40)
        change = story.change(*steps, requests=[a.request(f"r{number}", answer=answer)])
        await store.append(story.key, story.uid, [change])
    return stories


@pytest.mark.parametrize("seed", range(3))
async def test_a_purge_leaves_no_trace_in_any_file(store: SqliteStore, path: Path, seed: int) -> None:
    for story in (await _churn(store, seed))[::2]:
        marks = [f"秘密-{story.uid}-".encode(), story.key.bank_id.encode()]
        assert sum(_traces(path.parent, *marks).values()) > 0

        await store.delete(story.key)

        assert sum(_traces(path.parent, *marks).values()) == 0


async def test_a_purge_takes_the_vectors_along(store: SqliteStore, path: Path) -> None:
    await store.append(a.KEY, "u1", [a.founding_with_two_nodes(a.Story())])
    await store.put_vectors(a.KEY, "u1", "segments", "", {a.ref("i1", 0): a.vector(77)})
    marks = [a.vector(seed).tobytes() for seed in (1, 2, 77)]
    assert sum(_traces(path.parent, *marks).values()) > 2

    await store.delete(a.KEY)

    assert sum(_traces(path.parent, *marks).values()) == 0


async def test_purges_that_gather_share_a_scrub(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    stories = [a.Story(a.key(f"b{number}")) for number in range(10)]
    for story in stories:
        await store.append(story.key, "u1", [a.founding_with_two_nodes(story)])
    scrubs: list[Path] = []

    def counted(path: Path, descriptor: int) -> None:
        scrubs.append(path)
        scrub(path, descriptor)

    monkeypatch.setattr(sqlite_file, "scrub", counted)

    await asyncio.gather(*(store.delete(story.key) for story in stories))

    assert len(scrubs) <= 2


async def test_pages_as_others_have_read_them_bring_no_trace_back(store: SqliteStore, path: Path) -> None:
    """The writer, and another process, have pages in memory whose unused parts hold what is purged."""
    beside = await SqliteStore.open(path)
    purged, *kept = await _churn(store, 4)
    for number, story in enumerate(kept):
        change = story.change(a.node_put(f"x{number}", summary="short"))
        await (beside, store)[number % 2].append(story.key, story.uid, [change])
    marks = [f"秘密-{purged.uid}-".encode(), purged.key.bank_id.encode()]

    await store.delete(purged.key)
    for number, story in enumerate(kept):
        change = story.change(*(a.node_put(f"y{number}-{i}", summary="another " * i) for i in range(40)))
        await (beside, store)[number % 2].append(story.key, story.uid, [change])

    assert sum(_traces(path.parent, *marks).values()) == 0
    await beside.close()


async def test_others_write_while_a_file_is_scrubbed(
    store: SqliteStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    purged, *kept = await _churn(store, 5)
    as_before = Pages.with_traces

    def with_a_write_at_each(pages: Pages) -> Iterator[int]:
        for number in as_before(pages):
            sql(path, "INSERT INTO claims VALUES (?, 'another', 0)", f"{number}")
            yield number

    monkeypatch.setattr(Pages, "with_traces", with_a_write_at_each)

    await store.delete(purged.key)

    assert sum(_traces(path.parent, f"秘密-{purged.uid}-".encode()).values()) == 0
    assert sql(path, "SELECT count(*) FROM claims") > [(0,)]
    assert sql(path, "PRAGMA integrity_check") == [("ok",)]
    assert [await store.load(story.key) is not None for story in kept] == [True] * len(kept)


@pytest.mark.parametrize("version", [0, -1])
async def test_a_file_whose_schema_is_not_told_is_refused_in_one_line(path: Path, version: int) -> None:
    await (await SqliteStore.open(path)).close()
    sql(path, f"PRAGMA user_version = {version}")

    with pytest.raises(StoreUnavailable, match=f"is no memory bank, or is damaged: it says schema {version}"):
        await SqliteStore.open(path)


async def test_a_folder_that_cannot_be_made_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where the folder would be")

    with pytest.raises(StoreUnavailable, match=r"bank\.db"):
        await SqliteStore.open(tmp_path / "data" / "bank.db")


async def test_a_purge_cut_short_is_finished_when_the_file_is_opened(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = await SqliteStore.open(path)
    stories = await _churn(killed, 1)

    async def nothing() -> None:
        """As if the process had been killed after the rows were gone."""

    monkeypatch.setattr(killed.file, "scrub", nothing)
    await killed.delete(stories[0].key)
    assert sum(_traces(path.parent, f"秘密-{stories[0].uid}-".encode()).values()) > 0

    opened = await SqliteStore.open(path)

    assert sum(_traces(path.parent, f"秘密-{stories[0].uid}-".encode()).values()) == 0
    assert sql(path, "SELECT count(*) FROM unscrubbed") == [(0,)]
    for store in (killed, opened):
        await store.close()


async def test_what_a_change_erased_is_scrubbed_from_the_file_in_time(store: SqliteStore, path: Path) -> None:
    story = a.Story()
    told = InteractionAdd(interaction=a.interaction("i1", "秘密-of-the-erased"))
    await store.append(a.KEY, "u1", [story.founding()])
    await store.append(a.KEY, "u1", [story.change(told)])

    await store.append(a.KEY, "u1", [story.change(a.node_put("n1", 1))], erase=True)
    feed = sql(path, "SELECT count(*) FROM changes")
    owed = sql(path, "SELECT count(*) FROM unscrubbed")
    await store.scrub()

    assert (feed, owed) == ([(1,)], [(1,)])
    assert sql(path, "SELECT count(*) FROM unscrubbed") == [(0,)]
