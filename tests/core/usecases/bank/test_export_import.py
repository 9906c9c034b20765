"""Exports and imports: a round trip is lossless, and a bad stream leaves nothing."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pytest

from core.agents.roles import ConflictOpinion, RelatedOpinion
from core.aggregate.codec import encode
from core.bank.state import BankState
from core.bank.steps import NodePut
from core.errors import (
    BankExists,
    BankNotFound,
    BlobCorrupt,
    EmbeddingSpaceMismatch,
    ImportInvalid,
    LimitReached,
    RequestIdReused,
    StoreUnavailable,
)
from core.ids import AttachmentId, BankId, InteractionId, NodeId, SegmentRef, Tenant
from core.keys import BankKey
from core.model.bank import BankRecord, EmbeddingSpace
from core.model.conflict import Conflict
from core.model.insight import Insight
from core.model.interaction import Attachment
from core.model.lineage import MergeReason, MergeRecord
from core.usecases.bank.exchange.export_bank import ExportBank, export_bank
from core.usecases.bank.exchange.export_records import (
    Edge,
    ExportHeader,
    ExportRecord,
    ExportTrailer,
    FileChunk,
    InteractionPart,
    SegmentVector,
)
from core.usecases.bank.exchange.import_bank import ImportBank, import_bank
from core.usecases.bank.exchange.import_records import MOST, RANKS
from core.usecases.bank.record import Context
from core.usecases.bank.verbs.add_nodes import AddNodes, NewNode, add_nodes
from core.usecases.bank.verbs.get_bank import GetBank, get_bank
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.bank.verbs.merge_nodes import MergeNodes, merge_nodes
from core.usecases.bank.verbs.read_attachment import ReadAttachment, read_attachment
from core.usecases.bank.verbs.upload_attachment import UploadAttachment, upload_attachment
from core.usecases.house import House
from core.usecases.limits import Limits
from service.adapters.store.memory_store import MemoryStore
from tests.support.house import KEY, make_bank, open_house, request, with_settings, work_done
from tests.support.scripted_agents import ScriptedAgents, joined

COPY = BankKey(tenant=Tenant("acme"), bank_id=BankId("copy"))
PICTURE = AttachmentId("picture")
BYTES = bytes(range(256)) * 5_000


async def _stream(records: Sequence[Any]) -> AsyncIterator[Any]:
    for record in records:
        yield record


async def _exported(house: House, key: BankKey = KEY, **options: bool) -> list[ExportRecord]:
    return [record async for record in export_bank(house, ExportBank(key=key, **options))]


async def _imported(house: House, records: Sequence[Any], **options: Any) -> int:
    command = ImportBank(tenant=COPY.tenant, bank_id=COPY.bank_id, **options)
    return (await import_bank(house, command, _stream(records))).revision


async def _state(house: House, key: BankKey) -> BankState:
    async with house.banks.reading(key) as bank:
        return bank.state()


def _agents() -> ScriptedAgents:
    agents = ScriptedAgents()
    agents.consolidator.consolidations.otherwise = joined
    agents.judge.first.then(
        (),
        lambda _new, candidates: (
            ConflictOpinion(
                existing=candidates[0].node_id, confidence=0.9, reasoning="r", description="谁是首席执行官"
            ),
        ),
    )
    agents.judge.second.then(
        lambda _new, candidates: (
            RelatedOpinion(
                existing=candidates[0].node_id,
                confidence=0.5,
                reasoning="",
                context_new="near",
                context_existing="near too",
                keywords_new=("k",),
                keywords_existing=("词",),
            ),
        )
    )
    return agents


async def _lived(house: House) -> None:
    """A bank with all that a bank can hold: merged, related and contested nodes, a plan, files, vectors."""
    await make_bank(house)
    await upload_attachment(
        house,
        UploadAttachment(key=KEY, attachment_id=PICTURE, type="image"),
        _stream([BYTES[:700], BYTES[700:]]),
    )
    await upload_attachment(
        house, UploadAttachment(key=KEY, attachment_id=AttachmentId("empty")), _stream([])
    )
    nodes = tuple(
        NewNode(node_id=NodeId(n), summary=f"{n} 的摘要", verbatim=f"{n} 的原文。\n\nMore.") for n in "abc"
    )
    await add_nodes(
        house, AddNodes(key=KEY, nodes=(replace(nodes[0], related_node_ids=(NodeId("c"),)), *nodes[1:]))
    )
    await merge_nodes(house, MergeNodes(key=KEY, node_ids=(NodeId("a"), NodeId("b"))))
    named = Attachment(attachment_id=PICTURE, type="image", uri="")
    elsewhere = Attachment(attachment_id=AttachmentId("web"), type="document", uri="https://example.org/x")
    await memorize(
        house, Memorize(key=KEY, context=Context(text="首席执行官是张三。", attachments=(named, elsewhere)))
    )
    await memorize(house, Memorize(key=KEY, context=Context(text="首席执行官是李四。")))


@pytest.fixture
async def lived() -> AsyncIterator[tuple[House, list[ExportRecord]]]:
    async with open_house(agents=_agents().roles) as house:
        await _lived(house)
        await work_done(house)
        yield house, await _exported(house)


async def test_a_round_trip_is_lossless(lived: tuple[House, list[ExportRecord]]) -> None:
    house, records = lived

    revision = await _imported(house, records)

    again = await _exported(house, COPY)
    before, after = await _state(house, KEY), await _state(house, COPY)
    assert revision == before.head.revision == after.head.revision
    assert before.merges
    assert before.conflicts
    assert before.segment_vectors
    assert len(again) == len(records)
    differing = [new for old, new in zip(records, again, strict=True) if encode(old) != encode(new)]
    kinds = {type(record).__name__ for record in differing}
    assert kinds == {
        "ExportHeader",
        "BankRecord",
        "InteractionHead",
        "Attachment",
    }  # uid, key, and the files' places
    moved = replace(after.record, key=KEY, uid=before.record.uid)
    assert moved == before.record


async def test_an_imported_bank_lives_on_and_reloads_to_what_it_was(
    lived: tuple[House, list[ExportRecord]],
) -> None:
    house, records = lived
    await _imported(house, records)

    memory = await memorize(house, Memorize(key=COPY, context=Context(text="Something new.")))

    stored = await house.store.load(COPY)
    assert stored is not None
    assert memory.node_ids
    assert encode(stored) == encode(await _state(house, COPY))


async def test_files_come_along_and_belong_to_the_new_bank(lived: tuple[House, list[ExportRecord]]) -> None:
    house, records = lived
    await _imported(house, records)
    await house.banks.delete(KEY)

    opened = await read_attachment(house, ReadAttachment(key=COPY, attachment_id=PICTURE))

    assert b"".join([chunk async for chunk in opened.chunks]) == BYTES
    async with house.banks.reading(COPY) as bank:
        named = [
            a for i in bank.tree.interactions.values() for a in i.attachments if a.attachment_id == PICTURE
        ]
    assert named == [opened.attachment]


async def test_without_its_files_an_export_only_names_them(lived: tuple[House, list[ExportRecord]]) -> None:
    house, _ = lived
    records = await _exported(house, omit_files=True)

    await _imported(house, records)

    async with house.banks.reading(COPY) as bank:
        assert not bank.attachment(PICTURE).stored
        assert all(not a.stored for i in bank.tree.interactions.values() for a in i.attachments)


async def test_vectors_of_segments_that_were_left_out_are_made_anew(
    lived: tuple[House, list[ExportRecord]],
) -> None:
    house, _ = lived
    records = await _exported(house, omit_segment_vectors=True)
    assert not any(isinstance(record, SegmentVector) for record in records)

    await _imported(house, records)
    await work_done(house)

    before, after = await _state(house, KEY), await _state(house, COPY)
    assert before.segment_vectors
    assert after.segment_vectors
    assert {r: v.tobytes() for r, v in before.segment_vectors.items()} == {
        r: v.tobytes() for r, v in after.segment_vectors.items()
    }


@pytest.mark.slow
async def test_a_long_text_travels_in_parts(lived: tuple[House, list[ExportRecord]]) -> None:
    house, _ = lived
    text = "一段话。" * 100_000
    await add_nodes(house, AddNodes(key=KEY, nodes=(NewNode(summary="long", verbatim=text),)))
    records = await _exported(house)
    assert max(len(r.text.encode()) for r in records if isinstance(r, InteractionPart)) <= 1_048_576

    await _imported(house, records)

    async with house.banks.reading(COPY) as bank:
        assert text in {interaction.text for interaction in bank.tree.interactions.values()}


async def test_a_repeated_import_answers_the_same(lived: tuple[House, list[ExportRecord]]) -> None:
    house, records = lived
    command = ImportBank(tenant=COPY.tenant, bank_id=COPY.bank_id, request=request("r1"))
    first = await import_bank(house, command, _stream(records))

    again = await import_bank(house, command, _stream(records))

    assert (again.replayed, again.result) == (True, first.result)
    opened = await read_attachment(house, ReadAttachment(key=COPY, attachment_id=PICTURE))
    assert b"".join([chunk async for chunk in opened.chunks]) == BYTES
    other = [*records[:-1], ExportTrailer(records=len(records) - 1, sha256="another")]
    with pytest.raises(RequestIdReused):
        await import_bank(house, command, _stream(other))


async def test_a_bank_that_is_there_is_not_imported_over(lived: tuple[House, list[ExportRecord]]) -> None:
    house, records = lived

    with pytest.raises(BankExists):
        await import_bank(house, ImportBank(tenant=KEY.tenant), _stream(records))

    opened = await read_attachment(house, ReadAttachment(key=KEY, attachment_id=PICTURE))
    assert b"".join([chunk async for chunk in opened.chunks]) == BYTES


def _without(kind: type) -> Callable[[list[Any]], list[Any]]:
    return lambda records: [record for record in records if not isinstance(record, kind)]


def _with(kind: type, **changed: Any) -> Callable[[list[Any]], list[Any]]:
    """The first record of a kind, changed."""

    def edit(records: list[Any]) -> list[Any]:
        place = next(i for i, record in enumerate(records) if isinstance(record, kind))
        return [*records[:place], replace(records[place], **changed), *records[place + 1 :]]

    return edit


def _twice(kind: type) -> Callable[[list[Any]], list[Any]]:
    def edit(records: list[Any]) -> list[Any]:
        place = next(i for i, record in enumerate(records) if isinstance(record, kind))
        return [*records[:place], records[place], *records[place:]]

    return edit


def _evidence_twice(records: list[Any]) -> list[Any]:
    put = next(record for record in records if isinstance(record, NodePut) and record.node.interaction_ids)
    node = replace(put.node, interaction_ids=put.node.interaction_ids * 2)
    return [replace(put, node=node) if record is put else record for record in records]


def _against_itself(records: list[Any]) -> list[Any]:
    conflict = next(record for record in records if isinstance(record, Conflict))
    sides = (*conflict.sides, conflict.sides[0])
    return [replace(conflict, sides=sides) if record is conflict else record for record in records]


def _cyclic_merge(records: list[Any]) -> list[Any]:
    place = next(i for i, record in enumerate(records) if isinstance(record, MergeRecord))
    merge = records[place]
    into = merge.absorbed[0].node_id
    node = replace(merge.absorbed[0], node_id=NodeId("elsewhere"))
    back = replace(merge, into=into, absorbed=(node,), reason=MergeReason.MERGE)
    return [*records[: place + 1], back, *records[place + 1 :]]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda records: [],
        lambda records: records[1:],
        lambda records: records[:-1],
        lambda records: records[: len(records) // 2],
        lambda records: [*records, records[-1]],
        lambda records: [*records[:1], *reversed(records[1:-1]), records[-1]],
        _without(BankRecord),
        _without(Insight),
        _without(InteractionPart),
        _without(NodePut),
        _with(ExportHeader, format=2),
        _with(ExportHeader, revision=0),
        _with(ExportHeader, revision=2**63 - 1),
        _with(BankRecord, tokens_spent=2**63 - 1),
        _with(ExportTrailer, records=3),
        _with(Edge, node_id=NodeId("gone")),
        _with(InteractionPart, interaction_id=InteractionId("gone")),
        _with(FileChunk, offset=5),
        _with(FileChunk, attachment_id=AttachmentId("gone")),
        _with(FileChunk, content=b"short"),
        _with(NodePut, vector=np.ones(256, np.float32)),
        _with(NodePut, vector=np.full(256, np.nan, np.float32)),
        _with(NodePut, vector=np.ones(1, np.float32)),
        _with(SegmentVector, ref=SegmentRef(InteractionId("gone"), 0)),
        _twice(BankRecord),
        _twice(NodePut),
        _twice(SegmentVector),
        _evidence_twice,
        _against_itself,
        _cyclic_merge,
    ],
)
async def test_a_spoilt_export_is_refused_and_leaves_nothing(
    lived: tuple[House, list[ExportRecord]], spoil: Callable[[list[Any]], list[Any]]
) -> None:
    house, records = lived

    with pytest.raises(ImportInvalid):
        await _imported(house, spoil(list(records)))

    await _claim_nothing_remains(house)


async def _claim_nothing_remains(house: House) -> None:
    with pytest.raises(BankNotFound):
        await get_bank(house, GetBank(key=COPY))
    root = house.blobs._root  # type: ignore[attr-defined]
    assert len([path for path in root.rglob("*") if path.is_file()]) == 2  # the exported bank's own


async def test_a_bank_of_the_highest_revision_spoils_no_export_of_the_banks_after_it(
    lived: tuple[House, list[ExportRecord]],
) -> None:
    house, records = lived
    await _imported(house, _with(ExportHeader, revision=MOST)(list(records)))
    await house.banks.delete(COPY)
    await _imported(house, records)
    written = await _exported(house, COPY)
    await house.banks.delete(COPY)

    again = await _imported(house, written)

    (header,) = [record for record in written if isinstance(record, ExportHeader)]
    assert again > header.revision > MOST


async def test_the_record_at_fault_is_named(lived: tuple[House, list[ExportRecord]]) -> None:
    house, records = lived
    place = next(i for i, record in enumerate(records) if isinstance(record, Edge))

    with pytest.raises(ImportInvalid) as refused:
        await _imported(house, _with(Edge, node_id=NodeId("gone"))(list(records)))

    assert refused.value.line == place + 1


async def test_an_import_that_breaks_off_leaves_nothing(lived: tuple[House, list[ExportRecord]]) -> None:
    house, records = lived

    async def broken() -> AsyncIterator[ExportRecord]:
        for record in records[:-1]:
            yield record
        raise BlobCorrupt("the line broke")

    with pytest.raises(BlobCorrupt):
        await import_bank(house, ImportBank(tenant=COPY.tenant, bank_id=COPY.bank_id), broken())

    await _claim_nothing_remains(house)


class Slow(MemoryStore):
    """A store whose next append waits until it is let, where it is told to; it may be lost behind it."""

    def __init__(self) -> None:
        super().__init__()
        self.reached, self.let = asyncio.Event(), asyncio.Event()
        self.waits = self.is_lost = False

    async def append(self, *given: Any, **others: Any) -> None:
        if not self.waits:
            await super().append(*given, **others)
            return
        self.waits = False
        self.reached.set()
        await self.let.wait()
        await super().append(*given, **others)
        if self.is_lost:
            raise StoreUnavailable("the answer was lost")


@pytest.mark.parametrize("times", [1, 2, 3])
async def test_an_import_that_is_left_while_it_is_stored_leaves_nothing(times: int) -> None:
    store = Slow()
    async with open_house(store=store, agents=_agents().roles) as house:
        await _lived(house)
        await work_done(house)
        records = await _exported(house)
        store.waits, before = True, asyncio.all_tasks()
        importing = asyncio.create_task(_imported(house, records))
        await store.reached.wait()

        for _ in range(times):
            importing.cancel()
            await asyncio.sleep(0)
        store.let.set()
        await asyncio.wait(asyncio.all_tasks() - before)

        assert importing.cancelled()
        await _claim_nothing_remains(house)


async def test_a_bank_that_may_have_been_stored_keeps_its_files() -> None:
    store = Slow()
    async with open_house(store=store, agents=_agents().roles) as house:
        await _lived(house)
        await work_done(house)
        records = await _exported(house)
        store.waits = store.is_lost = True
        store.let.set()

        with pytest.raises(StoreUnavailable):
            await _imported(house, records)

        opened = await read_attachment(house, ReadAttachment(key=COPY, attachment_id=PICTURE))
        assert b"".join([chunk async for chunk in opened.chunks]) == BYTES


async def test_an_import_keeps_the_limits(lived: tuple[House, list[ExportRecord]]) -> None:
    house, records = lived
    small = with_settings(house, limits=Limits(attachment_bytes=100))

    with pytest.raises(LimitReached):
        await _imported(small, records)
    with pytest.raises(LimitReached):
        await _imported(with_settings(house, limits=Limits(nodes_per_bank=1)), records)

    await _claim_nothing_remains(house)


async def test_vectors_of_another_embedder_are_refused(lived: tuple[House, list[ExportRecord]]) -> None:
    house, records = lived
    record = next(r for r in records if isinstance(r, BankRecord))
    space = EmbeddingSpace(name="another", dimension=record.space.dimension)

    with pytest.raises(EmbeddingSpaceMismatch):
        await _imported(house, _with(BankRecord, space=space)(list(records)))

    await _claim_nothing_remains(house)


def test_every_kind_of_record_has_its_place() -> None:
    assert set(RANKS) == set(get_args(ExportRecord))


@pytest.mark.slow
async def test_a_bank_of_many_steps_is_founded_in_several_changes_all_or_none() -> None:
    async with open_house() as house:
        await make_bank(house)
        for first in range(0, 4_500, 100):
            nodes = tuple(NewNode(summary=f"节点 {n}") for n in range(first, first + 100))
            await add_nodes(house, AddNodes(key=KEY, nodes=nodes))
        records = await _exported(house)

        revision = await _imported(house, records)

        before, after = await _state(house, KEY), await _state(house, COPY)
        assert revision == before.head.revision == 46
        assert [encode(put) for put in after.nodes] == [encode(put) for put in before.nodes]
        assert [change.revision for change in await house.store.changes(COPY, after.head.uid, 44, 9)] == [
            45,
            46,
        ]
