"""Every call that writes, repeated with its request_id after others have changed what it wrote, gets its first answer.

The methods are found by descriptor: one without a request in the table fails the test.
"""

import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from memorybank.v1 import conversation_pb2 as conversation
from memorybank.v1 import long_term_pb2 as long_term
from service.api.admission import writes
from service.assembly.stores import DATABASE
from tests.service.api.every_mutation import (
    FACTS,
    OTHERWISE,
    TALK,
    call,
    change,
    fact,
    made,
    mask,
    requests,
    restrict,
    sent_by,
)
from tests.service.api.every_violation import METHODS
from tests.support.server import Service, serving

MUTATIONS = sorted(
    name for name, method in METHODS.items() if writes(f"{method.containing_service.full_name}/{name}")
)
NOT_REPEATED = {
    "DeleteBank": "a purge leaves nothing, not even the memory of its request",
    "DeleteConversation": "likewise",
    "DeleteCollection": "likewise",
    "PurgeUser": "likewise",
    "EraseMentions": "it looks again, and finds what came since",
    "Restructure": "it takes up what is unfinished by then",
}
"""Methods whose repetition is another call, by the contract."""
PROMPT = ("prompt", "tools", "sections", "left_out", "revision")
OF_TODAY = {
    "StartTask": ("bank", "insight", *PROMPT),
    "AdvanceTask": ("purge_time", "open_conflict_ids", *PROMPT),
}
"""Fields of an answer that tell of memory as it stands, by the contract: the prompt that an agent goes on with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What the calls are about, in a folder to be copied."""

    folder: Path
    known: dict[str, str]

    @asynccontextmanager
    async def served(self, folder: Path) -> AsyncIterator[Service]:
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        async with serving(folder=folder) as service:
            yield service


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("world")
    async with serving(folder=folder) as service:
        return World(folder=folder, known=await made(service))


def test_every_call_that_writes_is_repeated_here() -> None:
    known = dict.fromkeys(
        ("key", "cluster", "reflection", "conflict", "retraction", "interactions", "turns"), "x"
    )

    assert sorted(requests(known)) == MUTATIONS


@pytest.mark.parametrize("way", [*(name for name in MUTATIONS if name not in NOT_REPEATED), *OTHERWISE])
async def test_a_repetition_gets_the_first_answer_whatever_has_changed_since(
    world: World, tmp_path: Path, way: str
) -> None:
    async with world.served(tmp_path) as service:
        name, sent = await sent_by(service, way, world.known)
        first = await call(service, name, sent)
        assert not (first.result if name == "MemorizeStream" else first).replayed

        for since in (change, restrict):
            await since(service)
            again = await call(service, name, sent)
            assert as_kept(name, again) == as_kept(name, first, replayed=True)


def as_kept(name: str, answer: Any, *, replayed: bool | None = None) -> Any:
    """Returns what of an answer its repetition has too, as a repetition's where `replayed`."""
    kept = type(answer)()
    kept.CopyFrom(answer)
    told = kept.result if name == "MemorizeStream" else kept
    for field in OF_TODAY.get(name, ()):
        told.ClearField(field)
    if replayed is not None:
        told.replayed = replayed
    return kept


async def test_a_repetition_brings_no_word_back_that_was_erased(service: Service) -> None:
    storing = long_term.StoreFactRequest(content="Ada lives in Oslo. 住在奥斯陆。", request_id="s", **FACTS)
    naming = conversation.AddKeyRequest(text="No nuts. 不吃坚果。", request_id="k", **TALK)
    stored = await call(service, "StoreFact", [storing])
    named = await call(service, "AddKey", [naming])
    reworded = fact("Moved. 搬家了。", record_id=stored.record.record_id)
    update = long_term.UpdateRecordRequest(record=reworded, update_mask=mask("content"), **FACTS)
    await call(service, "UpdateRecord", [update])

    again = await call(service, "StoreFact", [storing])

    assert (again.replayed, again.revision) == (True, stored.revision)
    assert again.record.content == "Moved. 搬家了。"
    deletion = long_term.DeleteRecordsRequest(record_ids=[stored.record.record_id], **FACTS)
    await call(service, "DeleteRecords", [deletion])
    key_deletion = conversation.DeleteKeyRequest(key_id=named.key.key_id, **TALK)
    await call(service, "DeleteKey", [key_deletion])
    gone, keyless = await call(service, "StoreFact", [storing]), await call(service, "AddKey", [naming])
    assert (gone.replayed, gone.revision, gone.record.content) == (True, stored.revision, "")
    assert (keyless.replayed, keyless.revision, keyless.key.text) == (True, named.revision, "")


OLD = {
    "StoreFact": '{"record_ids":["%s"],"known":false,"forgotten":false}',
    "GenerateReflection": '{"reflection_id":"%s"}',
    "EndConversation": "{}",
}
"""Answers as they were kept before they told more."""


@pytest.mark.parametrize("name", OLD)
async def test_a_request_whose_answer_was_kept_by_an_earlier_program_is_answered(
    world: World, tmp_path: Path, name: str
) -> None:
    async with world.served(tmp_path) as service:
        _, sent = await sent_by(service, name, world.known)
        first = await call(service, name, sent)
    with closing(sqlite3.connect(tmp_path / DATABASE)) as link:
        made_id = getattr(first, "record", None) or getattr(first, "reflection", None)
        kept = OLD[name] % next(iter(made_id.ListFields()))[1] if made_id else OLD[name]
        done = link.execute(
            "UPDATE requests SET answer = ?, checksum = NULL WHERE request_id = 'again'", [kept.encode()]
        )
        link.commit()
        assert done.rowcount == 1

    async with serving(folder=tmp_path) as service:
        again = await call(service, name, sent)

    assert again.replayed
    for field in ("record", "reflection"):
        if hasattr(first, field):
            assert getattr(again, field).revision == getattr(first, field).revision
