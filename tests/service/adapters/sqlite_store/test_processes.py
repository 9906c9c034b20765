"""Several processes on one file of SQLite, and their deaths."""

import asyncio
import random
import subprocess
import sys
from pathlib import Path

import pytest

from core.bank.state import BankState
from core.internal_errors import HeadMoved
from service.adapters.store.memory_store import MemoryStore
from service.adapters.store.sqlite_store import SqliteStore
from tests.support import changes as a
from tests.support.sqlite_store import CHECKOUT


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
