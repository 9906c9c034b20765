"""Both clients and the real service over a real channel."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from memorybank.v1 import types_pb2 as types
from memorybank_client import (
    AlreadyExists,
    ErrorReason,
    InvalidArgument,
    MemoryBankClient,
    NotFound,
    StaleRevision,
    vector,
)
from service.assembly.server import running
from tests.clients.python.scripted import Asking, asking
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.server import settings_for

TIMETABLE = "The ferry to Naxos leaves at nine from pier 3.\n\nA ticket costs 42 euro; children pay half."


@asynccontextmanager
async def serving(kind: str, folder: Path) -> AsyncIterator[Asking]:
    async with (
        running(settings_for(folder), HashingEmbedder()) as address,
        asking(kind, str(address)) as ask,
    ):
        yield ask


async def test_what_was_memorized_is_found_and_traced_to_its_words(kind: str, tmp_path: Path) -> None:
    async with serving(kind, tmp_path) as ask:
        await ask("create_bank", bank_id="trip", goal="去纳克索斯岛")
        memorized = await ask("memorize", bank_id="trip", text=TIMETABLE, source="timetable")

        found = await ask("search", bank_id="trip", text="when does the ferry leave?")

        node_id = found.hits[0].node.node_id
        read = await ask("get_interaction", bank_id="trip", node_id=node_id)
    assert node_id in memorized.node_ids
    assert [each.text for each in read.interactions] == [TIMETABLE]


async def test_a_mutation_repeated_under_its_request_id_happens_once(kind: str, tmp_path: Path) -> None:
    async with serving(kind, tmp_path) as ask:
        await ask("create_bank", bank_id="trip")
        first = await ask("memorize", bank_id="trip", text=TIMETABLE, request_id="r1")
        again = await ask("memorize", bank_id="trip", text=TIMETABLE, request_id="r1")

        counts = (await ask("get_bank", bank_id="trip")).counts

    assert again.replayed
    assert again.interaction_id == first.interaction_id
    assert counts.interactions == 1


async def test_errors_arrive_as_what_they_are(kind: str, tmp_path: Path) -> None:
    async with serving(kind, tmp_path) as ask:
        await ask("create_bank", bank_id="trip")
        with pytest.raises(AlreadyExists) as taken:
            await ask("create_bank", bank_id="trip")
        with pytest.raises(NotFound) as missing:
            await ask("get_node", bank_id="trip", node_id="n0")
        with pytest.raises(InvalidArgument) as bad:
            await ask("search", bank_id="trip", text="ferry", top_k=0, alpha=2.0)
        with pytest.raises(InvalidArgument) as misnamed:
            await ask("get_bank", bank_id="银行")
        node = (await ask("add_node", bank_id="trip", summary="old")).node
        change = {
            "node": types.Node(node_id=node.node_id, summary="new"),
            "update_mask": FieldMask(paths=["summary"]),
        }
        await ask("update_node", bank_id="trip", **change)
        with pytest.raises(StaleRevision) as stale:
            await ask("update_node", bank_id="trip", if_revision=node.revision, **change)

    assert taken.value.metadata == {"bank_id": "trip"}
    assert missing.value.reason == ErrorReason.ERROR_REASON_NODE_NOT_FOUND
    assert {violation.field for violation in bad.value.field_violations} == {"top_k", "alpha"}
    assert [violation.field for violation in misnamed.value.field_violations] == ["bank_id"]
    assert stale.value.metadata["expected"] == str(node.revision)


async def test_a_bank_of_ones_own_vectors_is_searched_by_them(kind: str, tmp_path: Path) -> None:
    space = types.EmbeddingSpace(name="mine", dimension=2, source=types.SPACE_SOURCE_CLIENT)
    async with serving(kind, tmp_path) as ask:
        await ask("create_bank", bank_id="own", embedding_space=space)
        await ask("add_node", bank_id="own", node_id="east", summary="东", embedding=vector([1.0, 0.0]))
        await ask("add_node", bank_id="own", node_id="north", summary="北", embedding=vector([0.0, 1.0]))

        found = await ask("search", bank_id="own", embedding=vector([0.1, 0.9]), top_k=1)

    assert [hit.node.node_id for hit in found.hits] == ["north"]


async def test_a_streamed_text_tells_of_its_progress_and_ends_with_the_result(
    kind: str, tmp_path: Path
) -> None:
    pages = [f"第{number}天：渡轮票价{number}欧元。\n\n" for number in range(1, 31)]
    async with serving(kind, tmp_path) as ask:
        await ask("create_bank", bank_id="trip")

        news = await ask("memorize_stream", iter(pages), bank_id="trip", source="日记")

        assert all(each.HasField("progress") for each in news[:-1])
        result = news[-1].result
        read = await ask("get_interaction", bank_id="trip", interaction_id=result.interaction_id)
    assert read.interactions[0].text == "".join(pages)
    assert read.interactions[0].source == "日记"


async def test_an_attachment_goes_up_and_comes_back(kind: str, tmp_path: Path) -> None:
    content = bytes(range(256)) * 10_000
    (tmp_path / "map.png").write_bytes(content)
    async with serving(kind, tmp_path / "bank") as ask:
        await ask("create_bank", bank_id="trip")
        with (tmp_path / "map.png").open("rb") as file:
            kept = await ask("upload_attachment", file, bank_id="trip", type="image", media_type="image/png")

        parts = await ask("read_attachment", bank_id="trip", attachment_id=kept.attachment.attachment_id)

    assert kept.sha256 == hashlib.sha256(content).hexdigest()
    assert b"".join(part.content for part in parts) == content


async def test_an_exported_bank_is_imported_under_another_id(kind: str, tmp_path: Path) -> None:
    async with serving(kind, tmp_path) as ask:
        await ask("create_bank", bank_id="trip", goal="Naxos")
        await ask("memorize", bank_id="trip", text=TIMETABLE)
        records = [each.record for each in await ask("export_bank", bank_id="trip")]

        imported = await ask("import_bank", records, bank_id="copy")

        before, after = [await ask("get_bank", bank_id=bank_id) for bank_id in ("trip", "copy")]
    assert imported.bank.bank_id == "copy"
    assert after.counts == before.counts


async def test_a_purged_bank_begins_anew_under_its_id(kind: str, tmp_path: Path) -> None:
    async with serving(kind, tmp_path) as ask:
        await ask("create_bank", bank_id="trip")
        await ask("memorize", bank_id="trip", text=TIMETABLE)
        removed = await ask("delete_bank", bank_id="trip")
        await ask("create_bank", bank_id="trip")

        read = await ask("get_bank", bank_id="trip")

    assert removed.counts.interactions == 1
    assert read.counts.interactions == 0


async def test_a_conflict_is_settled_by_its_verdict(kind: str, tmp_path: Path) -> None:
    async with serving(kind, tmp_path) as ask:
        await ask("create_bank", bank_id="acme")
        await ask("memorize", bank_id="acme", text="The CEO of Acme is Alice Chen.")
        second = await ask("memorize", bank_id="acme", text="The CEO of Acme is Bob Li.")
        (conflict_id,) = second.conflict_ids

        settled = await ask(
            "resolve_conflict",
            bank_id="acme",
            conflict_id=conflict_id,
            verdict="Bob Li has been the CEO of Acme since May.",
        )

        left = await ask("list_conflicts", bank_id="acme")
    assert settled.conflict.status == types.CONFLICT_STATUS_RESOLVED
    assert settled.node_id != ""
    assert list(left.conflicts) == []


async def test_a_watch_sees_what_is_written_meanwhile(tmp_path: Path) -> None:
    async with (
        running(settings_for(tmp_path), HashingEmbedder()) as address,
        MemoryBankClient(str(address)) as client,
    ):
        await client.create_bank(bank_id="trip")
        async with aclosing(client.watch_bank(bank_id="trip")) as changes:
            followed_from = await anext(changes)
            added = await client.add_node(bank_id="trip", node_id="n1", summary="Ferry at nine.")

            change = await asyncio.wait_for(anext(changes), 180)

    assert change.revision == added.revision == followed_from.revision + 1
    assert [event.node_added.node_id for event in change.events] == ["n1"]
