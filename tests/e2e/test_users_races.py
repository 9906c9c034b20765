"""Purges, switches and deletions against writers on two processes over one store: nothing comes back afterwards."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from core.aggregate.change import Head
from core.caller import DEFAULT_TENANT
from core.ids import Collection, ConversationId, User
from core.keys import CollectionKey, ConversationKey, Key, UserKey
from core.model.instructions import Level
from core.model.instructions import Owner as OwnerValue
from core.ports.store import Store
from memorybank.v1.conversation_pb2 import Turn
from memorybank.v1.errors_pb2 import ERROR_REASON_MEMORY_OFF
from memorybank.v1.instructions_pb2 import Owner
from memorybank.v1.long_term_pb2 import User as UserMessage
from memorybank_client import FailedPrecondition, MemoryBankClient, NotFound
from service.adapters.store.sqlite_store import SqliteStore
from service.assembly.stores import DATABASE
from tests.support.process import modelless_process
from tests.support.scale import scaled

RACES = 10
LEAD = (0.0, 0.15)  # seconds that the writers have before the other call is made
TALK, WORK = "talk", "work"

Write = Callable[[MemoryBankClient, str, str], Awaitable[Any]]


async def add_turn(client: MemoryBankClient, user: str, text: str) -> None:
    await client.add_turns(user=user, conversation_id=TALK, turns=[Turn(input=text, reply="好的。")])


async def store_fact(client: MemoryBankClient, user: str, text: str) -> None:
    await client.store_fact(user=user, collection=WORK, content=text)


async def put_source(client: MemoryBankClient, user: str, text: str) -> None:
    await client.put_source(owner=Owner(user=user), path=f"{text}.md", text=text)


WRITES: tuple[Write, ...] = (add_turn, store_fact, put_source)


@dataclass(slots=True)
class Race:
    """One user, written for through both processes until a write is refused, or until it is over."""

    user: str
    clients: tuple[MemoryBankClient, ...]
    acknowledged: list[str] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)
    is_over: bool = False
    numbers: "count[int]" = field(default_factory=count)

    @property
    def keys(self) -> list[Key]:
        user = User(self.user)
        return [
            UserKey(tenant=DEFAULT_TENANT, user=user),
            ConversationKey(tenant=DEFAULT_TENANT, user=user, conversation_id=ConversationId(TALK)),
            CollectionKey(tenant=DEFAULT_TENANT, user=user, collection=Collection(WORK)),
            OwnerValue(level=Level.USER, name=self.user).key(DEFAULT_TENANT),
        ]

    async def write_once(self, client: MemoryBankClient, write: Write) -> None:
        text = f"note {self.user} {next(self.numbers)} 第一条"
        await write(client, self.user, text)
        self.acknowledged.append(text)

    async def write(self, client: MemoryBankClient, write: Write) -> None:
        while not self.is_over:
            try:
                await self.write_once(client, write)
            except FailedPrecondition as off:
                self.refused.append(off.reason)
                return
            except NotFound:
                continue  # deleted between its making and the write

    async def against(self, act: Callable[[], Awaitable[Any]], store: Store, lead: float) -> "Outcome":
        """The writers, and after a lead the other call; what stood at which moment."""
        for write in WRITES:
            await self.write_once(self.clients[0], write)
        writing = [
            asyncio.create_task(self.write(client, write)) for client in self.clients for write in WRITES
        ]
        await asyncio.sleep(lead)
        before, acknowledged = await store.heads(self.keys), list(self.acknowledged)
        await act()
        answered = await store.heads(self.keys)
        self.is_over = True
        await asyncio.gather(*writing)
        return Outcome(
            before=before,
            acknowledged=acknowledged,
            answered=answered,
            after=await store.heads(self.keys),
            told=[repr(await store.load(key)) for key in self.keys],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Heads before the call was made, when it was answered, and when every writer had ended; and what then stands.

    `acknowledged`: the texts of writes that had their answers before the call was made.
    """

    before: Mapping[Key, Head]
    acknowledged: list[str]
    answered: Mapping[Key, Head]
    after: Mapping[Key, Head]
    told: list[str]

    def still_told(self) -> list[str]:
        return [text for text in self.acknowledged if any(f"{text}'" in each for each in self.told)]


@asynccontextmanager
async def two_processes(folder: Path) -> AsyncIterator[tuple[tuple[MemoryBankClient, ...], Store]]:
    async with AsyncExitStack() as closing:
        servers = [await closing.enter_async_context(modelless_process(folder)) for _ in range(2)]
        clients = [await closing.enter_async_context(server.client()) for server in servers]
        store = await SqliteStore.open(folder / DATABASE)
        closing.push_async_callback(store.close)
        yield tuple(clients), store


@pytest.mark.slow
async def test_nothing_of_a_purged_user_comes_back(tmp_path: Path) -> None:
    races, chance, refused = scaled(RACES) // 3 + 1, random.Random(1), 0
    async with two_processes(tmp_path) as (clients, store):
        for number in range(races):
            race = Race(f"小林-{number}", clients)

            async def purge(race: Race = race, client: MemoryBankClient = clients[number % 2]) -> None:
                await client.purge_user(user=race.user, include_banks=True)

            outcome = await race.against(purge, store, chance.uniform(*LEAD))
            refused += len(race.refused)

            assert set(race.refused) <= {ERROR_REASON_MEMORY_OFF}
            assert outcome.still_told() == []
            lives = {head.uid for head in outcome.before.values()}
            assert not lives & {head.uid for head in (*outcome.answered.values(), *outcome.after.values())}
    print(f"{races} purges against {len(WRITES)} writers on each of two processes, {refused} writes refused")


@pytest.mark.slow
async def test_nothing_is_written_for_a_user_once_the_switch_is_off(tmp_path: Path) -> None:
    races, chance, refused = scaled(RACES) // 3 + 1, random.Random(2), 0
    async with two_processes(tmp_path) as (clients, store):
        for number in range(races):
            race = Race(f"小林-{number}", clients)

            async def switch_off(race: Race = race, client: MemoryBankClient = clients[number % 2]) -> None:
                off = UserMessage(user=race.user, enabled=False)
                await client.update_user(user=off, update_mask=FieldMask(paths=["enabled"]))

            outcome = await race.against(switch_off, store, chance.uniform(*LEAD))
            refused += len(race.refused)

            assert set(race.refused) <= {ERROR_REASON_MEMORY_OFF}
            assert outcome.after == outcome.answered
            assert len(outcome.still_told()) == len(outcome.acknowledged)
            for each in clients:
                for write in WRITES:
                    with pytest.raises(FailedPrecondition):
                        await write(each, race.user, "too late 太晚了")
            assert await store.heads(race.keys) == outcome.answered
    print(
        f"{races} switches against {len(WRITES)} writers on each of two processes, {refused} writes refused"
    )


@pytest.mark.slow
async def test_nothing_deleted_comes_back(tmp_path: Path) -> None:
    races, chance, deleted = scaled(RACES) // 3 + 1, random.Random(3), 0
    async with two_processes(tmp_path) as (clients, store):
        for number in range(races):
            race = Race(f"小林-{number}", clients)

            async def delete(race: Race = race, client: MemoryBankClient = clients[number % 2]) -> None:
                await asyncio.gather(
                    client.delete_conversation(user=race.user, conversation_id=TALK, allow_missing=True),
                    client.delete_collection(user=race.user, collection=WORK, allow_missing=True),
                )

            outcome = await race.against(delete, store, chance.uniform(*LEAD))
            deleted += len(outcome.acknowledged)

            assert race.refused == []
            _, talk, work, sources = race.keys
            assert [text for text in outcome.still_told() if f"{text}.md" not in outcome.told[-1]] == []
            for key in (talk, work):
                assert outcome.before[key].uid not in {
                    heads[key].uid for heads in (outcome.answered, outcome.after) if key in heads
                }
            assert outcome.after[sources].uid == outcome.before[sources].uid
    print(
        f"{races} deletions against {len(WRITES)} writers on each of two processes, {deleted} writes before"
    )
