"""A server with two users' memory on it, API keys of every sort, and calls of any method with any of them."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import grpc
import pytest
from google.protobuf.message import Message

from core.ids import Tenant, User
from core.model.access import EVERY_SCOPE, OPEN, ApiKey, Binding, Scope, bank_prefix_of
from core.ports.credentials import Credentials
from memorybank.v1 import conversation_pb2 as conversation
from memorybank.v1 import instructions_pb2 as instructions
from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import memory_bank_pb2 as bank
from service.adapters.store.sql_store import SqlStore
from service.api.access.tokens import new_token
from service.assembly.minting import credentials_of, mint
from service.assembly.server import running
from tests.service.api.every_violation import METHODS
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.server import Refused, Service, refusal, service_on, settings_for

SECRET = "Ada's walnuts are in the blue tin."
"""What is remembered of Ada, everywhere: no other caller's answer may hold it."""
LOST = "Internal error from Core"
BOB = Binding(user=User("bob"), bank_prefix=bank_prefix_of(User("bob")))
LOOK_UPS = ("load", "record", "requests", "heads", "listed", "count", "keys_of_user", "append", "delete")


async def key_for(
    credentials: Credentials,
    *,
    scopes: frozenset[Scope] = EVERY_SCOPE,
    binding: Binding = OPEN,
    subject: str = "",
    tenant: str = "default",
    lifetime: timedelta = timedelta(days=1),
) -> tuple[ApiKey, str]:
    return await mint(
        credentials,
        tenant=Tenant(tenant),
        subject=subject,
        scopes=scopes,
        binding=binding,
        creator="test",
        now=datetime.now(UTC),
        lifetime=lifetime,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of a call: the bytes of its answers, or how it was refused."""

    code: grpc.StatusCode
    sent: bytes
    refused: Refused | None

    @property
    def reason(self) -> str:
        return self.refused.reason if self.refused else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """The server, its API keys by name, and their administration."""

    address: str
    service: Service
    tokens: Mapping[str, str]
    credentials: Credentials

    async def call(
        self, method: str, requests: Message | Sequence[Message], key: str | None, *metadata: tuple[str, str]
    ) -> Answer:
        """Calls any method with the key of this name; None: without one.

        gRPC's own client loses the status of a call that was refused before its request had left; then it asks again,
        under the `request_id` that the request has (see `repeatable`).
        """
        answer = await self._call(method, requests, key, *metadata)
        while answer.refused is not None and answer.refused.message == LOST:
            answer = await self._call(method, requests, key, *metadata)
        return answer

    async def _call(
        self, method: str, requests: Message | Sequence[Message], key: str | None, *metadata: tuple[str, str]
    ) -> Answer:
        sent = [requests] if isinstance(requests, Message) else requests
        token = self.tokens.get(key, key) if key else ""
        bearer = (("authorization", f"Bearer {token}"),) if token else ()
        path = f"/{METHODS[method].containing_service.full_name}/{method}"
        call = self.service.channel.stream_stream(path)(
            iter([request.SerializeToString() for request in sent]), metadata=(*bearer, *metadata)
        )
        answers: list[bytes] = []
        try:
            async for answer in call:
                answers.append(answer)
                if method == "WatchBank":
                    call.cancel()
                    break
        except grpc.aio.AioRpcError as error:
            trailers = repr(error.trailing_metadata()).encode()
            told = b"".join([*answers, trailers, (error.details() or "").encode()])
            return Answer(code=error.code(), sent=told, refused=refusal(error))
        return Answer(code=grpc.StatusCode.OK, sent=b"".join(answers), refused=None)


def repeatable(request: Any) -> Any:
    """Gives a request that has none a request_id, so that it may be sent again."""
    if "request_id" in request.DESCRIPTOR.fields_by_name and not request.request_id:
        request.request_id = uuid4().hex
    return request


@asynccontextmanager
async def guarded(folder: Path) -> AsyncIterator[Guarded]:
    """A server that asks for API keys, with Ada's memory on it. It looks nothing up by itself, for that is counted."""
    chosen = settings_for(folder, banks={"upkeep_seconds": 3600.0})
    async with (
        running(chosen, HashingEmbedder()) as address,
        grpc.aio.insecure_channel(str(address)) as channel,
        credentials_of(chosen) as credentials,
    ):
        service = service_on(channel, chosen)
        await ada_s_memory(service)
        tokens = await keys_of_every_sort(credentials)
        made = Guarded(address=str(address), service=service, tokens=tokens, credentials=credentials)
        await asks(made)
        yield made


async def asks(server: Guarded) -> None:
    """Waits until the server has seen what changed."""
    answer = await server.call("ListBanks", bank.ListBanksRequest(), None)
    while answer.code is not grpc.StatusCode.UNAUTHENTICATED:
        answer = await server.call("ListBanks", bank.ListBanksRequest(), None)


async def keys_of_every_sort(credentials: Credentials) -> Mapping[str, str]:
    read = frozenset({Scope.READ})
    made = {
        "all": await key_for(credentials, subject="ops"),
        "ada": await key_for(credentials, subject="ada's", binding=Binding(user=User("ada"))),
        "read": await key_for(credentials, scopes=read),
        "bob": await key_for(credentials, subject="bob's", binding=BOB),
        "prefix": await key_for(credentials, binding=Binding(bank_prefix="p.")),
        "listed": await key_for(credentials, binding=Binding(banks=("other",))),
        "none": await key_for(credentials, binding=Binding(banks=(), collections=(), owners=())),
        "collection": await key_for(credentials, binding=Binding(collections=("other",))),
        "expired": await key_for(credentials, lifetime=timedelta(0)),
        "revoked": await key_for(credentials),
    }
    await credentials.revoke(made["revoked"][0].key_id, datetime.now(UTC))
    tokens = {name: token for name, (_, token) in made.items()}
    return tokens | {"wrong": new_token()[1], "no key at all": "hunter2"}


async def ada_s_memory(service: Service) -> None:
    """A bank, a conversation, an invocation, facts and documents of Ada's, in the collection `work`."""
    mine: dict[str, Any] = {"user": "ada", "collection": "work"}
    await service.bank.CreateBank(bank.CreateBankRequest(bank_id="b1", goal=SECRET, **mine))
    await service.bank.Memorize(bank.MemorizeRequest(bank_id="b1", text=SECRET, request_id="r1"))
    turn = conversation.Turn(input=SECRET)
    await service.conversation.AddTurns(
        conversation.AddTurnsRequest(conversation_id="c1", turns=[turn], **mine)
    )
    await service.conversation.StartInvocation(
        conversation.StartInvocationRequest(
            conversation_id="c1", invocation_id="i1", query=SECRET, enable_memory=True, **mine
        )
    )
    await service.long_term.StoreFact(long_term.StoreFactRequest(content=SECRET, wait=True, **mine))
    put = service.channel.unary_unary(
        "/memorybank.v1.Instructions/PutSource",
        request_serializer=instructions.PutSourceRequest.SerializeToString,
    )
    for owner in (instructions.Owner(user="ada"), instructions.Owner(tenant=True)):
        await put(instructions.PutSourceRequest(owner=owner, path="AGENTS.md", text=SECRET))


def is_ada_s(key: Any) -> bool:
    """Whether it is the key of something of Ada's; a tenant's name is none."""
    names = (getattr(key, "bank_id", ""), getattr(key, "user", ""), getattr(key, "owner", ""))
    return names[0] == "b1" or "ada" in names


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Counts what is asked of the store meanwhile, and what of Ada's."""
    counts: Counter[str] = Counter()

    def counting(name: str) -> Any:
        plain = getattr(SqlStore, name)

        async def asked(self: SqlStore, *args: Any, **named: Any) -> Any:
            counts[name] += 1
            counts[f"{name} of Ada's"] += bool(args) and is_ada_s(args[0])
            return await plain(self, *args, **named)

        return asked

    with pytest.MonkeyPatch.context() as patching:
        for name in LOOK_UPS:
            patching.setattr(SqlStore, name, counting(name))
        yield counts
