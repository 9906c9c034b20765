"""A context larger than any message."""

import time
from collections.abc import Iterator

import grpc
import pytest

from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import retrieval_pb2, types_pb2
from tests.support.scale import scaled
from tests.support.server import Service, held_open, serving, stream_refused

MEGABYTES = min(50, scaled(5))
RECORDS = MEGABYTES * 18_000  # of some 58 characters each
PIECE = 1_000_000


def streamed(text: str) -> Iterator[pb.MemorizeStreamRequest]:
    header = pb.MemorizeRequest(bank_id="b1", wait=types_pb2.WAIT_STORED)
    yield pb.MemorizeStreamRequest(header=header)
    for start in range(0, len(text), PIECE):
        yield pb.MemorizeStreamRequest(text=text[start : start + PIECE])


@pytest.mark.slow
async def test_many_megabytes_are_taken_in_and_any_word_of_them_is_found(service: Service) -> None:
    await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b1"))
    lines = (
        f"Record {n}: sensor {n % 97} measured {n * 31 % 1009} units at station {n % 13}."
        for n in range(RECORDS)
    )
    text = "\n\n".join(" ".join(part) for part in zip(*[lines] * 6, strict=True))
    asked = f"Record {RECORDS * 7 // 10}"
    start = time.perf_counter()

    answers = [answer async for answer in service.bank.MemorizeStream(streamed(text))]
    stored = time.perf_counter() - start
    found = await service.retrieval.Search(
        retrieval_pb2.SearchRequest(
            bank_id="b1",
            text=asked,
            mode=retrieval_pb2.SEARCH_MODE_ATTRIBUTE,  # most of it has no vectors yet
            target=retrieval_pb2.SEARCH_TARGET_SEGMENTS,
            top_k=1,
        )
    )

    print(f"\n{len(text) / 1e6:.0f} MB stored in {stored:.1f} s, {len(answers)} answers")
    segment = found.hits[0].segment
    assert len(text) > MEGABYTES * 1_000_000
    assert answers[-1].result.state == types_pb2.STRUCTURING_STATE_PENDING
    assert f"{asked}:" in segment.text
    assert text[segment.offset :].startswith(segment.text)


async def test_a_context_over_the_limit_is_refused_while_it_comes_and_nothing_is_stored() -> None:
    async with serving(limits={"context_characters": 3_000_000}) as service:
        await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b1"))

        refusal = await stream_refused(service.bank.MemorizeStream(held_open(streamed("x" * 3_000_001))))

        assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "LIMIT_REACHED")
        assert refusal.metadata["limit"] == "context_characters"
        assert await service.revision("b1") == 1
