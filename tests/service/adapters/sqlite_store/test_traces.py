"""Traces in files: of what was purged or erased, nothing is left."""

import asyncio
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from core.bank.steps import InteractionAdd, Step
from core.errors import StoreUnavailable
from service.adapters.store import sqlite_file
from service.adapters.store.database import GuardedStatement
from service.adapters.store.sqlite_scrub import scrub
from service.adapters.store.sqlite_store import SqliteStore
from service.adapters.store.sqlite_traces import Pages
from tests.support import changes as a
from tests.support.sqlite_store import sql


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

    assert len(scrubs) < len(stories) / 2


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


async def test_a_purge_ends_while_reads_overlap_without_end(store: SqliteStore, path: Path) -> None:
    """One of them always reads older pages, as others write all the time: the log is never whole in the file."""
    purged, *_ = await _churn(store, 2)
    is_over = False

    def read(connection: sqlite3.Connection) -> None:
        next(rows := connection.execute("SELECT name FROM sqlite_schema"))
        time.sleep(0.06)  # in a thread, as a long read takes
        rows.close()

    async def go_on(act: Callable[[int], Awaitable[object]]) -> None:
        number = 0
        while not is_over:
            number += 1
            await act(number)

    claim = "INSERT INTO claims VALUES (?, 'another', 0)"
    busy = [asyncio.create_task(go_on(lambda _: store.file.read(read))) for _ in range(3)]
    busy.append(
        asyncio.create_task(
            go_on(lambda number: store.file.write([GuardedStatement(sql=claim, rows=[(f"{number}",)])]))
        )
    )

    await store.delete(purged.key)

    is_over = True
    await asyncio.gather(*busy)
    assert sum(_traces(path.parent, f"秘密-{purged.uid}-".encode()).values()) == 0


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
