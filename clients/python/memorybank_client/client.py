"""The two clients: the same verbs over an asynchronous or a synchronous channel."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from os import PathLike
from types import TracebackType
from typing import Any, Self

import grpc

from memorybank_client.callers import AsyncCaller, Caller, SyncCaller, Wire
from memorybank_client.channel import channel_options, require_target
from memorybank_client.credentials import (
    AUTHORIZATION,
    bearer,
    bearer_of,
    channel_credentials,
    require_private,
)
from memorybank_client.revisions import Revisions
from memorybank_client.session import Metadata, Session, metadata_of, seconds_of
from memorybank_client.verbs import Verbs


class Client(Verbs, Caller):
    """What both clients have in common: how they are made.

    `target` is gRPC's (`127.0.0.1:7700`, `dns:///memory:443`). Without `credentials` or `tls_ca` the channel is not
    encrypted. `key_file` holds an API key, `tls_ca` the certificates of the authorities that the server's is trusted by
    (`system`: this machine's); without them, the files that MEMORYBANK_API_KEY_FILE and MEMORYBANK_TLS_CA name, if any.
    A key is not sent unencrypted beyond this machine, unless `plaintext_key` says that a proxy on the way encrypts.
    `metadata` goes with every call; its keys are lower-case, its values printable ASCII. `timeouts` are seconds by verb
    (`{"search": 2.0}`), in place of the verbs' own. `read_your_writes`: reads see at least what this client has seen,
    whichever replica answers. `options` are further options of the channel, or other values of those it has.
    Raises ValueError, which says how it should be written, for a target that is a URL or names no port, and for a key
    that others could read; OSError for a file that cannot be read.
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
        key_file: str | PathLike[str] | None = None,
        tls_ca: str | PathLike[str] | None = None,
        plaintext_key: bool = False,
    ) -> None:
        credentials = credentials or channel_credentials(tls_ca)
        require_target(target, encrypted=credentials is not None)
        given = metadata_of(metadata)
        if not any(name == AUTHORIZATION for name, _ in given):
            given = (*given, *bearer_of(key_file))
        self._may_send_key = credentials is not None or plaintext_key
        if not self._may_send_key:
            require_private(target, given)
        settings = list({**dict(channel_options()), **dict(options)}.items())  # gRPC heeds the first of two
        super().__init__(
            Wire(target=target, open=self._opener(target, credentials, settings)),
            Session(
                metadata=given,
                timeouts={verb: seconds_of(given) for verb, given in (timeouts or {}).items()},
                revisions=Revisions().by(_key_in(given)) if read_your_writes else None,
            ),
        )

    def within(self, seconds: float) -> Self:
        """Returns this client, its calls given so many seconds: `client.within(2).search(...)`. Where none are left a
        call is not sent, and raises DeadlineExceeded."""
        made = copy(self)
        made.session = self.session.within(seconds_of(seconds))
        return made

    def with_key(self, key: str) -> Self:
        """Returns this client with another API key, over the same channel; empty: with none. What one key has seen,
        reads with another are not held to: they may be of different tenants. Raises ValueError."""
        others = tuple(pair for pair in self.session.metadata if pair[0] != AUTHORIZATION)
        given = (*others, *(bearer(key) if key else ()))
        if not self._may_send_key:
            require_private(self.wire.target, given)
        made = copy(self)
        seen = self.session.revisions
        made.session = replace(
            self.session, metadata=given, revisions=None if seen is None else seen.by(_key_in(given))
        )
        return made

    def _opener(
        self, target: str, credentials: grpc.ChannelCredentials | None, options: Sequence[tuple[str, Any]]
    ) -> Callable[[], Any]:
        raise NotImplementedError


def _key_in(metadata: Metadata) -> str:
    return next((str(value) for name, value in metadata if name == AUTHORIZATION), "")


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
