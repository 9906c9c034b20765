"""How long AddTurns takes beside AddNode at the client: one turn, one node with its vector, of about as many words.

    python -m tests.bench.bench_add_turns [--calls 200] [--pause 0.05]

The real server in a process of its own, one call at a time, the two by turns. Between two calls stands a pause, in
which what follows from a turn (its vectors, its cluster) is done: a call is not to pay for the one before it.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import grpc
import numpy as np

from memorybank.v1 import (
    conversation_pb2,
    conversation_pb2_grpc,
    memory_bank_pb2,
    memory_bank_pb2_grpc,
    query_graph_pb2,
    query_graph_pb2_grpc,
)
from tests.bench.corpus import Corpus
from tests.bench.measuring import table
from tests.support.process import server_process

BANK, WHOSE = "measured", {"user": "ada", "conversation_id": "measured"}
WARM = 20  # calls of each before any counts


async def measured(calls: int, pause: float) -> list[tuple[str, ...]]:
    """A row for each call: milliseconds at the client, and how many times AddNode's."""
    corpus = Corpus(calls + WARM)
    with tempfile.TemporaryDirectory() as folder:
        async with (
            server_process(Path(folder)) as server,
            grpc.aio.insecure_channel(server.address) as channel,
        ):
            banks = memory_bank_pb2_grpc.MemoryBankStub(channel)
            await banks.CreateBank(memory_bank_pb2.CreateBankRequest(bank_id=BANK))
            nodes, talk = (
                query_graph_pb2_grpc.QueryGraphStub(channel),
                conversation_pb2_grpc.ConversationStub(channel),
            )

            def node(number: int) -> Awaitable[object]:
                new = corpus.node(number)
                return nodes.AddNode(
                    query_graph_pb2.AddNodeRequest(
                        bank_id=BANK,
                        summary=new.summary,
                        context=new.context,
                        keywords=new.keywords,
                        embedding=new.embedding,
                    )
                )

            def turn(number: int) -> Awaitable[object]:
                new = corpus.node(number)
                said = conversation_pb2.Turn(input=new.context, reply=new.summary)
                return talk.AddTurns(conversation_pb2.AddTurnsRequest(turns=[said], **WHOSE))

            made: dict[str, Callable[[int], Awaitable[object]]] = {"AddNode": node, "AddTurns": turn}
            took: dict[str, list[float]] = {name: [] for name in made}
            for number in range(calls + WARM):
                for name, call in made.items():
                    start = time.perf_counter()
                    await call(number)
                    took[name].append(time.perf_counter() - start)
                    await asyncio.sleep(pause)
    base = float(np.median(took["AddNode"][WARM:]))
    return [
        (
            name,
            *(f"{1e3 * each:.2f}" for each in np.percentile(times[WARM:], [50, 95])),
            f"{float(np.median(times[WARM:])) / base:.2f}",
        )
        for name, times in took.items()
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--pause", type=float, default=0.05)
    options = parser.parse_args()
    rows = asyncio.run(measured(options.calls, options.pause))
    print(table(("call", "p50 ms", "p95 ms", "x AddNode"), rows))
