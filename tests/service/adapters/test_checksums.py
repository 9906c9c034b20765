"""Rows that the disk, or somebody else, changed: told as damaged, never as another content."""

import asyncio
import random
import signal
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from core.bank.state import BankState
from core.bank.steps import (
    AttachmentPut,
    BankPut,
    ClusterPut,
    ConflictPut,
    CopiesPut,
    InsightPut,
    MergeAdd,
    NodePut,
    StructuringPut,
)
from core.errors import MemoryDamaged, StoreUnavailable
from core.ids import NodeId, RequestId
from core.model.insight import CompletedTask, Insight
from core.model.interaction import TaskStatus
from core.model.lineage import MergeReason, MergeRecord
from core.model.structuring import StructuringState
from core.ports.store import Listing
from service.adapters.store.bank_rows import BankRows
from service.adapters.store.sqlite_store import SqliteStore
from service.cli.serve import serve
from service.cli.verify import verify
from tests.support import changes as a
from tests.support.kinds import CASES, Story, whole

OTHER = a.key("bank-2")
DONE = CompletedTask(
    task_id="t1",  # type: ignore[arg-type]
    type="SOLVE",
    description="找出首席执行官",
    status=TaskStatus.SUCCEEDED,
    context="what was done",
)


async def _filled(path: Path) -> SqliteStore:
    """A store of two banks alike, with a row in every table of banks."""
    store = await SqliteStore.open(path)
    for key in (a.KEY, OTHER):
        story = a.Story(key)
        merge = MergeRecord(
            into=NodeId("n1"),
            absorbed=(a.node("n3"),),
            reason=MergeReason.MERGE,
            description="",
            time=a.START,
        )
        steps = [
            AttachmentPut(attachment=a.attachment("a1", "file:///here")),
            StructuringPut(structuring=a.structuring("i1", StructuringState.PENDING)),
            ClusterPut(cluster=a.cluster("i1", 0)),
            ConflictPut(conflict=a.conflict("c1", "n1", "n2", confidence=1)),
            CopiesPut(copies=a.copies("n1", a.ref("i1", 1))),
            MergeAdd(record=merge),
            InsightPut(insight=Insight(goal="find it", completed=(DONE,))),
        ]
        await store.append(key, "u1", [a.founding_with_two_nodes(story)])
        await store.append(key, "u1", [story.change(*steps, requests=[a.request("r1")])])
        await store.put_vectors(key, "u1", "segments", "", {a.ref("i1", 0): a.vector(77)})
    return store


def _changed(path: Path, statement: str) -> int:
    connection = sqlite3.connect(path)
    with connection:
        return connection.execute(statement).rowcount


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("aggregates", "record = replace(record, 'CEO', 'CFO')"),
        ("insights", "goal = 'find another'"),
        ("insights", "finished = 1"),
        ("completed_tasks", "context = 'what was not'"),
        ("interactions", "text = replace(text, '张三', '李四')"),
        ("segments", "start = start + 1"),
        ("segments", "embedding = zeroblob(16)"),
        ("attachments", "stored = 1"),
        ("structurings", "update_time = 0"),
        ("clusters", "context = ''"),
        ("nodes", "summary = 'another'"),
        ("nodes", "state = 'open_conflict'"),
        ("nodes", "embedding = NULL"),
        ("nodes", "embedding = zeroblob(16)"),
        ("copies", "count = 9"),
        ("merges", "absorbed = '[]'"),
        ("conflicts", "confidence = 0.25"),
        ("edges", "other_node_id = 'n9'"),
    ],
)
async def test_a_row_that_was_changed_damages_its_bank_alone(tmp_path: Path, table: str, change: str) -> None:
    path = tmp_path / "bank.db"
    store = await _filled(path)
    untouched = await store.load(OTHER)
    owner = "name" if table == "aggregates" else "bank_id"
    assert _changed(path, f"UPDATE {table} SET {change} WHERE {owner} = 'bank-1'") > 0

    with pytest.raises(MemoryDamaged) as damaged:
        await store.load(a.KEY)

    assert (damaged.value.kind, damaged.value.name, damaged.value.what) == ("bank", "bank-1", table)
    assert a.same(await store.load(OTHER), untouched)
    await store.delete(a.KEY)
    assert await store.load(a.KEY) is None
    await store.close()


async def test_a_changed_entry_of_the_feed_a_request_and_a_vector_are_told(tmp_path: Path) -> None:
    path = tmp_path / "bank.db"
    store = await _filled(path)
    for table, change in (
        ("changes", "steps = replace(steps, 'CEO', 'CFO')"),
        ("requests", "answer = x'7b'"),
    ):
        _changed(path, f"UPDATE {table} SET {change} WHERE name = 'bank-1'")
    _changed(path, "UPDATE segments SET embedding = zeroblob(16) WHERE bank_id = 'bank-1'")

    with pytest.raises(MemoryDamaged, match="changes"):
        await store.changes(a.KEY, "u1", 0, 10)
    with pytest.raises(MemoryDamaged, match="requests"):
        await store.requests(a.KEY, [RequestId("r1")])
    with pytest.raises(MemoryDamaged, match="segments"):
        await store.vectors(a.KEY, "u1", "segments", "", [a.ref("i1", 0)])

    assert len(await store.changes(OTHER, "u1", 0, 10)) == 2
    assert len(await store.requests(OTHER, [RequestId("r1")])) == 1
    await store.close()


async def test_a_damaged_record_is_left_out_of_lists_and_can_be_purged(tmp_path: Path) -> None:
    path = tmp_path / "bank.db"
    store = await _filled(path)
    _changed(path, "UPDATE aggregates SET record = replace(record, 'CEO', 'CFO') WHERE name = 'bank-1'")

    listed = await store.listed(a.KEY.tenant, "bank", Listing(), "", 10)

    assert [record.key for record, _ in listed] == [OTHER]
    await store.close()


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
async def test_a_changed_item_of_any_kind_is_told(tmp_path: Path, case: Any) -> None:
    path = tmp_path / "bank.db"
    store = await SqliteStore.open(path)
    story: Story = await whole(store, case)
    if not _changed(path, "UPDATE items SET value = replace(value, ':', ': ')"):
        _changed(path, "UPDATE aggregates SET record = replace(record, ':', ': ')")

    with pytest.raises(MemoryDamaged) as damaged:
        await store.load(story.key)

    assert (damaged.value.kind, damaged.value.name) == (story.key.kind, story.key.name)
    await store.close()


async def test_rows_from_before_checksums_are_read_and_have_one_once_written(tmp_path: Path) -> None:
    path = tmp_path / "bank.db"
    store = await _filled(path)
    before = await store.load(a.KEY)
    for table in ("aggregates", "nodes", "segments", "interactions", "changes", "requests", "conflicts"):
        _changed(path, f"UPDATE {table} SET checksum = NULL")
    _changed(path, "UPDATE nodes SET embedding_checksum = NULL")

    assert a.same(await store.load(a.KEY), before)
    head = (await store.heads([a.KEY]))[a.KEY]
    story = a.Story()
    story.head, story._named = head, 100
    await store.append(a.KEY, "u1", [story.change(a.node_put("n1"), BankPut(record=a.record()))])
    _changed(path, "UPDATE nodes SET summary = 'another' WHERE node_id = 'n1'")

    with pytest.raises(MemoryDamaged, match="nodes"):
        await store.load(a.KEY)
    await store.close()


async def test_a_node_put_without_its_vector_keeps_the_one_it_has(tmp_path: Path) -> None:
    store = await _filled(tmp_path / "bank.db")
    story = a.Story()
    story.head, story._named = (await store.heads([a.KEY]))[a.KEY], 100

    await store.append(a.KEY, "u1", [story.change(NodePut(node=a.node("n1", summary="new"), vector=None))])

    state = await store.load(a.KEY)
    assert isinstance(state, BankState)
    assert len(state.nodes) == 2
    await store.close()


def _whats_told(state: Any) -> dict[str, object]:
    told: dict[str, object] = {put.node.node_id: put.node for put in state.nodes}
    return told | {i.interaction_id: i for i in state.interactions} | {"record": state.record}


async def test_no_flipped_bit_of_the_file_is_told_as_another_content(tmp_path: Path) -> None:
    """Where it hits the index of a table, a row can be missing: `memorybank verify` tells that too."""
    path, damaged = tmp_path / "bank.db", tmp_path / "damaged.db"
    store = await _filled(path)
    written = {key: _whats_told(await store.load(key)) for key in (a.KEY, OTHER)}
    await store.close()
    good, chance = path.read_bytes(), random.Random(7)
    used = [place for place, byte in enumerate(good) if byte]

    other = 0
    for _ in range(60):
        flipped = bytearray(good)
        flipped[chance.choice(used)] ^= 1 << chance.randrange(8)
        damaged.write_bytes(flipped)
        for ending in ("-wal", "-shm"):
            damaged.with_name(damaged.name + ending).unlink(missing_ok=True)
        try:
            opened = await SqliteStore.open(damaged)
        except StoreUnavailable:
            continue
        for key, told in written.items():
            try:
                state = await opened.load(key)
            except (MemoryDamaged, StoreUnavailable, sqlite3.Error):  # the last: it hit the schema's text
                continue
            if state is not None:
                found = _whats_told(state)
                other += any(found[name] != told.get(name) for name in found)
        await opened.close()

    assert other == 0


def test_verify_names_what_is_damaged_and_reads_all_else(tmp_path: Path) -> None:
    path = tmp_path / "memorybank.sqlite"

    async def made() -> None:
        await (await _filled(path)).close()

    asyncio.run(made())
    whole_ = CliRunner().invoke(verify, ["--data", str(tmp_path)])
    _changed(path, "UPDATE changes SET steps = replace(steps, 'CEO', 'CFO') WHERE name = 'bank-1'")
    _changed(path, "UPDATE attachments SET stored = 0")
    damaged = CliRunner().invoke(verify, ["--data", str(tmp_path)])

    assert (whole_.exit_code, whole_.output) == (0, "2 memories and 0 files read: all as written\n")
    assert damaged.exit_code == 1
    assert damaged.output.splitlines()[0] == "damaged: bank bank-1 of tenant acme: changes"


@pytest.fixture
def _interrupts_as_before() -> Iterator[None]:
    """uvloop leaves its own handler behind in a process that goes on after it."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_interrupts_as_before")
def test_a_folder_that_is_none_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")

    for command in (verify, serve):
        ended = CliRunner().invoke(command, ["--data", str(tmp_path / "data")])

        assert ended.exit_code == 1
        assert "Traceback" not in ended.output
        assert ended.output.splitlines()[-1].startswith("memorybank: ")


async def test_a_column_that_came_later_is_no_part_of_the_row_s_checksum_and_has_its_own(
    tmp_path: Path,
) -> None:
    """So that a build which does not know it reads the row, and writes it: that leaves the column as it was."""
    path = tmp_path / "store"
    node = replace(a.node("n1"), writer="ada")
    nodes = BankRows().nodes
    story = a.Story(a.KEY)
    store = await SqliteStore.open(path)
    await store.append(a.KEY, "u1", [a.founding_with_two_nodes(story)])
    await store.append(a.KEY, "u1", [story.change(NodePut(node=node, vector=None))])
    await store.close()

    async def writer_after(statement: str) -> str:
        assert _changed(path, f"UPDATE nodes SET {statement} WHERE node_id = 'n1'") == 1
        opened = await SqliteStore.open(path)
        try:
            state = await opened.load(a.KEY)
            assert isinstance(state, BankState)
            return next(put.node.writer for put in state.nodes if put.node.node_id == "n1")
        finally:
            await opened.close()

    *_, of_the_row, _, _ = nodes.row(a.KEY, node, None)
    *_, as_before, _, _ = nodes.row(a.KEY, replace(node, writer=""), None)
    assert of_the_row == as_before
    assert await writer_after("source = source") == "ada"
    with pytest.raises(MemoryDamaged):
        await writer_after("writer = 'eve'")
    with pytest.raises(MemoryDamaged):
        await writer_after("writer = ''")
