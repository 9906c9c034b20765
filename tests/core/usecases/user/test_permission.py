"""A call asks for its user's record once, whatever it reads and writes of theirs."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any, cast

import pytest

from core.ids import Collection, ConversationId, InvocationId, RunId, Tenant, User
from core.keys import CollectionKey, ConversationKey, InvocationKey, Key
from core.model.instructions import Level, Owner, SourceRef
from core.model.user import UserRecord
from core.ports.aggregates import Aggregates
from core.usecases.context.asked import AssembleContext
from core.usecases.context.assemble_context import assemble_context
from core.usecases.conversation.across import AllConversations
from core.usecases.conversation.verbs.create_conversation import CreateConversation, create_conversation
from core.usecases.conversation.verbs.search_turns import SearchTurns, search_turns
from core.usecases.conversation.verbs.start_invocation import StartInvocation, start_invocation
from core.usecases.house import House
from core.usecases.instructions.load_sources import LoadSources, load_sources
from core.usecases.instructions.put_source import PutSource, put_source
from core.usecases.long_term.verbs.add_record import AddRecord
from core.usecases.long_term.verbs.retrieve_facts import RetrieveFacts, retrieve_facts
from core.usecases.long_term.verbs.store_fact import StoreFact, store_fact
from core.usecases.long_term.verbs.update_collection import UpdateCollection, update_collection
from core.user.user import UserAggregate
from tests.support.house import open_house
from tests.support.long_term import new
from tests.support.talking import said, say

ACME, ADA = Tenant("acme"), User("ada")
FACTS = CollectionKey(tenant=ACME, user=ADA, collection=Collection("work"))
TALK = ConversationKey(tenant=ACME, user=ADA, conversation_id=ConversationId("c1"))
OWNER = Owner(level=Level.USER, name=ADA)
SOURCES = LoadSources(tenant=ACME, refs=(SourceRef(owner=OWNER),), user=ADA, run_id=RunId("r1"))


class CountedUsers:
    """Users' records, and how often one was asked for."""

    def __init__(self, inner: Aggregates[UserAggregate]) -> None:
        self._inner = inner
        self.count = 0

    def reading(self, key: Key, min_revision: int = 0) -> AbstractAsyncContextManager[UserAggregate]:
        self.count += 1
        return self._inner.reading(key, min_revision)

    async def record(self, key: Key) -> UserRecord | None:
        self.count += 1
        return await self._inner.record(key)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


async def store(house: House) -> object:
    adding = AddRecord(key=FACTS, record=new("The ferry leaves at nine."))
    return await store_fact(house, StoreFact(adding=adding))


async def talk(house: House) -> object:
    return await say(house, said("When does the ferry leave?", "At nine."), key=TALK)


async def retrieve(house: House) -> object:
    return await retrieve_facts(house, RetrieveFacts(key=FACTS, query="ferry"))


async def assemble(house: House) -> object:
    asked = AssembleContext(
        input="When does the ferry leave?",
        conversation=TALK,
        collection=FACTS,
        invocation=InvocationKey(tenant=ACME, user=ADA, invocation_id=InvocationId("i1")),
        instructions=SOURCES,
    )
    return await assemble_context(house, asked)


async def load(house: House) -> object:
    return await load_sources(house, SOURCES)


async def put(house: House) -> object:
    return await put_source(house, PutSource(tenant=ACME, owner=OWNER, path="a.md", text="Be brief."))


async def create(house: House) -> object:
    return await create_conversation(
        house, CreateConversation(tenant=ACME, user=ADA, collection=FACTS.collection)
    )


async def start(house: House) -> object:
    command = StartInvocation(
        tenant=ACME,
        user=ADA,
        collection=FACTS.collection,
        conversation_id=ConversationId("c2"),
        invocation_id=None,
        query="Which ferry?",
        enable_memory=True,
    )
    return await start_invocation(house, command)


async def search(house: House) -> object:
    return await search_turns(house, SearchTurns(among=AllConversations(tenant=ACME, user=ADA), text="ferry"))


async def update(house: House) -> object:
    return await update_collection(house, UpdateCollection(key=FACTS, fields={"enabled"}))


CALLS = (store, talk, retrieve, assemble, load, put, create, start, search, update)


@pytest.mark.parametrize("call", CALLS)
async def test_a_call_asks_for_its_users_record_once(call: Callable[[House], Awaitable[object]]) -> None:
    async with open_house(unasked=False) as inner:
        users = CountedUsers(inner.users)
        house = replace(inner, users=cast(Aggregates[UserAggregate], users))
        await call(house)  # of a user for whom nothing was written yet
        first, users.count = users.count, 0
        for furnishing in (store, talk, put, start):
            await furnishing(inner)
        await call(house)

    assert (first, users.count) == (1, 1)
