"""Data folders that earlier commits wrote: they are opened, read, answered from, and written to."""

import json
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict

from core.aggregate.change import Change
from core.errors import RevisionTrimmed
from core.keys import Key
from core.kinds import KINDS
from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import types_pb2 as types
from service.adapters.store.sqlite_store import SqliteStore
from tests.stored.write import LATER, OWNED, REVIEWED, TALK, USER, readings
from tests.support.process import served_process

FOLDERS = sorted(path.parent for path in Path(__file__).parent.glob("*/answers.json"))
REVIEWING = [folder for folder in FOLDERS if '"list_retractions"' in (folder / "answers.json").read_text()]
OTHERS = [folder for folder in FOLDERS if folder not in REVIEWING]
GOES_ON = {"revision", "counts", "updateTime"}
"""What the service may move by itself while the folder is open."""


@pytest.fixture(params=FOLDERS, ids=lambda folder: folder.name)
def then(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


@pytest.fixture
def data(then: Path, tmp_path: Path) -> Path:
    with tarfile.open(then / "data.tar.xz") as archive:
        archive.extractall(tmp_path / "data", filter="data")
    return tmp_path / "data"


async def test_every_kind_and_its_whole_change_feed_is_read(data: Path) -> None:
    store = await SqliteStore.open(data / "memorybank.sqlite")
    keys = await store.keys(None, 100)
    uids = {key: head.uid for key, head in (await store.heads(keys)).items()}
    changes = {key: await _feed(store, key, uid) for key, uid in uids.items()}
    states = [await store.load(key) for key in keys]
    await store.close()

    assert {key.kind for key in keys} == KINDS.keys()
    assert all(found and found for found in changes.values())
    assert all(state is not None for state in states)


async def test_its_memories_are_answered_as_they_were(then: Path, data: Path) -> None:
    before = json.loads((then / "answers.json").read_text())
    async with served_process(data) as server, server.client() as client:
        for (verb, arguments), (same_verb, answer) in zip(readings(), before, strict=False):
            assert verb == same_verb
            missing = _missing(answer, MessageToDict(await getattr(client, verb)(**arguments)), verb)
            assert not missing


@pytest.mark.parametrize("then", OTHERS, ids=lambda folder: folder.name, indirect=True)
async def test_it_is_searched_and_written_to(data: Path) -> None:
    async with served_process(data) as server, server.client() as client:
        found = await client.search(bank_id="trip", text="when does the ferry leave?", top_k=1)
        turns = await client.search_turns(user=USER, conversation_id=TALK, text="walnuts", top_k=1)
        fact = await client.store_fact(**OWNED, content="The printer is on the third floor.", wait=True)
        facts = await client.retrieve_facts(**OWNED, query="where is the printer?", top_k=1)
        said = await client.memorize(
            bank_id="trip", text="The captain is called Iris.", wait=types.WAIT_STRUCTURED
        )

        assert "leaves at ten" in found.hits[0].node.summary
        assert "walnuts" in turns.hits[0].turn.input
        assert [one.record.record_id for one in facts.facts] == [fact.record.record_id]
        assert said.node_ids


@pytest.mark.parametrize("then", OTHERS, ids=lambda folder: folder.name, indirect=True)
async def test_what_was_asked_then_is_done_once(data: Path) -> None:
    async with served_process(data) as server, server.client() as client:
        before = await client.list_records(**OWNED)
        again = await client.store_fact(
            **OWNED,
            content="The project uses PostgreSQL.",
            event_time=LATER,
            category="work",
            wait=True,
            request_id="fact-1",
        )
        after = await client.list_records(**OWNED)

    assert again.record.record_id in [record.record_id for record in before.records]
    assert len(after.records) == len(before.records)


@pytest.mark.parametrize("then", REVIEWING, ids=lambda folder: folder.name, indirect=True)
async def test_what_waits_is_approved_and_what_was_taken_back_is_released(data: Path) -> None:
    async with served_process(data) as server, server.client() as client:
        approved = await client.review_records(
            **REVIEWED, record_ids=["w0"], decision=long_term.REVIEW_DECISION_APPROVE
        )
        again = await client.add_record(**REVIEWED, record=long_term.Record(record_id="w5", content="More."))
        (taken,) = (await client.list_retractions(**REVIEWED)).retractions
        await client.release_retraction(**REVIEWED, retraction_id=taken.retraction_id)
        records = (await client.list_records(**REVIEWED)).records
        held = (await client.list_interaction_retractions(bank_id="taken")).retractions
        open_ = [each for each in held if each.state == types.RETRACTION_STATE_QUARANTINED]
        await client.release_interactions(bank_id="taken", retraction_id=open_[0].retraction_id)
        told = await client.list_interactions(bank_id="taken")

    assert [record.content for record in approved.records] == ["桌子在二楼。"]
    assert again.record.awaits_review
    assert {record.record_id for record in records} == {"w0", "w1", "w2"}
    assert {each.interaction_id for each in told.interactions} == {"t0", "t1"}


async def _feed(store: SqliteStore, key: Key, uid: str) -> Sequence[Change[Any]]:
    try:
        return await store.changes(key, uid, 0, 1000)
    except RevisionTrimmed as trimmed:
        return await store.changes(key, uid, trimmed.oldest, 1000)


def _missing(before: Any, now: Any, place: str) -> list[str]:
    """Returns the places of what was answered and is not, or is answered otherwise. New fields are none of them."""
    if isinstance(before, dict) and isinstance(now, dict):
        return [
            one
            for name, value in before.items()
            if name not in GOES_ON
            for one in _missing(value, now.get(name), f"{place}.{name}")
        ]
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        pairs = enumerate(zip(before, now, strict=True))
        return [one for at, (old, new) in pairs for one in _missing(old, new, f"{place}[{at}]")]
    return [] if before == now else [f"{place}: {before!r}, now {now!r}"]
