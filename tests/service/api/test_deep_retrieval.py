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


async def test_a_small_file_comes_with_its_record(service: Service) -> None:
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
