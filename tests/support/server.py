"""The real server in this process, on a free port, over a store of its own; and what a test asks of it."""

import asyncio
import os
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import grpc
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]  # ships no types

from core.ports.embedder import Embedder
from memorybank.v1 import (
    conversation_pb2_grpc,
    deep_retrieval_pb2_grpc,
    long_term_pb2_grpc,
    memory_bank_pb2_grpc,
    query_graph_pb2_grpc,
    retrieval_pb2_grpc,
)
from memorybank.v1 import memory_bank_pb2 as pb
from service.api.gate import Observer
from service.assembly.server import running
from service.assembly.stores import DATABASE
from service.config import PREFIX, Settings, make_settings, packaged
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.sqlite_store import with_schema

LARGEST_ANSWER = 64 * 1024 * 1024
QUEUES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Stubs of the services, and the channel they share."""

    channel: Any  # a grpc.aio.Channel, whose types know no calls of bare bytes
    bank: "memory_bank_pb2_grpc.MemoryBankAsyncStub"
    conversation: "conversation_pb2_grpc.ConversationAsyncStub"
    graph: "query_graph_pb2_grpc.QueryGraphAsyncStub"
    retrieval: "retrieval_pb2_grpc.RetrievalAsyncStub"
    deep: "deep_retrieval_pb2_grpc.DeepRetrievalAsyncStub"
    long_term: "long_term_pb2_grpc.LongTermAsyncStub"
    settings: Settings

    async def revision(self, bank_id: str) -> int:
        return (await self.bank.GetBank(pb.GetBankRequest(bank_id=bank_id))).revision

    async def rest(self, bank_id: str) -> None:
        """Waits until a bank does not change any more by itself: its reworded nodes have their vectors."""
        before = -1
        while (revision := await self.revision(bank_id)) != before:
            before = revision
            await asyncio.sleep(1.5)

    async def bank_ids(self) -> list[str]:
        return [b.bank_id for b in (await self.bank.ListBanks(pb.ListBanksRequest(page_size=1000))).banks]


def settings_for(folder: Path, **sections: Mapping[str, Any]) -> Settings:
    """The packaged settings over a folder, on a free port, with sections replaced as given.

    A start of the server is most of what many tests take: two queues are as good as 32 to a caller or two, and settings
    are made once for those that ask for the same.
    """
    grpc_section = {"queues": QUEUES, **sections.get("grpc", {})}
    own = tuple(sorted(pair for pair in os.environ.items() if pair[0].startswith(PREFIX)))
    made = _settings(_Sections({**sections, "grpc": grpc_section}), own)
    return made.model_copy(update={"data_dir": folder})


class _Sections(dict[str, Mapping[str, Any]]):
    """Sections of the settings, as the key of a cache: equal where they read the same."""

    def __hash__(self) -> int:  # type: ignore[override]  # it is not changed
        return hash(repr(self))


@cache
def _settings(sections: _Sections, _environment: tuple[tuple[str, str], ...]) -> Settings:
    chosen: dict[str, Any] = {**packaged(), "listen": "127.0.0.1:0", "data_dir": Path()}
    for name, section in sections.items():
        chosen[name] = {**chosen.get(name, {}), **section}
    return make_settings(chosen, {})


@asynccontextmanager
async def serving(
    embedder: Embedder | None = None,
    folder: Path | None = None,
    observers: Iterable[Observer] = (),
    *,
    own_embedder: bool = False,
    **sections: Mapping[str, Any],
) -> AsyncIterator[Service]:
    """The server with a hashing embedder, or the one of its settings, and a channel to it."""
    with TemporaryDirectory() as own:
        if folder is None and "store" not in sections:
            with_schema(Path(own) / DATABASE)
        settings = settings_for(folder or Path(own), **sections)
        chosen = None if own_embedder else embedder or HashingEmbedder()
        async with running(settings, chosen, tuple(observers)) as address:
            options = [("grpc.max_receive_message_length", LARGEST_ANSWER)]
            async with grpc.aio.insecure_channel(str(address), options=options) as channel:
                yield service_on(channel, settings)


def service_on(channel: grpc.aio.Channel, settings: Settings) -> Service:
    return Service(
        channel=channel,
        bank=memory_bank_pb2_grpc.MemoryBankStub(channel),
        conversation=conversation_pb2_grpc.ConversationStub(channel),
        graph=query_graph_pb2_grpc.QueryGraphStub(channel),
        retrieval=retrieval_pb2_grpc.RetrievalStub(channel),
        deep=deep_retrieval_pb2_grpc.DeepRetrievalStub(channel),
        long_term=long_term_pb2_grpc.LongTermStub(channel),
        settings=settings,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A status that is not OK, with its details."""

    code: grpc.StatusCode
    message: str
    reason: str
    metadata: Mapping[str, str]
    fields: tuple[str, ...]
    retry_after: float | None
    pushback: str
    quota: tuple[str, ...] = ()  # the settings that a QuotaFailure names


async def refused(call: Awaitable[Any]) -> Refused:
    """How the call was refused; fails when it was not."""
    try:
        answer = await call
    except grpc.aio.AioRpcError as error:
        return refusal(error)
    raise AssertionError(f"not refused: {answer}")


async def held_open(requests: Iterable[Any]) -> AsyncIterator[Any]:
    """The requests of a stream that its caller does not close.

    gRPC's own client loses the status of a call that is refused while it still writes: the last of these requests
    is to be the one that is refused.
    """
    for request in requests:
        yield request
    await asyncio.Event().wait()


async def stream_refused(call: AsyncIterable[Any]) -> Refused:
    """How a stream was refused, whatever came before."""
    try:
        answers = [answer async for answer in call]
    except grpc.aio.AioRpcError as error:
        return refusal(error)
    raise AssertionError(f"not refused: {answers}")


def refusal(error: grpc.aio.AioRpcError) -> Refused:
    """The status details of google.rpc, taken apart."""
    trailers: dict[str, Any] = dict(error.trailing_metadata() or ())  # type: ignore[arg-type]  # pairs, to its types not
    status = status_pb2.Status.FromString(trailers.get("grpc-status-details-bin", b""))
    info, request, retry, quota = (
        error_details_pb2.ErrorInfo(),
        error_details_pb2.BadRequest(),
        error_details_pb2.RetryInfo(),
        error_details_pb2.QuotaFailure(),
    )
    waits = None
    for detail in status.details:
        detail.Unpack(info)
        detail.Unpack(request)
        detail.Unpack(quota)
        if detail.Unpack(retry):
            waits = retry.retry_delay.ToTimedelta().total_seconds()
    return Refused(
        code=error.code(),
        message=error.details() or "",
        reason=info.reason,
        metadata=dict(info.metadata),
        fields=tuple(violation.field for violation in request.field_violations),
        retry_after=waits,
        pushback=str(trailers.get("grpc-retry-pushback-ms", "")),
        quota=tuple(violation.subject for violation in quota.violations),
    )
