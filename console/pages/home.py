"""The beginning: whose memory there is, and all of one user's: banks, conversations, collections, documents; a search
over all of it; and what the service says of its own health."""

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.responses import Response

from console import calls, links
from console.visit import Visit
from memorybank.v1 import instructions_pb2 as instructions
from memorybank.v1 import memory_bank_pb2 as memory
from memorybank_client import MemoryBankError, PermissionDenied

PAGE = 50
FOUND = 5
"""How many memories each collection and bank answers to a search."""

Asked = Callable[[], Awaitable[Any]]


async def allowed(answer: Awaitable[Any]) -> Any:
    """Returns an answer; None where the key is not allowed to have it."""
    try:
        return await answer
    except PermissionDenied:
        return None


async def home(visit: Visit) -> Response:
    client = visit.client
    users = await allowed(client.list_users(page_size=PAGE, page_token=visit.get("users")))
    banks = await allowed(client.list_banks(page_size=PAGE, page_token=visit.get("banks")))
    info = await allowed(client.get_server_info())
    return visit.page("home.html", users=users, banks=banks, info=info)


async def server(visit: Visit) -> Response:
    return visit.page("server.html", info=await visit.client.get_server_info())


async def user(visit: Visit) -> Response:
    """Shows all that is kept of a user. A form searches it."""
    if visit.request.method == "POST":
        return await _search(visit)
    name, client = visit["user"], visit.client
    talks = await client.list_conversations(user=name, page_size=PAGE, page_token=visit.get("talks"))
    collections = await client.list_collections(
        user=name, page_size=PAGE, page_token=visit.get("collections")
    )
    banks = await client.list_banks(user=name, page_size=PAGE, page_token=visit.get("banks"))
    owner = instructions.Owner(user=name)
    return visit.page(
        "user.html",
        user=name,
        talks=talks,
        collections=await calls.each(
            lambda each: client.get_collection(user=name, collection=each.collection), collections.collections
        ),
        more_collections=collections.next_page_token,
        banks=await calls.each(lambda each: _standing(visit, each.bank_id), banks.banks),
        more_banks=banks.next_page_token,
        documents=await allowed(client.list_sources(owner=owner)),
    )


async def _standing(visit: Visit, bank_id: str) -> memory.GetBankResponse | None:
    """Reads a bank; None where it was purged meanwhile."""
    try:
        return await visit.client.get_bank(bank_id=bank_id)
    except MemoryBankError:
        return None


async def _search(visit: Visit) -> Response:
    """Finds what a user's memory holds on a text, wherever it lies: no more than eight calls at once."""
    name, text, client = visit["user"], visit["text"].strip(), visit.client
    if not text:
        return visit.go(links.user(name))
    collections = (await client.list_collections(user=name, page_size=PAGE)).collections
    banks = (await client.list_banks(user=name, page_size=PAGE)).banks
    asked: list[Asked] = [lambda: client.search_turns(user=name, text=text, top_k=2 * FOUND)]
    for one in collections:
        asked.append(
            lambda one=one: client.retrieve_memories(  # type: ignore[misc]
                user=name, collection=one.collection, query=text, top_k=FOUND, observe=True
            )
        )
    for bank in banks:
        asked.append(lambda bank=bank: client.search(bank_id=bank.bank_id, text=text, top_k=FOUND))  # type: ignore[misc]
    turns, *rest = await calls.each(lambda ask: ask(), asked)
    return visit.page(
        "found.html",
        user=name,
        text=text,
        turns=turns,
        records=list(zip(collections, rest[: len(collections)], strict=True)),
        banks=list(zip(banks, rest[len(collections) :], strict=True)),
    )
