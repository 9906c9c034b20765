"""The two clients: the same verbs over an asynchronous or a synchronous channel."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from types import TracebackType
from typing import Any, Self

import grpc

from memorybank_client.callers import AsyncCaller, Caller, SyncCaller, Wire
from memorybank_client.channel import channel_options, require_target
from memorybank_client.revisions import Revisions
from memorybank_client.session import Session, metadata_of, seconds_of
from memorybank_client.verbs import Verbs


class Client(Verbs, Caller):
    """What both clients have in common: how they are made.

    `target` is gRPC's (`127.0.0.1:7700`, `dns:///memory:443`). Without `credentials` the channel is not encrypted.
    `metadata` goes with every call; its keys are lower-case, its values printable ASCII. `timeouts` are seconds by verb
    (`{"search": 2.0}`), in place of the verbs' own. `read_your_writes`: reads see at least what this client has seen,
    whichever replica answers. `options` are further options of the channel, or other values of those it has.
    Raises ValueError, which says how it should be written, for a target that is a URL or names no port.
    """

    def __init__(
        self,
        target: str,
        *,
        credentials: grpc.ChannelCredentials | None = None,
        metadata: Sequence[tuple[str, str]] = (),
        timeouts: Mapping[str, float] | None = None,
        read_your_writes: bool = True,
        options: Sequence[tuple[str, Any]] = (),
    ) -> None:
        require_target(target, encrypted=credentials is not None)
        settings = list({**dict(channel_options()), **dict(options)}.items())  # gRPC heeds the first of two
        super().__init__(
            Wire(target=target, open=self._opener(target, credentials, settings)),
            Session(
                metadata=metadata_of(metadata),
                timeouts={verb: seconds_of(given) for verb, given in (timeouts or {}).items()},
                revisions=Revisions() if read_your_writes else None,
            ),
        )

    def within(self, seconds: float) -> Self:
        """Returns this client, its calls given so many seconds: `client.within(2).search(...)`. Where none are left a
        call is not sent, and raises DeadlineExceeded."""
        made = copy(self)
        made.session = self.session.within(seconds_of(seconds))
        return made

    def _opener(
        self, target: str, credentials: grpc.ChannelCredentials | None, options: Sequence[tuple[str, Any]]
    ) -> Callable[[], Any]:
        raise NotImplementedError


class MemoryBankClient(Client, AsyncCaller):
    """The asynchronous client. It belongs to the event loop in which it is first used.

    async with MemoryBankClient("127.0.0.1:7700") as client:
        await client.memorize(bank_id="trip", text="The ferry leaves at nine.")
        found = await client.search(bank_id="trip", text="when does the ferry leave?")
    """

    def _opener(
        self, target: str, credentials: grpc.ChannelCredentials | None, options: Sequence[tuple[str, Any]]
    ) -> Callable[[], Any]:
        if credentials is None:
            return lambda: grpc.aio.insecure_channel(target, options=options)
        return lambda: grpc.aio.secure_channel(target, credentials, options=options)

    async def close(self) -> None:
        """Ends what is still running, and the channel."""
        opened = self.wire.close()
        if opened is not None:
            await opened.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class SyncMemoryBankClient(Client, SyncCaller):
    """The synchronous client: the same verbs, without await. Threads may share it.

    with SyncMemoryBankClient("127.0.0.1:7700") as client:
        client.memorize(bank_id="trip", text="The ferry leaves at nine.")
        found = client.search(bank_id="trip", text="when does the ferry leave?")
    """

    def _opener(
        self, target: str, credentials: grpc.ChannelCredentials | None, options: Sequence[tuple[str, Any]]
    ) -> Callable[[], Any]:
        if credentials is None:
            return lambda: grpc.insecure_channel(target, options=options)
        return lambda: grpc.secure_channel(target, credentials, options=options)

    def close(self) -> None:
        """Ends what is still running, and the channel."""
        opened = self.wire.close()
        if opened is not None:
            opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
