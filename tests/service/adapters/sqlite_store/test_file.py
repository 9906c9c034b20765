"""The SQLite store's file: what is in it, who may open it, and that it equals the store in memory."""

import asyncio
import random
import sqlite3
import sys
from pathlib import Path

import pytest

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
from core.ids import ConflictId, NodeId
from core.model.structuring import StructuringState
from service.adapters.store.memory_store import MemoryStore
from service.adapters.store.sqlite_store import SqliteStore
from tests.support import changes as a
from tests.support.sqlite_store import sql

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

    with pytest.raises(StoreUnavailable, match=f"{path}: file is not a database"):
        await SqliteStore.open(path)


async def test_a_file_that_cannot_be_opened_is_named(path: Path) -> None:
    await asyncio.to_thread(path.mkdir, parents=True)

    with pytest.raises(StoreUnavailable, match=f"{path}: unable to open database file"):
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
