"""DeepRetrieval over a real channel: from a summary down to the words it came from."""

import hashlib

import grpc

from memorybank.v1 import deep_retrieval_pb2 as pb
from memorybank.v1 import memory_bank_pb2 as bank
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1 import types_pb2
from tests.support.server import Service, refused, stream_refused

TEXT = "公司的CEO是张三。\n\n公司成立于1999年，总部在杭州。"


async def memory(service: Service) -> bank.MemorizeResponse:
    await service.bank.CreateBank(bank.CreateBankRequest(bank_id="b1"))
    return await service.bank.Memorize(bank.MemorizeRequest(bank_id="b1", text=TEXT, source="news"))


async def upload(service: Service, content: bytes) -> bank.UploadAttachmentResponse:
    pieces = [content[start : start + 500_000] for start in range(0, len(content), 500_000)]
    header = bank.UploadAttachmentHeader(bank_id="b1", attachment_id="a1")
    requests = [
        bank.UploadAttachmentRequest(header=header),
        *(bank.UploadAttachmentRequest(chunk=piece) for piece in pieces),
    ]
    return await service.bank.UploadAttachment(iter(requests))


async def test_a_node_leads_to_its_verbatim_record(service: Service) -> None:
    memorized = await memory(service)

    read = await service.deep.GetInteraction(
        pb.GetInteractionRequest(bank_id="b1", node_id=memorized.node_ids[0])
    )

    record = read.interactions[0]
    assert record.text == TEXT
    assert record.text_length == len(TEXT)
    assert [TEXT[s.start : s.end].strip() for s in record.segments] == TEXT.split("\n\n")
    assert record.structuring.state == types_pb2.STRUCTURING_STATE_DONE
    assert record.source == "news"


async def test_a_range_of_a_record_is_read(service: Service) -> None:
    memorized = await memory(service)

    read = await service.deep.GetInteraction(
        pb.GetInteractionRequest(bank_id="b1", interaction_id=memorized.interaction_id, start=4, end=7)
    )

    assert (read.interactions[0].text, read.interactions[0].text_offset) == (TEXT[4:7], 4)


async def test_records_are_listed_page_by_page_without_their_texts(service: Service) -> None:
    await memory(service)
    await service.bank.Memorize(bank.MemorizeRequest(bank_id="b1", text="The second record.", source="mail"))

    first = await service.deep.ListInteractions(pb.ListInteractionsRequest(bank_id="b1", page_size=1))
    rest = await service.deep.ListInteractions(
        pb.ListInteractionsRequest(bank_id="b1", page_size=1, page_token=first.next_page_token)
    )
    mails = await service.deep.ListInteractions(pb.ListInteractionsRequest(bank_id="b1", sources=["mail"]))

    assert [i.source for i in (*first.interactions, *rest.interactions)] == ["news", "mail"]
    assert first.interactions[0].text == ""
    assert rest.next_page_token == ""
    assert [i.source for i in mails.interactions] == ["mail"]


async def test_a_file_is_read_back_from_any_offset(service: Service) -> None:
    await memory(service)
    content = bytes(range(256)) * 10_000
    kept = await upload(service, content)

    whole = [
        a
        async for a in service.deep.ReadAttachment(pb.ReadAttachmentRequest(bank_id="b1", attachment_id="a1"))
    ]
    rest = [
        a
        async for a in service.deep.ReadAttachment(
            pb.ReadAttachmentRequest(bank_id="b1", attachment_id="a1", offset=2_000_000, limit=10)
        )
    ]

    assert b"".join(a.content for a in whole) == content
    assert kept.sha256 == hashlib.sha256(content).hexdigest()
    assert whole[0].attachment == kept.attachment
    assert rest[0].offset == 2_000_000
    assert b"".join(a.content for a in rest) == content[2_000_000:2_000_010]


async def test_a_small_file_comes_without_its_record(service: Service) -> None:
    await memory(service)
    await upload(service, b"a picture")
    memorized = await service.bank.Memorize(
        bank.MemorizeRequest(
            bank_id="b1", text="See [a1].", attachments=[types_pb2.Attachment(attachment_id="a1")]
        )
    )

    read = await service.deep.GetInteraction(
        pb.GetInteractionRequest(bank_id="b1", interaction_id=memorized.interaction_id, attachment_id="a1")
    )

    assert read.content == b"a picture"
    assert read.attachment.stored
    assert not read.interactions


async def test_a_file_that_lies_elsewhere_is_not_read(service: Service) -> None:
    await memory(service)
    await service.bank.Memorize(
        bank.MemorizeRequest(
            bank_id="b1",
            text="See [a9].",
            attachments=[
                types_pb2.Attachment(attachment_id="a9", uri="https://example.org/a9.png", type="image")
            ],
        )
    )

    refusal = await stream_refused(
        service.deep.ReadAttachment(pb.ReadAttachmentRequest(bank_id="b1", attachment_id="a9"))
    )

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "ATTACHMENT_UNREADABLE")


async def test_a_lineage_tells_what_was_absorbed_also_for_what_is_gone(service: Service) -> None:
    await memory(service)
    for name in ("x", "y", "z"):
        await service.graph.AddNode(graph.AddNodeRequest(bank_id="b1", node_id=name, summary=f"fact {name}"))
    for pair, into in ((["x", "y"], "xy"), (["xy", "z"], "xyz")):
        await service.graph.MergeNodes(
            graph.MergeNodesRequest(bank_id="b1", node_ids=pair, new_node_id=into, summary=into)
        )

    lineage = await service.deep.GetLineage(pb.GetLineageRequest(bank_id="b1", node_id="x"))

    assert lineage.node_id == "xyz"
    assert [m.into_node_id for m in lineage.merges] == ["xyz", "xy"]
    assert [n.node_id for n in lineage.merges[1].absorbed] == ["x", "y"]


async def test_a_record_that_is_not_there_is_not_found(service: Service) -> None:
    await memory(service)

    refusal = await refused(
        service.deep.GetInteraction(pb.GetInteractionRequest(bank_id="b1", interaction_id="i-none"))
    )

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "INTERACTION_NOT_FOUND")


PARAGRAPHS = [
    f"第{number}章：灯塔建于{1500 + number}年，看守人姓{name}。"
    for number, name in enumerate("赵钱孙李" * 20)
]


async def chapters(service: Service) -> str:
    await service.bank.CreateBank(bank.CreateBankRequest(bank_id="b1"))
    kept = await service.bank.Memorize(
        bank.MemorizeRequest(
            bank_id="b1",
            messages=[types_pb2.Message(text=text) for text in PARAGRAPHS],
        )
    )
    return kept.interaction_id


async def passages(service: Service, record: str, **wanted: object) -> pb.GetInteractionResponse:
    return await service.deep.GetInteraction(
        pb.GetInteractionRequest(
            bank_id="b1",
            interaction_id=record,
            passages=pb.Passages(**wanted),  # type: ignore[arg-type]
        )
    )


async def test_a_segment_is_read_with_what_stands_around_it(service: Service) -> None:
    record = await chapters(service)

    alone = (await passages(service, record, segment=51, surroundings=0)).interactions
    around = (await passages(service, record, segment=51, surroundings=30)).interactions

    assert [piece.text for piece in alone] == [PARAGRAPHS[51]]
    (piece,) = around
    assert PARAGRAPHS[51] in piece.text
    assert [span.index for span in piece.segments] == [49, 50, 51, 52, 53]
    assert piece.segments[0].start == piece.text_offset


async def test_what_answers_a_query_inside_a_record_comes_first_and_nothing_twice(service: Service) -> None:
    record = await chapters(service)

    found = (await passages(service, record, query=PARAGRAPHS[37], surroundings=20)).interactions

    assert PARAGRAPHS[37] in found[0].text
    read = [span.index for piece in found for span in piece.segments]
    assert len(read) == len(set(read)) < len(PARAGRAPHS)


async def test_passages_are_read_page_by_page(service: Service) -> None:
    record = await chapters(service)
    asked = pb.GetInteractionRequest(
        bank_id="b1", interaction_id=record, page_size=1, passages=pb.Passages(query="钱", surroundings=0)
    )

    texts: list[str] = []
    while not texts or asked.page_token:
        page = await service.deep.GetInteraction(asked)
        texts += [piece.text for piece in page.interactions]
        asked.page_token = page.next_page_token

    assert len(texts) == len(set(texts)) == 5


async def test_passages_that_cannot_be_are_refused_by_name(service: Service) -> None:
    record = await chapters(service)
    wrong = [
        (pb.GetInteractionRequest(interaction_id=record, start=3, passages=pb.Passages()), "start"),
        (pb.GetInteractionRequest(node_id="n", passages=pb.Passages(segment=1)), "passages.segment"),
        (
            pb.GetInteractionRequest(interaction_id=record, passages=pb.Passages(segment=1, query="灯塔")),
            "passages.segment",
        ),
        (
            pb.GetInteractionRequest(interaction_id=record, passages=pb.Passages(segment=80)),
            "passages.segment",
        ),
        (
            pb.GetInteractionRequest(interaction_id=record, passages=pb.Passages(surroundings=-1)),
            "passages.surroundings",
        ),
    ]

    for request, field in wrong:
        request.bank_id = "b1"
        refusal = await refused(service.deep.GetInteraction(request))
        assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, (field,))


async def test_a_segment_is_read_by_the_end_of_its_records_id(service: Service) -> None:
    """Prompts name a segment so that no node stands for."""
    for name in ("record-11111", "record-911111", "record-32222"):
        asked = bank.MemorizeRequest(bank_id="b1", text=f"{TEXT} {name}", interaction_id=name)
        if name == "record-11111":
            await service.bank.CreateBank(bank.CreateBankRequest(bank_id="b1"))
        await service.bank.Memorize(asked)

    read = await service.deep.GetInteraction(
        pb.GetInteractionRequest(bank_id="b1", interaction_id="32222", passages=pb.Passages(segment=0))
    )
    several = await refused(
        service.deep.GetInteraction(pb.GetInteractionRequest(bank_id="b1", interaction_id="11111"))
    )
    short = await refused(
        service.deep.GetInteraction(pb.GetInteractionRequest(bank_id="b1", interaction_id="2222"))
    )

    assert [each.interaction_id for each in read.interactions] == ["record-32222"]
    assert (several.reason, several.fields) == ("INVALID_FIELD", ("interaction_id",))
    assert "record-11111, record-911111" in several.message
    assert short.reason == "INTERACTION_NOT_FOUND"  # shorter than any handle
