"""The service on a real PostgreSQL: what calls cost the database, counted on the way there, and what it cannot keep."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import numpy as np
import pytest

from memorybank.v1.types_pb2 import SPACE_SOURCE_CLIENT, EmbeddingSpace, Vector
from memorybank_client import InvalidArgument, MemoryBankClient
from service.assembly.server import running
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.postgres import cluster, empty_database
from tests.support.relay import Relay, relayed
from tests.support.server import settings_for

WARM = 6  # calls after which every statement is prepared
TEXT = """The bridge over the Aare was opened in 1931.

上海的办公室有四十名员工。

The ferry leaves from pier 3 at nine in the morning."""


@pytest.fixture
async def relay() -> AsyncIterator[Relay]:
    async with relayed(cluster().port) as between:
        yield between


@pytest.fixture
async def client(relay: Relay, tmp_path: Path) -> AsyncIterator[MemoryBankClient]:
    """Of a server that does nothing unasked meanwhile."""
    database = cluster().over_tcp(empty_database(), relay.port)
    settings = settings_for(
        tmp_path,
        store={"url": database.url, "password": database.password},
        banks={"max_staleness_seconds": 3_600, "upkeep_seconds": 3_600},
    )
    async with (
        running(settings, HashingEmbedder()) as address,
        MemoryBankClient(str(address)) as client,
    ):
        await client.create_bank(bank_id="b", goal="find out")
        yield client


async def messages(relay: Relay, call: Callable[[int], Awaitable[object]]) -> int:
    """How many a call takes once all is warm."""
    for number in range(WARM):
        await call(number)
    before = relay.messages
    await call(WARM)
    return relay.messages - before


async def test_a_warm_read_asks_the_database_nothing(relay: Relay, client: MemoryBankClient) -> None:
    """At a revision too: none comes again, so what is in memory says whether it is there."""
    added = await client.add_node(bank_id="b", summary="the bridge")
    reads: list[Callable[[int], Awaitable[object]]] = [
        lambda _: client.search(bank_id="b", text="x", min_revision=0),
        lambda _: client.search(bank_id="b", text="x", min_revision=added.revision),
        lambda _: client.list_nodes(bank_id="b"),
        lambda _: client.get_bank(bank_id="b"),
    ]

    assert [await messages(relay, read) for read in reads] == [0, 0, 0, 0]


async def test_a_node_is_added_in_one_message_and_embedded_in_one_more(
    relay: Relay, client: MemoryBankClient
) -> None:
    """The append, which is refused where the request is known. Before an embedder works, that is asked first."""
    space = EmbeddingSpace(name="mine", dimension=8, source=SPACE_SOURCE_CLIENT)
    await client.create_bank(bank_id="own", embedding_space=space)
    own = Vector(f32=np.ones(8, np.float32).tobytes())

    assert await messages(relay, lambda _: client.add_node(bank_id="own", summary="x", embedding=own)) == 1
    assert await messages(relay, lambda n: client.add_node(bank_id="b", summary=f"the bridge {n}")) == 2


async def test_a_memory_takes_no_more_messages_than_its_changes_and_three(
    relay: Relay, client: MemoryBankClient
) -> None:
    revisions = []

    async def remember(number: int) -> None:
        told = await client.memorize(bank_id="b", text=TEXT.replace("19", f"{number}9"))
        revisions.append(told.revision)

    asked = await messages(relay, remember)

    changes = revisions[-1] - revisions[-2]
    assert changes <= asked <= changes + 3


async def test_a_text_that_the_database_cannot_keep_is_an_invalid_argument(client: MemoryBankClient) -> None:
    with pytest.raises(InvalidArgument, match="NUL"):
        await client.add_node(bank_id="b", summary="a\0b")
    with pytest.raises(InvalidArgument, match="NUL"):
        await client.memorize(bank_id="b", text="桥\0梁")

    assert not (await client.list_nodes(bank_id="b")).nodes
