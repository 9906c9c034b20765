"""What is large: a context of many megabytes, a message over the limit, a document of many pages."""

import random
import time
from pathlib import Path

import psutil
import pytest

from memorybank.v1.errors_pb2 import ERROR_REASON_MESSAGE_TOO_LARGE
from memorybank.v1.memory_bank_pb2 import MemorizeResponse
from memorybank.v1.retrieval_pb2 import SEARCH_MODE_ATTRIBUTE, SEARCH_TARGET_SEGMENTS
from memorybank.v1.types_pb2 import STRUCTURING_STATE_DONE, STRUCTURING_STATE_PENDING, WAIT_STORED, Wait
from memorybank_client import MemoryBankClient, ResourceExhausted
from tests.support import long_document
from tests.support.process import Server, served_process
from tests.support.scale import scaled

BANK = "large"
MEGABYTES = 1
PAGES = 3
SAMPLE = 15
BUSY = {"grpc.drain_seconds": "0"}


def megabytes(server: Server) -> float:
    """What the process holds in memory now."""
    return float(psutil.Process(server.pid).memory_info().rss / 1e6)


async def memorized(client: MemoryBankClient, text: str, wait: Wait.ValueType) -> MemorizeResponse:
    """The last word on a text that is streamed up."""
    events = client.memorize_stream(text, bank_id=BANK, wait=wait)
    *_, last = [event async for event in events]
    return last.result


async def traced(client: MemoryBankClient, sentence: str, interaction_id: str) -> tuple[int, str]:
    """The verbatim place of the segment that holds a sentence: where it begins, and what stands there."""
    found = await client.search(bank_id=BANK, text=sentence, target=SEARCH_TARGET_SEGMENTS, top_k=5)
    segment = next((hit.segment for hit in found.hits if sentence in hit.segment.text), None)
    assert segment is not None, f"not found: {sentence}"
    start, end = segment.offset, segment.offset + len(segment.text)
    record = await client.get_interaction(bank_id=BANK, interaction_id=interaction_id, start=start, end=end)
    (interaction,) = record.interactions
    return interaction.text_offset, interaction.text


@pytest.mark.slow
async def test_a_context_of_many_megabytes_is_streamed_in_and_searched_before_it_is_structured(
    tmp_path: Path,
) -> None:
    paragraph = "Row {n} of the ledger names the mill of Harwick, its tenant and the rent of {n} crowns. " * 4
    parts: list[str] = []
    size = 0
    while size < scaled(MEGABYTES) * 1_000_000:
        parts.append(paragraph.format(n=len(parts)))
        size += len(parts[-1]) + 2
    text, marked = "\n\n".join(parts), len(parts) * 2 // 3
    async with served_process(tmp_path, BUSY) as server, server.client() as client:
        await client.create_bank(bank_id=BANK)
        before, start = megabytes(server), time.perf_counter()

        told = await memorized(client, text, WAIT_STORED)

        seconds, held = time.perf_counter() - start, megabytes(server)
        assert told.state == STRUCTURING_STATE_PENDING
        start = time.perf_counter()
        found = await client.search(
            bank_id=BANK, text=f"{marked}", target=SEARCH_TARGET_SEGMENTS, mode=SEARCH_MODE_ATTRIBUTE, top_k=1
        )
        searched = time.perf_counter() - start
        segment = found.hits[0].segment
        assert segment.text == parts[marked].strip()
        assert text[segment.offset :].startswith(segment.text)
        counts = (await client.get_bank(bank_id=BANK)).counts
        print(
            f"{size / 1e6:.0f} MB stored in {seconds:.1f} s as {counts.segments:,} segments, memory {before:.0f} → "
            f"{held:.0f} MB; the first search, beside its structuring, took {1_000 * searched:.0f} ms"
        )


async def test_a_message_over_the_limit_is_refused_with_what_to_do_instead(tmp_path: Path) -> None:
    async with served_process(tmp_path) as server, server.client() as client:
        await client.create_bank(bank_id=BANK)

        for size in (17_000_000, 80_000_000):  # read, and beyond reading
            with pytest.raises(ResourceExhausted) as refused:
                await client.memorize(bank_id=BANK, text="长" * (size // 3))
            if size < 64_000_000:
                assert refused.value.reason == ERROR_REASON_MESSAGE_TOO_LARGE
                assert "MemorizeStream" in refused.value.metadata["remedy"]

        answer = await client.get_bank(bank_id=BANK)
        assert (answer.revision, answer.counts.interactions) == (1, 0)


@pytest.mark.slow
async def test_any_sentence_of_a_long_document_is_found_and_traced_to_its_verbatim_place(
    tmp_path: Path,
) -> None:
    made = list(long_document.pages(scaled(PAGES)))
    text = "\n\n".join(page for page, _ in made)
    sentences = [sentence for _, said in made for sentence in said]
    async with served_process(tmp_path, BUSY) as server, server.client() as client:
        await client.create_bank(bank_id=BANK)
        client = client.within(3_600)
        before, start = megabytes(server), time.perf_counter()

        told = await memorized(client, text, Wait.Value("WAIT_STRUCTURED"))

        seconds, held = time.perf_counter() - start, megabytes(server)
        assert told.state == STRUCTURING_STATE_DONE
        counts = (await client.get_bank(bank_id=BANK)).counts
        print(
            f"{len(made)} pages, {len(text):,} characters, {len(sentences):,} sentences: ingested in {seconds:.1f} s, "
            f"memory {before:.0f} → {held:.0f} MB, {counts.segments:,} segments, {counts.nodes} nodes, {counts.edges} "
            f"edges, {counts.merges} merges, {counts.open_conflicts} conflicts"
        )
        print(", ".join(f"{role.role} {role.milliseconds / 1_000:.1f} s" for role in told.usage.roles))
        for sentence in random.Random(11).sample(sentences, SAMPLE):
            offset, verbatim = await traced(client, sentence, told.interaction_id)
            assert sentence in verbatim
            assert text[offset : offset + len(verbatim)] == verbatim
