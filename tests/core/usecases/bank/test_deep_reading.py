"""From summaries down to verbatim records and files; watching a bank."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from core.aggregate.change import Change
from core.errors import (
    AttachmentNotFound,
    AttachmentUnreadable,
    BankNotFound,
    InteractionNotFound,
    InvalidField,
    LimitReached,
    NodeNotFound,
    RequestIdReused,
)
from core.ids import AttachmentId, InteractionId, NodeId
from core.model.interaction import Attachment
from core.model.structuring import StructuringState
from core.usecases.bank.record import Context, Message
from core.usecases.bank.verbs.add_nodes import AddNodes, NewNode, add_nodes
from core.usecases.bank.verbs.delete_bank import DeleteBank, delete_bank
from core.usecases.bank.verbs.get_interaction import GetInteraction, get_interaction
from core.usecases.bank.verbs.list_interactions import ListInteractions, list_interactions
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.bank.verbs.merge_nodes import MergeNodes, merge_nodes
from core.usecases.bank.verbs.read_attachment import ReadAttachment, read_attachment
from core.usecases.bank.verbs.upload_attachment import UploadAttachment, upload_attachment
from core.usecases.bank.verbs.watch_bank import WatchBank, watch_bank
from core.usecases.house import House
from core.usecases.limits import Limits
from core.usecases.paging import BY_NUMBER_ID_AND_OFFSET, place_of, token_of
from tests.support.house import KEY, make_bank, open_house, request

A, B = NodeId("a"), NodeId("b")
FILE = AttachmentId("f")


async def _chunks(*pieces: bytes) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


async def _upload(house: House, *pieces: bytes) -> Attachment:
    command = UploadAttachment(key=KEY, attachment_id=FILE, type="image", media_type="image/png")
    return (await upload_attachment(house, command, _chunks(*pieces))).result.attachment


async def _text_of(house: House, **asked: object) -> str:
    """All pages of one request, joined."""
    text, token = "", ""
    while True:
        page = await get_interaction(house, GetInteraction(key=KEY, page_token=token, **asked))  # type: ignore[arg-type]
        text += "".join(seen.text for seen in page.interactions)
        token = page.next_page_token
        if not token:
            return text


# ---- interactions ----


async def test_a_merged_node_leads_to_the_records_of_all_it_absorbed() -> None:
    async with open_house() as house:
        await make_bank(house)
        nodes = (
            NewNode(node_id=A, summary="a", verbatim="甲的原文。"),
            NewNode(node_id=B, summary="b", verbatim="B's own."),
        )
        await add_nodes(house, AddNodes(key=KEY, nodes=nodes))
        merged = await merge_nodes(house, MergeNodes(key=KEY, node_ids=(A, B), summary="s"))

        read = await get_interaction(house, GetInteraction(key=KEY, node_id=A))

        assert read.node_id == merged.result.node.node_id
        assert [seen.text for seen in read.interactions] == ["甲的原文。", "B's own."]
        assert read.interactions[0].node_ids == (read.node_id,)
        assert read.interactions[0].segments[0].text == "甲的原文。"
        assert read.interactions[0].structuring is None


async def test_a_memorized_record_shows_its_messages_and_how_far_it_is_structured() -> None:
    async with open_house() as house:
        await make_bank(house)
        messages = (
            Message(text="你好", speaker="李雷", message_id="m1"),
            Message(text="Hello", speaker="Han"),
        )
        memory = await memorize(house, Memorize(key=KEY, context=Context(messages=messages, source="chat")))

        (seen,) = (
            await get_interaction(house, GetInteraction(key=KEY, interaction_id=memory.interaction_id))
        ).interactions

        assert [(s.speaker, s.text, s.message_id) for s in seen.segments] == [
            ("李雷", "你好", "m1"),
            ("Han", "Hello", ""),
        ]
        assert seen.structuring is not None
        assert (seen.structuring.state, len(seen.clusters), seen.node_ids) == (
            StructuringState.DONE,
            1,
            memory.node_ids,
        )


@pytest.mark.slow
async def test_a_long_text_is_read_in_pages_that_join_to_the_whole() -> None:
    async with open_house() as house:
        await make_bank(house)
        text = "一段很长的话，没有尽头。" * 100_000
        await add_nodes(house, AddNodes(key=KEY, nodes=(NewNode(node_id=A, summary="a", verbatim=text),)))

        first = await get_interaction(house, GetInteraction(key=KEY, node_id=A))

        assert len(first.interactions[0].text.encode()) <= 1_048_576
        assert await _text_of(house, node_id=A) == text


@pytest.mark.parametrize("offset", [-1, 2**70])
async def test_a_token_forged_leads_nowhere_outside_the_text(offset: int) -> None:
    async with open_house() as house:
        await make_bank(house)
        text = "一段很长的话，没有尽头。" * 32_000
        await add_nodes(house, AddNodes(key=KEY, nodes=(NewNode(node_id=A, summary="a", verbatim=text),)))
        command = GetInteraction(key=KEY, node_id=A)
        first = await get_interaction(house, command)
        place = place_of(command, first.next_page_token, BY_NUMBER_ID_AND_OFFSET) or ()

        forged = replace(command, page_token=token_of(command, (*place[:2], offset)))
        (seen,) = (await get_interaction(house, forged)).interactions

        assert 0 <= seen.text_offset <= len(text)


async def test_a_range_cuts_each_text_and_names_the_segments_it_touches() -> None:
    async with open_house() as house:
        await make_bank(house)
        text = "First paragraph.\n\n第二段。\n\nThird."
        added = await add_nodes(
            house, AddNodes(key=KEY, nodes=(NewNode(node_id=A, summary="a", verbatim=text),))
        )
        (record,) = added.result.nodes[0].interaction_ids

        read = await get_interaction(house, GetInteraction(key=KEY, interaction_id=record, start=6, end=20))

        (seen,) = read.interactions
        assert (seen.text, seen.text_offset) == (text[6:20], 6)
        assert [s.text for s in seen.segments] == ["First paragraph.", "第二段。"]


async def test_pages_of_records_together_are_all_of_them() -> None:
    async with open_house() as house:
        await make_bank(house)
        nodes = tuple(NewNode(node_id=NodeId(f"n{n}"), summary="s", verbatim=f"记录 {n}。") for n in range(5))
        added = await add_nodes(house, AddNodes(key=KEY, nodes=nodes))
        records = tuple(node.interaction_ids[0] for node in added.result.nodes)
        await add_nodes(
            house, AddNodes(key=KEY, nodes=(NewNode(node_id=A, summary="all", interaction_ids=records),))
        )

        assert await _text_of(house, node_id=A, page_size=2) == "".join(f"记录 {n}。" for n in range(5))


async def test_what_is_not_there_is_said_so() -> None:
    async with open_house() as house:
        await make_bank(house)

        with pytest.raises(NodeNotFound):
            await get_interaction(house, GetInteraction(key=KEY, node_id=A))
        with pytest.raises(InteractionNotFound):
            await get_interaction(house, GetInteraction(key=KEY, interaction_id=InteractionId("i")))
        with pytest.raises(InvalidField):
            await get_interaction(house, GetInteraction(key=KEY))


async def test_records_are_listed_as_asked_for_in_the_order_they_were_learned() -> None:
    async with open_house() as house:
        await make_bank(house)
        first = await memorize(
            house, Memorize(key=KEY, context=Context(text="一", source="book", labels={"k": "v"}))
        )
        second = await memorize(house, Memorize(key=KEY, context=Context(text="two", source="book")))
        await memorize(house, Memorize(key=KEY, context=Context(text="three", source="web")))

        page = await list_interactions(
            house, ListInteractions(key=KEY, sources=frozenset({"book"}), page_size=1)
        )
        rest = await list_interactions(
            house, ListInteractions(key=KEY, sources=frozenset({"book"}), page_token=page.next_page_token)
        )
        labelled = await list_interactions(house, ListInteractions(key=KEY, labels={"k": "v"}))
        failed = await list_interactions(
            house, ListInteractions(key=KEY, states=frozenset({StructuringState.FAILED}))
        )

        listed = [seen.interaction.interaction_id for seen in (*page.interactions, *rest.interactions)]
        assert listed == [first.interaction_id, second.interaction_id]
        assert [seen.interaction.interaction_id for seen in labelled.interactions] == [first.interaction_id]
        assert (page.interactions[0].text, failed.interactions) == ("", ())


# ---- files ----


async def test_an_uploaded_file_is_read_back_from_any_offset() -> None:
    async with open_house() as house:
        await make_bank(house)

        command = UploadAttachment(key=KEY, attachment_id=FILE, type="image")
        uploaded = await upload_attachment(house, command, _chunks(b"0123", b"456789"))

        assert (uploaded.revision, uploaded.result.attachment.size) == (2, 10)
        assert uploaded.result.sha256 == sha256(b"0123456789").hexdigest()
        opened = await read_attachment(house, ReadAttachment(key=KEY, attachment_id=FILE, offset=3, limit=4))
        assert b"".join([chunk async for chunk in opened.chunks]) == b"3456"
        with pytest.raises(InvalidField):
            await read_attachment(house, ReadAttachment(key=KEY, attachment_id=FILE, offset=11))


async def test_nothing_remains_of_a_file_whose_bank_is_purged_as_it_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with open_house() as house:
        await make_bank(house)
        async with house.banks.reading(KEY) as bank:
            uid = bank.uid
        put = house.blobs.put

        async def put_late(*given: Any) -> tuple[str, int]:
            await delete_bank(house, DeleteBank(key=KEY))
            await make_bank(house)
            return await put(*given)

        monkeypatch.setattr(house.blobs, "put", put_late)
        with pytest.raises(BankNotFound):
            await _upload(house, b"0123")

        assert await house.blobs.delete_all(KEY, uid) == 0


async def test_a_repeated_upload_keeps_one_file() -> None:
    async with open_house() as house:
        await make_bank(house)
        command = UploadAttachment(key=KEY, request=request("r1"))
        first = await upload_attachment(house, command, _chunks(b"same"))

        again = await upload_attachment(house, command, _chunks(b"sa", b"me"))

        assert (again.result, again.replayed) == (first.result, True)
        with pytest.raises(RequestIdReused):
            await upload_attachment(house, command, _chunks(b"other"))
        assert (await delete_bank(house, DeleteBank(key=KEY))).counts.files_removed == 1


async def test_a_file_over_the_limit_or_under_a_taken_id_leaves_nothing() -> None:
    async with open_house(limits=Limits(attachment_bytes=5)) as house:
        await make_bank(house)
        with pytest.raises(LimitReached):
            await _upload(house, b"123", b"456")
        await _upload(house, b"12345")

        with pytest.raises(InvalidField):
            await _upload(house, b"1")

        assert (await delete_bank(house, DeleteBank(key=KEY))).counts.files_removed == 1


async def test_a_small_file_comes_with_its_record_and_one_elsewhere_is_only_named() -> None:
    async with open_house() as house:
        await make_bank(house)
        await _upload(house, b"pixels")
        files = (
            Attachment(attachment_id=FILE, type="image", uri=""),
            Attachment(attachment_id=AttachmentId("web"), type="document", uri="https://example.org/x"),
        )
        memory = await memorize(
            house, Memorize(key=KEY, context=Context(text="见图 f 和 web", attachments=files))
        )
        node_id = memory.node_ids[0]

        kept = await get_interaction(house, GetInteraction(key=KEY, node_id=node_id, attachment_id=FILE))
        named = await get_interaction(
            house, GetInteraction(key=KEY, node_id=node_id, attachment_id=AttachmentId("web"))
        )

        assert kept.attachment is not None
        assert (kept.attachment.stored, kept.content) == (True, b"pixels")
        assert named.attachment is not None
        assert (named.attachment.uri, named.content) == ("https://example.org/x", None)
        with pytest.raises(AttachmentNotFound):
            await get_interaction(
                house, GetInteraction(key=KEY, node_id=node_id, attachment_id=AttachmentId("no"))
            )
        with pytest.raises(AttachmentUnreadable):
            await read_attachment(house, ReadAttachment(key=KEY, attachment_id=AttachmentId("web")))
        with pytest.raises(AttachmentNotFound):
            await read_attachment(house, ReadAttachment(key=KEY, attachment_id=AttachmentId("no")))


# ---- watching ----


async def test_a_watcher_sees_every_revision_and_the_end() -> None:
    async with open_house() as house:
        await make_bank(house)
        watching = await watch_bank(house, WatchBank(key=KEY, from_revision=0))
        seen: list[int | str] = []
        caught_up = asyncio.Event()

        async def follow() -> None:
            async for change in watching.changes:
                seen.append(change.revision if isinstance(change, Change) else change.uid)
                if len(seen) == 4:
                    caught_up.set()

        follower = asyncio.create_task(follow())
        for n in range(3):
            await add_nodes(house, AddNodes(key=KEY, nodes=(NewNode(summary=f"{n}"),)))
        async with house.banks.reading(KEY) as bank:
            uid = bank.uid
        await asyncio.wait_for(caught_up.wait(), 180)
        await delete_bank(house, DeleteBank(key=KEY))
        await asyncio.wait_for(follower, 180)

        assert seen == [1, 2, 3, 4, uid]


async def test_a_watcher_from_now_on_is_told_from_where() -> None:
    async with open_house() as house:
        await make_bank(house)
        await add_nodes(house, AddNodes(key=KEY, nodes=(NewNode(summary="s"),)))

        watching = await watch_bank(house, WatchBank(key=KEY))

        assert watching.from_revision == 2
