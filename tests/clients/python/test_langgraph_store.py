"""LangGraph's store semantics, over the real server."""

import asyncio
from collections.abc import Iterator
from uuid import uuid4

import pytest

pytest.importorskip("langgraph.store.base")

from memorybank_client import SyncMemoryBankClient
from memorybank_client.adapters.langgraph_store import MemoryBankStore
from service.cli.demo.server import running_server


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running_server() as found:
        yield found


@pytest.fixture
def store(address: str) -> Iterator[MemoryBankStore]:
    with SyncMemoryBankClient(address) as client:
        yield MemoryBankStore(client, user=f"u-{uuid4()}", collection="langgraph")


def test_what_is_put_is_got_back_and_deleted(store: MemoryBankStore) -> None:
    value = {"food": "面条", "rank": 3, "nested": {"likes": ["tea", None, 1.5]}}
    store.put(("ada", "prefs"), "lunch", value)

    item = store.get(("ada", "prefs"), "lunch")
    store.delete(("ada", "prefs"), "lunch")

    assert item is not None
    assert (item.namespace, item.key, item.value) == (("ada", "prefs"), "lunch", value)
    assert item.created_at <= item.updated_at
    assert store.get(("ada", "prefs"), "lunch") is None
    assert store.get(("nobody",), "nothing") is None


def test_putting_again_replaces_the_value_and_keeps_its_first_time(store: MemoryBankStore) -> None:
    store.put(("a",), "k", {"n": 1})
    first = store.get(("a",), "k")

    store.put(("a",), "k", {"n": 2})

    again = store.get(("a",), "k")
    assert first is not None
    assert again is not None
    assert again.value == {"n": 2}
    assert again.created_at == first.created_at
    assert again.updated_at > first.updated_at


def test_search_filters_below_a_namespace_and_pages(store: MemoryBankStore) -> None:
    for number in range(5):
        store.put(("docs", "a" if number % 2 else "b"), f"k{number}", {"n": number, "kind": "note"})
    store.put(("other",), "k", {"n": 9, "kind": "note"})

    below = store.search(("docs",), filter={"kind": "note", "n": {"$gte": 2}}, limit=10)
    page = store.search(("docs",), limit=2, offset=4)

    assert sorted(item.value["n"] for item in below) == [2, 3, 4]
    assert len(page) == 1
    assert len(store.search(("docs", "a"))) == 2
    with pytest.raises(ValueError, match="no operator"):
        store.search(("docs",), filter={"n": {"$like": 1}})


def test_search_by_meaning_brings_the_nearest_first_with_a_score(store: MemoryBankStore) -> None:
    store.put(("notes",), "ferry", {"text": "The ferry leaves from pier 3 at nine in the morning."})
    store.put(("notes",), "lunch", {"text": "The user likes noodles for lunch."})

    found = store.search(("notes",), query="When does the ferry leave?", limit=1)

    assert [item.key for item in found] == ["ferry"]
    assert found[0].score is not None


def test_namespaces_are_listed_by_prefix_suffix_and_depth(store: MemoryBankStore) -> None:
    for namespace in (("a", "b", "c"), ("a", "b", "d"), ("a", "x"), ("z",)):
        store.put(namespace, "k", {"n": 1})

    assert store.list_namespaces(prefix=("a",)) == [("a", "b", "c"), ("a", "b", "d"), ("a", "x")]
    assert store.list_namespaces(prefix=("a", "*"), suffix=("d",)) == [("a", "b", "d")]
    assert store.list_namespaces(max_depth=1) == [("a",), ("z",)]
    assert store.list_namespaces(limit=1, offset=3) == [("z",)]


def test_what_has_outlived_its_time_is_gone(store: MemoryBankStore) -> None:
    store.put(("a",), "short", {"n": 1}, ttl=0.0)
    store.put(("a",), "long", {"n": 1}, ttl=60.0)

    assert store.get(("a",), "short") is None
    assert [item.key for item in store.search(("a",))] == ["long"]


def test_the_asynchronous_side_is_the_same_store(store: MemoryBankStore) -> None:
    async def both() -> object:
        await store.aput(("a",), "k", {"n": 1})
        return await store.aget(("a",), "k")

    item = asyncio.run(both())

    assert item == store.get(("a",), "k")
