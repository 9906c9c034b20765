"""LangGraph's store semantics, over the real server."""

import asyncio
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest

pytest.importorskip("langgraph.store.base")

from langgraph.store.base import GetOp, IndexConfig, InvalidNamespaceError, PutOp
from langgraph.store.memory import InMemoryStore

from memorybank_client import InvalidArgument, MemoryBankError, SyncMemoryBankClient
from memorybank_client.adapters.langgraph_store import AsyncMemoryBankStore, MemoryBankStore
from tests.support.process import running_server
from tests.support.scale import scaled


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


def test_what_was_put_a_moment_ago_is_found_by_words_that_it_does_not_have(store: MemoryBankStore) -> None:
    for number in range(30):
        store.put(("just", f"n{number}"), "k", {"text": f"Noodles {number}."})

        assert len(store.search(("just", f"n{number}"), query="Is anything to be eaten?")) == 1


def test_others_nearer_items_hide_none_of_a_namespace(store: MemoryBankStore) -> None:
    crowd = [(f"k{number}", f"The ferry {number} leaves at nine.") for number in range(1_500)]
    store.batch([PutOp(("tenant", "acme-corp"), key, {"text": text}) for key, text in crowd])
    store.put(("tenant", "acme"), "lunch", {"text": "Noodles for lunch."})
    store.put(("tenant", "acme"), "boat", {"text": "A boat, no ferry."})
    store.put(("tenant", "acme", "船"), "渡轮", {"text": "渡轮九点开船。"})

    english = store.search(("tenant", "acme"), query="When does the ferry leave?")
    chinese = store.search(("tenant", "acme"), query="渡轮几点开？", limit=1)
    crowded = store.search(("tenant",), query="When does the ferry leave?", limit=1_200)

    assert english[0].key == "boat"
    assert sorted(item.key for item in english) == ["boat", "lunch", "渡轮"]
    assert chinese[0].key == "渡轮"
    assert len({(item.namespace, item.key) for item in crowded}) == 1_200


def test_a_namespace_that_only_begins_alike_is_another(store: MemoryBankStore) -> None:
    store.put(("tenant", "acme"), "note", {"text": "acme's own"})
    store.put(("tenant", "acme-corp"), "secret", {"text": "another's"})

    for query in (None, "whose own?"):
        assert [item.key for item in store.search(("tenant", "acme"), query=query)] == ["note"]
    assert store.search(("tenant", "ac"), query="own") == store.search(("tenant", "x" * 200)) == []


def test_of_puts_of_one_key_at_once_each_succeeds_and_one_stays(store: MemoryBankStore) -> None:
    with ThreadPoolExecutor(20) as several:
        list(several.map(lambda number: store.put(("a",), "k", {"n": number}), range(20)))

    (item,) = store.search(("a",))

    assert item.value["n"] in range(20)


def test_puts_and_deletes_of_one_key_at_once_all_succeed(store: MemoryBankStore) -> None:
    with ThreadPoolExecutor(12) as several:
        puts = several.map(lambda number: store.put(("a",), "k", {"n": number}), range(24))
        deletes = several.map(lambda _: store.delete(("a",), "k"), range(12))
        list(puts)
        list(deletes)

    store.put(("a",), "k", {"n": "last"})

    assert [item.value for item in store.search(("a",))] == [{"n": "last"}]


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"$and": [{"age": 30}]}, r"\$and"),
        ({"$or": [{"age": 30}, {"age": 31}]}, r"\$or"),
        ({"age": {"$not": {"$eq": 3}}}, r"\$not"),
        ({"age": {"$in": [30]}}, r"\$in"),
        ({"deep": {"age": {"$exists": True}}}, r"\$exists"),
        ({"$gt": 3}, r"\$gt"),
        ({"list": [{"$like": "x"}]}, r"\$like"),
    ],
)
@pytest.mark.parametrize("query", [None, "thirty"])
def test_an_operator_that_is_none_here_is_named_whatever_is_there(
    store: MemoryBankStore, asked: dict[str, Any], named: str, query: str | None
) -> None:
    with pytest.raises(ValueError, match=f"no operator '{named}'"):
        store.search(("nobody",), query=query, filter=asked)


def test_a_batch_is_all_or_none_and_its_reads_come_first(store: MemoryBankStore) -> None:
    space = ("a",)
    store.put(space, "old", {"n": 1})

    done = store.batch(
        [
            PutOp(space, "k", {"n": 1}),
            GetOp(space, "k"),
            PutOp(space, "k", {"n": 2}),
            PutOp(space, "old", None),
        ]
    )
    with pytest.raises(InvalidArgument):
        store.batch([PutOp(space, "fine", {"n": 1}), PutOp(space, "large", {"text": "x" * 2**20})])

    assert done == [None, None, None, None]
    assert [(item.key, item.value) for item in store.search(space)] == [("k", {"n": 2})]


def test_deletes_of_a_batch_are_one_change(store: MemoryBankStore) -> None:
    store.batch([PutOp(("a",), f"k{number}", {"n": number}) for number in range(3)])
    before = store._client.get_collection(**store._owner).collection.revision

    store.batch([PutOp(("a",), f"k{number}", None) for number in range(1, 5)])

    assert [item.key for item in store.search(("a",))] == ["k0"]
    assert store._client.get_collection(**store._owner).collection.revision == before + 1


def test_a_large_value_is_got_found_filtered_and_replaced_as_any_other(store: MemoryBankStore) -> None:
    large = {"kind": "log", "lines": ["渡轮 ferry"] * 1_000, "text": "x" * 70_000}
    store.put(("a",), "large", large, index=["kind"])
    store.put(("a",), "small", {"kind": "note", "text": "A tea 茶"})

    got, listed = store.get(("a",), "large"), store.search(("a",))

    assert got is not None
    assert got.value == large
    assert {item.key: item.value for item in listed}["large"] == large
    assert [item.value for item in store.search(("a",), filter={"kind": "log"})] == [large]
    assert store.search(("a",), query="log", filter={"kind": "log"})[0].value == large
    store.put(("a",), "large", {"kind": "log"})
    assert store.search(("a",), filter={"kind": "log"})[0].value == {"kind": "log"}


def test_a_name_with_dots_leads_into_a_value(store: MemoryBankStore) -> None:
    store.put(("a",), "oslo", {"at": {"sea": True, "name": "Oslo"}, "n": 1})
    store.put(("a",), "无锡", {"at": {"sea": False, "name": "无锡"}, "at.sea": True, "n": True})

    assert {item.key for item in store.search(("a",), filter={"at.sea": True})} == {"oslo", "无锡"}
    assert [item.key for item in store.search(("a",), filter={"at.name": {"$ne": "Oslo"}})] == ["无锡"]
    assert (
        len(store.search(("a",), query="place", filter={"n": 1})) == 2
    )  # to LangGraph's own stores 1 is true


@pytest.mark.parametrize("asked", [{"limit": -1}, {"offset": -1}])
def test_a_number_below_nothing_is_refused(store: MemoryBankStore, asked: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="0 or more"):
        store.search(("a",), **asked)


def test_labels_may_be_of_any_length(store: MemoryBankStore) -> None:
    long, longer = ("a" * 100, "船" * 100), ("a" * 100, "船" * 100, "x")
    store.put(long, "k", {"n": 1})
    store.put(longer, "k", {"n": 2})

    assert store.get(long, "k") != store.get(longer, "k")
    assert {item.namespace for item in store.search(long[:1], query="k")} == {long, longer}
    assert [item.namespace for item in store.search(longer)] == [longer]
    assert store.list_namespaces(prefix=long[:1]) == sorted((long, longer))


def test_secrets_are_kept_where_the_store_was_told_so(store: MemoryBankStore) -> None:
    secret = {"note": "password: hunter2secret!"}
    with pytest.raises(MemoryBankError):
        store.put(("a",), "k", secret)

    allowing = MemoryBankStore(store._client, **store._owner, allow_sensitive=True)
    allowing.put(("a",), "k", secret)

    item = store.get(("a",), "k")
    assert item is not None
    assert item.value == secret


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


def test_an_item_is_put_anew_after_its_time(store: MemoryBankStore) -> None:
    store.put(("a",), "k", {"n": 1}, ttl=0.0)

    store.put(("a",), "k", {"n": 2})

    item = store.get(("a",), "k")
    assert item is not None
    assert item.value == {"n": 2}


def test_a_read_lets_the_time_to_live_begin_anew_and_is_no_put(store: MemoryBankStore) -> None:
    store.put(("a",), "k", {"n": 1}, ttl=60.0)
    store.put(("a",), "kept", {"n": 1})
    first = store.get(("a",), "k", refresh_ttl=False)
    before = lifetime(store, "k")

    again = store.get(("a",), "k")
    read = lifetime(store, "k")
    found = {item.key: item for item in store.search(("a",), filter={"n": 1})}

    assert before == 3600
    assert before < read < lifetime(store, "k") < before + 600
    assert first == again
    assert first is not None
    assert found["k"].updated_at == first.updated_at
    assert lifetime(store, "kept") == 0


def lifetime(store: MemoryBankStore, key: str) -> float:
    """Seconds from the making of an item's record to its end; 0: without end."""
    record = store._record(("a",), key)
    assert record is not None
    return record.ttl.ToTimedelta().total_seconds()


def test_namespaces_are_as_langgraph_wants_them(store: MemoryBankStore) -> None:
    for wrong in ((), ("a.b",), ("",), ("langgraph", "x")):
        with pytest.raises(InvalidNamespaceError):
            store.put(wrong, "k", {"n": 1})


LABELS = ("a", "b", "数据")
VALUES: tuple[Any, ...] = (1, 2.5, "tea", "茶", None, True, ["x", 1], {"deep": {"n": 1}, "other": "y"})
FILTERS: tuple[Any, ...] = (
    {"v": 1},
    {"v": "茶"},
    {"v": {"$ne": 1}},
    {"v": {"$eq": "tea"}},
    {"n": {"$gt": 3}},
    {"n": {"$gte": 3, "$lt": 7}},
    {"v": ["x", 1]},
    {"v": {"deep": {"n": 1}}},
    {"v": {"deep": {"n": {"$lte": 0}}}},
    {"v": None},
    {"none": {"$ne": 1}},
    {},
)


def test_random_operations_end_as_in_langgraph_s_own_store(store: MemoryBankStore) -> None:
    own, chance = InMemoryStore(), random.Random(7)

    def namespace() -> tuple[str, ...]:
        return tuple(chance.choices(LABELS, k=chance.randint(1, 3)))

    for number in range(scaled(60)):
        space, key = namespace(), f"k{chance.randrange(3)}"
        act = chance.random()
        if act < 0.5:
            value = {"v": chance.choice(VALUES), "n": number % 10}
            for each in (store, own):
                each.put(space, key, value)
        elif act < 0.65:
            for each in (store, own):
                each.delete(space, key)
        elif act < 0.75:
            assert plain(store.get(space, key)) == plain(own.get(space, key))
        elif act < 0.9:
            asked: dict[str, Any] = {"filter": chance.choice(FILTERS), "limit": 1_000}
            ours, theirs = (each.search(space[:1], **asked) for each in (store, own))
            assert sorted(map(plain, ours), key=str) == sorted(map(plain, theirs), key=str)
        else:
            listed: dict[str, Any] = {
                "prefix": chance.choice((None, space[:1], ("*", *space[1:2]))),
                "suffix": chance.choice((None, space[-1:])),
                "max_depth": chance.choice((None, 1, 2)),
                "limit": chance.choice((2, 100)),
                "offset": chance.choice((0, 1)),
            }
            empty = {n for n, items in own._data.items() if not items}  # it lists what has nothing left
            if not empty:
                assert store.list_namespaces(**listed) == own.list_namespaces(**listed)


def plain(item: Any) -> Any:
    return item and (item.namespace, item.key, item.value)


def test_the_asynchronous_side_is_the_same_store(store: MemoryBankStore) -> None:
    async def both() -> object:
        await store.aput(("a",), "k", {"n": 1})
        return await store.aget(("a",), "k")

    item = asyncio.run(both())

    assert item == store.get(("a",), "k")


LETTERS = "abcdefghijklmnopqrstuvwxyz茶船"


def letters(texts: list[str]) -> list[list[float]]:
    return [[3.0 * text.count(letter) for letter in LETTERS] for text in texts]


async def later_letters(texts: list[str]) -> list[list[float]]:
    return letters(texts)


def index_of(embed: Any, *fields: str) -> IndexConfig:
    config: IndexConfig = {"dims": len(LETTERS), "embed": embed}
    return {**config, "fields": list(fields)} if fields else config


@pytest.fixture
def indexed(store: MemoryBankStore) -> MemoryBankStore:
    return MemoryBankStore(store._client, **store._owner, index=index_of(letters, "title", "notes[*].text"))


def test_an_index_of_the_caller_s_scores_as_in_langgraph_s_own_store(indexed: MemoryBankStore) -> None:
    own = InMemoryStore(index=index_of(letters, "title", "notes[*].text"))
    for each in (indexed, own):
        each.put(("a",), "tea", {"title": "tea 茶", "notes": [{"text": "zzz"}, {"text": "mm 船"}]})
        each.put(("a", "b"), "boat", {"title": "boat", "other": "zzz"})
        each.put(("a",), "by path", {"title": "boat", "other": "zzzz"}, index=["other"])
        each.put(("a",), "unindexed", {"title": "zzz"}, index=False)
        each.put(("c",), "outside", {"title": "zzz"})

    for query in ("zzz", "boat", "船", "茶"):
        ours, theirs = (each.search(("a",), query=query) for each in (indexed, own))
        scores = {item.key: item.score for item in theirs}
        assert {item.key: item.score for item in ours} == pytest.approx(scores, abs=1e-5)
        ranked = [item.score or 0.0 for item in ours]
        assert ranked == sorted(ranked, reverse=True)
        assert ours[3].key == "unindexed"
        assert indexed.search(("a",), query=query, limit=1, offset=1) == ours[1:2]


def test_items_follow_without_a_score_where_they_have_no_vector_of_the_index(
    store: MemoryBankStore, indexed: MemoryBankStore
) -> None:
    store.put(("a",), "before", {"title": "zzz"})
    indexed.put(("a",), "with", {"title": "tea"})

    found = indexed.search(("a",), query="zzz")

    assert [(item.key, item.score is None) for item in found] == [("with", False), ("before", True)]
    assert indexed.search(("a",), filter={"title": "tea"})[0].value == {"title": "tea"}


def test_an_embedder_of_other_dimensions_is_refused_before_anything_is_put(store: MemoryBankStore) -> None:
    wrong = MemoryBankStore(
        store._client, **store._owner, index=index_of(lambda texts: [[1.0] for _ in texts])
    )

    with pytest.raises(ValueError, match="dims=28"):
        wrong.put(("a",), "k", {"n": 1})

    assert store.get(("a",), "k") is None


def test_paths_of_langgraph_s_forms_lead_to_what_searches_read(store: MemoryBankStore) -> None:
    value = {
        "notes": [{"text": "A ferry 渡轮"}, {"text": "plums"}],
        "place": {"name": "Naxos", "of": "islands"},
    }
    paths = {
        "first": "notes[0].text",
        "last": "notes[-1].text",
        "all": "notes[*].text",
        "several": "place.{name,of}",
    }
    for key, path in paths.items():
        store.put(("a",), key, value, index=[path])

    contents = {key: store._record(("a",), key) for key in paths}

    assert {key: record and record.content for key, record in contents.items()} == {
        "first": "A ferry 渡轮",
        "last": "plums",
        "all": "A ferry 渡轮\nplums",
        "several": "Naxos\nislands",
    }


def test_what_one_turn_of_a_loop_asks_for_is_one_change(store: MemoryBankStore) -> None:
    changes: list[int] = []

    class Counting(MemoryBankStore):
        def batch(self, ops: Any) -> Any:
            raise AssertionError("the loop would be blocked")

        async def abatch(self, ops: Any) -> Any:
            changes.append(len(list(ops)))
            return await super().abatch(ops)

    async def ask() -> list[Any]:
        loop_s = AsyncMemoryBankStore(Counting(store._client, **store._owner, index=index_of(later_letters)))
        await asyncio.gather(*(loop_s.aput(("a",), f"k{n}", {"text": "tea"}) for n in range(50)))
        with pytest.raises(asyncio.InvalidStateError):
            loop_s.get(("a",), "k0")
        assert (await asyncio.to_thread(loop_s.get, ("a",), "k0")) == await loop_s.aget(("a",), "k0")
        return await loop_s.asearch(("a",), query="tea", limit=100)

    found = asyncio.run(ask())

    assert changes == [50, 1, 1, 1]
    assert len(found) == 50
    assert all(item.score is not None for item in found)
