"""What contexts take of a server's processor, beside GetNode, and how many it makes a second; beside another checkout.

    python -m tests.bench.bench_context_served [--data FOLDER] [--against CHECKOUT] [--calls 60] [--rounds 2]

A server over the memories that `bench_context` fills (FOLDER, if they are there already). All questions are asked once
before it counts, so their vectors are at hand: what is left is the context. "calls/s": with eight callers at once.
Servers of two checkouts, each over a copy of the data, take turns; "÷" says how many times the other's this one takes,
and of calls a second how many times as many it makes.
"""

import argparse
import asyncio
import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import grpc

from evaluation.locomo import read
from memorybank.v1 import query_graph_pb2, query_graph_pb2_grpc, retrieval_pb2
from service.assembly.bootstrap import open_house
from service.config import load_settings
from tests.bench.bench_context import BANK, FACTS, TALK, USER, fill
from tests.bench.bench_conversation import CONVERSATIONS
from tests.bench.bench_overload import ASSEMBLE_CONTEXT
from tests.bench.bench_service import GET_NODE, LARGEST
from tests.bench.measuring import Sample, closed_loop, rests, table, together
from tests.support.process import server_process

AT_ONCE = 8
BUDGET = 4_000
AUGMENT = "/memorybank.v1.Retrieval/Augment"
HEADER = ("call", "CPU ms", "÷ GetNode", "calls/s", "CPU ÷ other's", "calls/s ÷ other's")


class Asked:
    """A server, and the calls that are put to it: a method each, and its requests."""

    def __init__(self, channel: Any, pid: int, calls: Mapping[str, tuple[str, list[bytes]]]):
        self._channel, self._pid, self.calls = channel, pid, calls

    async def sample(self, name: str, in_flight: int) -> Sample:
        method, requests = self.calls[name]
        call = self._channel.unary_unary(method)
        return await closed_loop(call, cycle(requests), self._pid, calls=len(requests), in_flight=in_flight)


@asynccontextmanager
async def asked(data: Path, checkout: Path | None, questions: Sequence[str]) -> AsyncIterator[Asked]:
    """A server over a copy of the data; of another checkout, if one is named."""
    of = ("env", "-C", str(checkout), f"PYTHONPATH={checkout}:{checkout}/protos") if checkout else ()
    settings = {"conversation.extract_facts": "false"}
    with TemporaryDirectory() as folder:
        shutil.copytree(data, Path(folder) / "data")
        async with (
            server_process(Path(folder) / "data", settings, before=of) as server,
            grpc.aio.insecure_channel(server.address, options=LARGEST) as channel,
        ):
            graph = query_graph_pb2_grpc.QueryGraphStub(channel)
            nodes = (await graph.ListNodes(query_graph_pb2.ListNodesRequest(bank_id=BANK.bank_id))).nodes
            made = Asked(channel, server.pid, calls([node.node_id for node in nodes], questions))
            for name in made.calls:
                await made.sample(name, 1)
            await rests(server.pid, within=30.0)
            yield made


def calls(nodes: Sequence[str], questions: Sequence[str]) -> dict[str, tuple[str, list[bytes]]]:
    names: dict[str, dict[str, Any]] = {
        "conversation": {"user": USER, "conversation_id": TALK.conversation_id},
        "bank": {"bank_id": BANK.bank_id},
    }
    names["all"] = names["conversation"] | names["bank"] | {"collection": FACTS.collection}

    def contexts(sources: Mapping[str, Any]) -> list[bytes]:
        return [
            retrieval_pb2.AssembleContextRequest(
                input=question, token_budget=BUDGET, **sources
            ).SerializeToString()
            for question in questions
        ]

    got = [query_graph_pb2.GetNodeRequest(bank_id=BANK.bank_id, node_id=node) for node in nodes]
    augmented = [
        retrieval_pb2.AugmentRequest(bank_id=BANK.bank_id, query=question, token_budget=BUDGET)
        for question in questions
    ]
    return {
        "GetNode": (GET_NODE, [each.SerializeToString() for each in got * 4]),
        "Augment": (AUGMENT, [each.SerializeToString() for each in augmented]),
        **{f"context of {name}": (ASSEMBLE_CONTEXT, contexts(sources)) for name, sources in names.items()},
    }


async def compared(servers: Sequence[Asked], rounds: int) -> list[tuple[str, ...]]:
    """Returns a row for each call: the first server's, beside that of the other."""
    rows: list[tuple[str, ...]] = []
    node = 0.0
    for name in servers[0].calls:
        taken: dict[tuple[int, int], list[Sample]] = {}
        for _ in range(rounds):
            for number, server in enumerate(servers):
                for in_flight in (1, AT_ONCE):
                    sample = await server.sample(name, in_flight)
                    taken.setdefault((number, in_flight), []).append(sample)
        one, many = together(taken[0, 1]), together(taken[0, AT_ONCE])
        node = node or one.cpu_per_call
        beside = ("", "")
        if len(servers) > 1:
            other, others = together(taken[1, 1]), together(taken[1, AT_ONCE])
            beside = (f"{one.cpu_per_call / other.cpu_per_call:.2f}", f"{many.rate / others.rate:.2f}")
        ratio = f"{one.cpu_per_call / node:.1f}"
        rows.append((name, f"{one.cpu_per_call * 1e3:.1f}", ratio, f"{many.rate:,.0f}", *beside))
    return rows


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--against", type=Path, help="another checkout")
    parser.add_argument("--calls", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=2)
    given = parser.parse_args()
    worlds = read(CONVERSATIONS.read_text("utf-8")).worlds[:3]
    questions = [q.text for world in worlds for q in world.questions if not q.apart]
    chosen = questions[:: max(1, len(questions) // given.calls)][: given.calls]
    async with AsyncExitStack() as stack:
        data = given.data or Path(stack.enter_context(TemporaryDirectory()))
        if not (data / "memorybank.sqlite").exists():
            settings = load_settings(None, data_dir=data, conversation={"extract_facts": False})
            async with open_house(settings) as house:
                await fill(house, worlds)
        checkouts = [None, given.against] if given.against else [None]
        servers = [await stack.enter_async_context(asked(data, each, chosen)) for each in checkouts]
        print(table(HEADER, await compared(servers, given.rounds)))


if __name__ == "__main__":
    asyncio.run(main())
