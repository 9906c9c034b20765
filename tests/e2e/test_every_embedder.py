"""Judging does not depend on who makes vectors: a conflict, its verdict and a merge with each embedder, over the wire.

The worked examples show the same with the local one. A bank whose callers bring vectors has nodes from its callers
alone, so nothing is judged there.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memorybank.v1.types_pb2 import (
    CONFLICT_STATUS_RESOLVED,
    MERGE_REASON_MERGE,
    SPACE_SOURCE_CLIENT,
    TASK_STATUS_SUCCEEDED,
    EmbeddingSpace,
    TaskReport,
)
from memorybank_client import InvalidArgument, MemoryBankClient
from service.assembly.server import running
from tests.support import embedding_endpoint
from tests.support.server import settings_for

BANK = "case"
NINE, ELEVEN = "The ferry to Naxos leaves at 9:00.", "The ferry to Naxos leaves at 11:00."
NOON, TWELVE = "The harbour office in Naxos opens at noon.", "The harbour office in Naxos opens at 12:00."


@pytest.fixture(params=["light", "openai"])
def section(request: pytest.FixtureRequest) -> Iterator[dict[str, object]]:
    """The embedder's settings."""
    if request.param == "light":
        yield {"kind": "light"}
        return
    with embedding_endpoint.serving() as endpoint:
        dimension = embedding_endpoint.DIMENSION
        yield {"kind": "openai", "base_url": endpoint.url, "model": "m", "dimension": dimension}


async def test_a_conflict_its_verdict_and_a_merge(tmp_path: Path, section: dict[str, object]) -> None:
    async with (
        running(settings_for(tmp_path, embedder=section)) as address,
        MemoryBankClient(str(address)) as client,
    ):
        await client.start_task(bank_id=BANK, goal="When does the ferry to Naxos leave?")
        await client.memorize(bank_id=BANK, text=NINE)

        (conflict_id,) = (await client.memorize(bank_id=BANK, text=ELEVEN)).conflict_ids

        (conflict,) = (await client.list_conflicts(bank_id=BANK)).conflicts
        assert {side.quote for side in conflict.sides} == {NINE, ELEVEN}
        report = TaskReport(
            type="CROSS_VALIDATION", description=conflict.description, status=TASK_STATUS_SUCCEEDED
        )
        await client.advance_task(bank_id=BANK, task=report, text=ELEVEN, conflict_id=conflict_id)
        (closed,) = (await client.list_conflicts(bank_id=BANK, statuses=[CONFLICT_STATUS_RESOLVED])).conflicts
        upheld = (await client.get_node(bank_id=BANK, node_id=closed.node_id)).node
        assert (closed.conflict_id, "11:00" in upheld.summary, "9:00" in upheld.summary) == (
            conflict_id,
            True,
            False,
        )

        await client.memorize(bank_id=BANK, text=NOON)
        (merge,) = (await client.memorize(bank_id=BANK, text=TWELVE)).merges
        lineage = await client.get_lineage(bank_id=BANK, node_id=merge.into_node_id)
        assert [record.reason for record in lineage.merges] == [MERGE_REASON_MERGE]


async def test_where_callers_bring_vectors_words_to_structure_are_refused_by_name(tmp_path: Path) -> None:
    space = EmbeddingSpace(name="own", dimension=8, source=SPACE_SOURCE_CLIENT)
    async with running(settings_for(tmp_path)) as address, MemoryBankClient(str(address)) as client:
        await client.create_bank(bank_id=BANK, embedding_space=space)
        with pytest.raises(InvalidArgument, match="bank_id: callers bring this bank's vectors"):
            await client.memorize(bank_id=BANK, text=NINE)
        assert (await client.get_bank(bank_id=BANK)).counts.interactions == 0
