"""The corpus as an export: the way into a bank for more nodes than one wants to add call by call."""

import hashlib
from collections.abc import AsyncIterator, Iterator

import grpc

from memorybank.v1 import memory_bank_pb2, memory_bank_pb2_grpc, types_pb2
from tests.bench.corpus import Corpus, create_bank

TEMPLATE = "template"


async def import_corpus(channel: grpc.aio.Channel, bank_id: str, corpus: Corpus) -> None:
    """Make a bank of the corpus by ImportBank, all of it in one stream."""
    stub = memory_bank_pb2_grpc.MemoryBankStub(channel)
    await stub.CreateBank(create_bank(TEMPLATE))
    exported = stub.ExportBank(memory_bank_pb2.ExportBankRequest(bank_id=TEMPLATE))
    frame = [message.record async for message in exported][:-1]  # header, bank, insight; another trailer
    await stub.DeleteBank(memory_bank_pb2.DeleteBankRequest(bank_id=TEMPLATE))
    await stub.ImportBank(_requests(bank_id, frame, corpus))


async def _requests(
    bank_id: str, frame: list[memory_bank_pb2.ExportRecord], corpus: Corpus
) -> AsyncIterator[memory_bank_pb2.ImportBankRequest]:
    yield memory_bank_pb2.ImportBankRequest(options=memory_bank_pb2.ImportOptions(bank_id=bank_id))
    digest, count = hashlib.sha256(), 0
    for record in _records(frame, corpus):
        digest.update(record.SerializeToString(deterministic=True))
        count += 1
        yield memory_bank_pb2.ImportBankRequest(record=record)
    trailer = memory_bank_pb2.ExportTrailer(records=count, sha256=digest.hexdigest())
    yield memory_bank_pb2.ImportBankRequest(record=memory_bank_pb2.ExportRecord(trailer=trailer))


def _records(
    frame: list[memory_bank_pb2.ExportRecord], corpus: Corpus
) -> Iterator[memory_bank_pb2.ExportRecord]:
    """The frame, all nodes, then the edges: in the order of an export."""
    yield from frame
    edges: dict[tuple[str, str], None] = {}
    time = frame[0].header.time
    for number in range(len(corpus)):
        new = corpus.node(number)
        edges |= dict.fromkeys((other, new.node_id) for other in new.related_node_ids if other != new.node_id)
        node = types_pb2.Node(
            node_id=new.node_id,
            summary=new.summary,
            context=new.context,
            keywords=new.keywords,
            base_context=new.context,
            base_keywords=new.keywords,
            event_time=time,
            create_time=time,
            update_time=time,
            state=types_pb2.NODE_STATE_ACTIVE,
            source=new.source,
            embedding=new.embedding,
        )
        yield memory_bank_pb2.ExportRecord(node=node)
    for one, other in edges:
        pair = types_pb2.NodePair(node_id=one, other_node_id=other)
        yield memory_bank_pb2.ExportRecord(edge=pair)
