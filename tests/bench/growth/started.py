"""A service in a process of its own, awake: its model loaded, and its memory known before it holds anything."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc

from memorybank.v1 import memory_bank_pb2_grpc, retrieval_pb2, retrieval_pb2_grpc
from tests.bench.corpus import Corpus, create_bank
from tests.bench.measuring import calm, cpu_seconds, resident_bytes, rests
from tests.support.process import Server, Settings, server_process

LARGEST = [("grpc.max_receive_message_length", -1)]
PROGRAM = ("-m", "service")
MODELLESS = ("-m", "tests.support.hashing_server")  # its embedder takes microseconds a text
SMALL = "small"  # a bank that is there to wake the service up
WAKING = ("what is known of the budget?", "实验室的预算是多少？")


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A running service; `empty` are the bytes that it held before it was given anything to do."""

    server: Server
    channel: Any
    empty: int

    @property
    def pid(self) -> int:
        return self.server.pid

    async def rests(self, within: float = 3_600.0) -> None:
        """Wait until it has compiled what it compiles of banks that are left alone, and has nothing more to do."""
        await rests(self.pid, within=within)

    async def calm(self, within: float = 3_600.0) -> None:
        """Wait until it has done what follows from what it was told."""
        await calm(self.pid, within=within)

    def cpu(self) -> float:
        """Seconds of processor that it has taken."""
        return cpu_seconds(self.pid)

    def held(self) -> int:
        """Bytes of memory that it has taken since."""
        return resident_bytes(self.pid) - self.empty


@asynccontextmanager
async def service(
    folder: Path, settings: Settings | None = None, program: Sequence[str] = PROGRAM
) -> AsyncIterator[Started]:
    """Start the service over a folder and wake it: a bank is searched by text, in both languages."""
    async with (
        server_process(folder, settings, program=program) as server,
        grpc.aio.insecure_channel(server.address, options=LARGEST) as channel,
    ):
        await _wake(channel)
        await calm(server.pid)
        yield Started(server=server, channel=channel, empty=resident_bytes(server.pid))


async def _wake(channel: Any) -> None:
    try:
        await memory_bank_pb2_grpc.MemoryBankStub(channel).CreateBank(create_bank(SMALL))
    except grpc.aio.AioRpcError as refused:
        if refused.code() is not grpc.StatusCode.ALREADY_EXISTS:  # this folder's service has run before
            raise
    retrieval = retrieval_pb2_grpc.RetrievalStub(channel)
    for text in WAKING:
        await retrieval.Search(retrieval_pb2.SearchRequest(bank_id=SMALL, text=text))


def disk_bytes(path: Path) -> int:
    """Of a file and of those that begin with its name, or of all in a folder."""
    if path.is_dir():
        return sum(one.stat().st_size for one in path.rglob("*") if one.is_file())
    return sum(one.stat().st_size for one in path.parent.glob(f"{path.name}*"))


def text_bytes(corpus: Corpus, sampled: int = 1_000) -> float:
    """UTF-8 bytes that a node says, on average: summary, context, keywords."""
    nodes = [corpus.node(number) for number in range(min(sampled, len(corpus)))]
    said = ["".join((node.summary, node.context, *node.keywords)) for node in nodes]
    return sum(len(text.encode()) for text in said) / len(said)
