"""What takes turns: the service, and a peer in its own environment. Both are told the same, and answer alike."""

import asyncio
import json
import os
import signal
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Any, Protocol

import grpc
import numpy as np

from memorybank.v1 import query_graph_pb2, query_graph_pb2_grpc, retrieval_pb2, retrieval_pb2_grpc, types_pb2
from tests.bench.bench_service import LARGEST, room_for
from tests.bench.corpus import Corpus, Question, by_vector, create_bank
from tests.bench.growth.started import disk_bytes
from tests.bench.measuring import cpu_seconds, resident_bytes, rests
from tests.bench.peers.one_peer import GROUPS
from tests.support.process import server_process

BANK = "peers"
RESTING = 120.0  # seconds, twice
STOPPING = 60.0
ANSWER = 1 << 26  # the longest line that a peer's process says


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Searches for a while: how many a second, their median latency, and what each took of the processor: in the
    process that answers, and with its caller's."""

    rate: float
    p50_ms: float
    cpu_us: float
    cpu_with_caller_us: float


class Side(Protocol):
    """A store in a process, over a folder that outlasts it."""

    name: str
    version: str
    sync: str

    async def start(self) -> float:
        """Starts it, over what is there; seconds until its first search is answered."""

    async def stop(self) -> None:
        """Ends it in good order; does nothing where it does not run."""

    async def add(self, first: int, count: int, batch: int) -> float:
        """Adds vectors by number, so many a call; how many a second."""

    async def rest(self) -> None:
        """Waits until what follows from adding is done; on a busy machine not for long."""

    async def found(self) -> list[list[int]]:
        """The numbers of the nearest to each question."""

    async def search(self, callers: int, seconds: float, filtered: bool) -> Turn:
        """Callers that search again and again, each in turn its own question."""

    def resident(self) -> int:
        """Bytes in memory of the process that holds the data."""

    def disk(self) -> int:
        """Bytes on disk."""


class Service:
    """The service, called over gRPC by the stubs; it has no neighbourhoods to find, for the peers have none."""

    name = "this service"
    sync = "SQLite WAL, FULL: all of it"

    def __init__(self, corpus: Corpus, questions: list[Question], folder: Path) -> None:
        self._corpus, self._questions, self._folder = corpus, questions, folder
        self.version = version("agentic-memory-bank")
        self._running = AsyncExitStack()
        self._channel: Any
        self._pid = 0
        self._filled = False

    async def start(self) -> float:
        began = time.perf_counter()
        server = await self._running.enter_async_context(
            server_process(self._folder, room_for(len(self._corpus)))
        )
        self._channel = await self._running.enter_async_context(
            grpc.aio.insecure_channel(server.address, options=LARGEST)
        )
        self._pid = server.pid
        if self._filled:
            await self._stub.Search(self._request(0, None))
        return time.perf_counter() - began

    async def stop(self) -> None:
        await self._running.aclose()

    async def add(self, first: int, count: int, batch: int) -> float:
        graph = query_graph_pb2_grpc.QueryGraphStub(self._channel)
        if not self._filled:
            create = self._channel.unary_unary("/memorybank.v1.MemoryBank/CreateBank")
            await create(create_bank(BANK).SerializeToString())
            self._filled = True
        seconds = 0.0
        for start in range(first, first + count, batch):
            nodes = [self._node(n) for n in range(start, min(start + batch, first + count))]
            began = time.perf_counter()
            if batch > 1:
                await graph.BatchAddNodes(query_graph_pb2.BatchAddNodesRequest(bank_id=BANK, nodes=nodes))
            else:
                await graph.AddNode(_alone(nodes[0]))
            seconds += time.perf_counter() - began
        return count / seconds

    async def rest(self) -> None:
        await rests(self._pid, within=RESTING)

    def _node(self, number: int) -> query_graph_pb2.NewNode:
        """As the corpus has it, but of a group, and with no other nodes around it."""
        node = self._corpus.node(number)
        node.ClearField("related_node_ids")
        node.labels["group"] = str(number % GROUPS)
        return node

    async def found(self) -> list[list[int]]:
        answers = [await self._stub.Search(self._request(n, None)) for n in range(len(self._questions))]
        return [[int(hit.node.node_id[1:]) for hit in answer.hits] for answer in answers]

    async def search(self, callers: int, seconds: float, filtered: bool) -> Turn:
        until, turn = time.perf_counter() + seconds, count()
        taken: list[float] = []

        async def searching() -> None:
            while (start := time.perf_counter()) < until:
                number = next(turn)
                await self._stub.Search(self._request(number, number % GROUPS if filtered else None))
                taken.append(time.perf_counter() - start)

        began, before, own = time.perf_counter(), cpu_seconds(self._pid), time.process_time()
        await asyncio.gather(*(searching() for _ in range(callers)))
        cpu, own = cpu_seconds(self._pid) - before, time.process_time() - own
        return Turn(
            rate=len(taken) / (time.perf_counter() - began),
            p50_ms=float(np.median(taken)) * 1e3,
            cpu_us=cpu / len(taken) * 1e6,
            cpu_with_caller_us=(cpu + own) / len(taken) * 1e6,
        )

    def _request(self, number: int, group: int | None) -> retrieval_pb2.SearchRequest:
        question = self._questions[number % len(self._questions)]
        only = None if group is None else types_pb2.Filter(labels={"group": str(group)})
        return by_vector(BANK, question, mode=retrieval_pb2.SEARCH_MODE_EMBEDDING, hops=0, filter=only)

    @property
    def _stub(self) -> Any:
        return retrieval_pb2_grpc.RetrievalStub(self._channel)

    def resident(self) -> int:
        return resident_bytes(self._pid)

    def disk(self) -> int:
        return disk_bytes(self._folder)


def _alone(node: query_graph_pb2.NewNode) -> query_graph_pb2.AddNodeRequest:
    return query_graph_pb2.AddNodeRequest(
        bank_id=BANK,
        node_id=node.node_id,
        summary=node.summary,
        context=node.context,
        keywords=node.keywords,
        labels=node.labels,
        embedding=node.embedding,
    )


class PeerProcess:
    """A peer, as `one_peer.py` has it, in a process of its own environment."""

    def __init__(self, name: str, python: Path, data: Path, folder: Path) -> None:
        self.name, self.version, self.sync = name, "", ""
        self._python, self._data, self._folder = python, data, folder
        self._process: asyncio.subprocess.Process | None = None
        self._pid = 0

    async def start(self) -> float:
        script = Path(__file__).with_name("one_peer.py")
        self._process = await asyncio.create_subprocess_exec(
            *(
                str(self._python),
                str(script),
                self.name,
                str(self._data),
                str(self._folder),
                str(time.time()),
            ),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=(self._folder.parent / f"{self.name}.log").open("ab"),
            env={
                name: value for name, value in os.environ.items() if name != "PYTHONPATH"
            },  # nothing of ours
            limit=ANSWER,
            process_group=0,  # with whatever it starts
        )
        opened = await self._told("opened")
        self._pid, self.version, self.sync = opened["pid"], opened["version"], opened["sync"]
        return float(opened["seconds"])

    async def stop(self) -> None:
        if self._process is None or self._process.returncode is not None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), STOPPING)
        except TimeoutError:
            os.killpg(self._process.pid, signal.SIGKILL)
            await self._process.wait()

    async def add(self, first: int, count: int, batch: int) -> float:
        return float((await self._told("add", first=first, count=count, batch=batch))["rate"])

    async def rest(self) -> None:
        await rests(self._pid, within=RESTING)

    async def found(self) -> list[list[int]]:
        numbers: list[list[int]] = (await self._told("found"))["found"]
        return numbers

    async def search(self, callers: int, seconds: float, filtered: bool) -> Turn:
        assert self._process is not None
        pids = {self._pid, self._process.pid}  # a library's are the same
        before = {pid: cpu_seconds(pid) for pid in pids}
        answer = await self._told("search", callers=callers, seconds=seconds, filtered=filtered)
        cpu = {pid: (cpu_seconds(pid) - before[pid]) / answer["calls"] * 1e6 for pid in pids}
        return Turn(
            rate=answer["rate"],
            p50_ms=answer["p50"],
            cpu_us=cpu[self._pid],
            cpu_with_caller_us=sum(cpu.values()),
        )

    async def _told(self, act: str, **arguments: Any) -> dict[str, Any]:
        """Its answer. Raises RuntimeError, with what it last said, where it ended instead."""
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"act": act, **arguments}).encode() + b"\n")
        await self._process.stdin.drain()
        async for line in self._process.stdout:
            if line.startswith(b"answer "):
                answer: dict[str, Any] = json.loads(line.removeprefix(b"answer "))
                return answer
        log = (self._folder.parent / f"{self.name}.log").read_text(errors="replace")
        raise RuntimeError((log.strip().splitlines() or ["it ended"])[-1])

    def resident(self) -> int:
        return resident_bytes(self._pid)

    def disk(self) -> int:
        return disk_bytes(self._folder)
