"""What every store keeps to of many aggregates: heads, lists, purges, work to do, claims, clocks."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from core.bank.steps import (
    AttachmentPut,
    BankPut,
    ClusterPut,
    ConflictPut,
    InteractionAdd,
    PairSettle,
    Step,
    StructuringPut,
)
from core.errors import BankNotFound, StoreUnavailable
from core.ids import RequestId, Tenant
from core.internal_errors import HeadMoved
from core.model.access import Binding
from core.model.structuring import StructuringState
from core.ports.store import Listing, PurgeCounts, Store
from tests.support import changes as a
from tests.support.stored import N1, N2, founded, loaded

ALL = Listing(labels={})


# ---- heads and lists ----


async def test_heads_are_given_of_the_banks_that_exist(store: Store) -> None:
    one, other = await founded(store, a.key("b1")), await founded(store, a.key("b2", tenant="other"))

    heads = await store.heads([a.key("b1"), a.key("b2", tenant="other"), a.key("b2"), a.key("missing")])

    assert heads == {one.key: one.head, other.key: other.head}
    assert await store.heads([]) == {}


async def test_of_many_heads_those_that_moved_are_given(store: Store) -> None:
    still, moved, purged, again = [await founded(store, a.key(name)) for name in ("1", "2", "3", "4")]
    known = await store.heads([still.key, moved.key, purged.key, again.key])
    await store.append(moved.key, "u1", [moved.change(a.node_put("n3"))])
    await store.delete(purged.key)
    await store.delete(again.key)
    successor = await founded(store, again.key, uid="u2", first=9)

    assert await store.moved(known) == {moved.key: moved.head, purged.key: None, again.key: successor.head}
    assert await store.moved({still.key: known[still.key]}) == {}
    assert await store.moved({}) == {}


async def test_banks_are_listed_in_pages_by_id(store: Store) -> None:
    for name in ["c", "a", "e", "b", "d"]:
        await founded(store, a.key(name))

    first = await store.listed(Tenant("acme"), "bank", ALL, "", 2)
    rest = await store.listed(Tenant("acme"), "bank", ALL, "b", 10)

    assert [record.key.bank_id for record, _ in first] == ["a", "b"]
    assert [record.key.bank_id for record, _ in rest] == ["c", "d", "e"]
    assert first[0] == (a.record(a.key("a")), 1)


async def test_banks_are_listed_by_user_collection_and_labels(store: Store) -> None:
    scopes: dict[str, dict[str, Any]] = {
        "b1": {"user": "小明", "collection": "x", "labels": {"队": "甲", "env": "test"}},
        "b2": {"user": "小明", "collection": "y", "labels": {"队": "甲"}},
        "b3": {"user": "amy", "collection": "x", "labels": {"队": "乙", "quo\"te'd": "$.a"}},
        "b4": {},
    }
    for name, fields in scopes.items():
        await store.append(a.key(name), "u1", [a.Story(a.key(name)).founding(**fields)])

    async def listed(**chosen: Any) -> list[str]:
        asked = Listing(**({"labels": {}} | chosen))
        return [record.key.bank_id for record, _ in await store.listed(Tenant("acme"), "bank", asked, "", 10)]

    assert await listed() == ["b1", "b2", "b3", "b4"]
    assert await listed(user="小明") == ["b1", "b2"]
    assert await listed(user="小明", collection="y") == ["b2"]
    assert await listed(collection="x") == ["b1", "b3"]
    assert await listed(labels={"队": "甲"}) == ["b1", "b2"]
    assert await listed(labels={"队": "甲", "env": "test"}) == ["b1"]
    assert await listed(labels={"quo\"te'd": "$.a"}) == ["b3"]
    assert await listed(labels={"env": "prod"}) == []


async def test_tenants_never_meet(store: Store) -> None:
    ours, theirs = a.key("same", "ours"), a.key("same", "theirs")
    our_story, their_story = await founded(store, ours, "u1"), await founded(store, theirs, "u2")
    await store.append(ours, "u1", [our_story.change(a.node_put("secret"), requests=[a.request("r1")])])

    assert len((await loaded(store, theirs)).nodes) == 2
    assert await a.kept(store, theirs, RequestId("r1")) is None
    assert [record.uid for record, _ in await store.listed(Tenant("theirs"), "bank", ALL, "", 9)] == ["u2"]

    await store.delete(ours)

    assert (await loaded(store, theirs)).head == their_story.head


# ---- purge ----


async def test_a_purge_counts_what_it_removed(store: Store) -> None:
    story = await founded(store)
    shared = a.attachment("x", "s3://shared")
    await store.append(
        a.KEY,
        "u1",
        [
            story.change(
                InteractionAdd(
                    interaction=a.interaction(
                        "i2", "一", "二", "三", attachments=(shared, a.attachment("y", "blob:y", stored=True))
                    )
                ),
                AttachmentPut(attachment=shared),
                AttachmentPut(attachment=a.attachment("z", "https://z")),
                StructuringPut(structuring=a.structuring("i2", StructuringState.PENDING)),
                ClusterPut(cluster=a.cluster("i2", 0)),
                ConflictPut(conflict=a.conflict("c1", "n1", "n2")),
                PairSettle(node_id=N1, other_node_id=N2),
                requests=[a.request("r1"), a.request("r2")],
            )
        ],
    )

    counts = await store.delete(a.KEY, "u1")

    assert counts == PurgeCounts(
        nodes=2, edges=1, interactions=2, segments=5, conflicts=1, changes=2, requests=2, files_left=2
    )


async def test_a_purged_bank_is_gone_everywhere(store: Store) -> None:
    story = await founded(store)
    await store.append(
        a.KEY,
        "u1",
        [
            story.change(
                BankPut(record=a.record(finish_time=a.at(0), ttl=timedelta(0))),
                StructuringPut(structuring=a.structuring("i1", StructuringState.PENDING)),
                requests=[a.request("r1")],
            )
        ],
    )

    await store.delete(a.KEY)

    assert await store.load(a.KEY) is None
    assert await store.heads([a.KEY]) == {}
    assert await a.kept(store, a.KEY, RequestId("r1")) is None
    assert await store.listed(a.KEY.tenant, "bank", ALL, "", 10) == []
    assert await store.leftovers(10) == []
    assert await store.expired(a.at(99), 0, 10) == []
    with pytest.raises(BankNotFound):
        await store.changes(a.KEY, "u1", 0, 10)
    with pytest.raises(BankNotFound):
        await store.delete(a.KEY)


async def test_purging_a_bank_under_another_uid_removes_nothing(store: Store) -> None:
    await founded(store)

    with pytest.raises(BankNotFound):
        await store.delete(a.KEY, "u2")

    assert len((await loaded(store)).nodes) == 2


async def test_purging_a_bank_that_has_moved_on_removes_nothing(store: Store) -> None:
    await founded(store)

    with pytest.raises(HeadMoved):
        await store.delete(a.KEY, "u1", 7)

    assert len((await loaded(store)).nodes) == 2
    assert (await store.delete(a.KEY, "u1", 1)).nodes == 2


async def test_a_purge_leaves_the_other_banks_alone(store: Store) -> None:
    await founded(store, a.key("b1"))
    await founded(store, a.key("b2"))
    before = await loaded(store, a.key("b2"))

    await store.delete(a.key("b1"))

    assert a.same(await loaded(store, a.key("b2")), before)


# ---- work to do ----


async def test_leftovers_come_longest_untouched_first_from_all_tenants(store: Store) -> None:
    for tenant, seconds in (("one", (30, 10)), ("two", (20, 40))):
        story = await founded(store, a.key("b", tenant))
        steps: list[Step] = []
        for number, second in enumerate(seconds):
            state = StructuringState.FAILED if number else StructuringState.PENDING
            steps.append(InteractionAdd(interaction=a.interaction(f"x{second}", "文")))
            steps.append(StructuringPut(structuring=a.structuring(f"x{second}", state, second)))
        steps.append(StructuringPut(structuring=a.structuring("i1", StructuringState.DONE, 1)))
        await store.append(story.key, "u1", [story.change(*steps)])

    found = await store.leftovers(3)

    assert [(left.key.tenant, left.interaction_id) for left in found] == [
        ("one", "x10"),
        ("two", "x20"),
        ("one", "x30"),
    ]
    assert found[0].update_time == a.at(10)


async def test_finished_banks_expire_by_their_own_ttl_or_the_default(store: Store) -> None:
    banks: dict[str, dict[str, Any]] = {
        "at-once": {"finish_time": a.at(0), "ttl": timedelta(0)},
        "default": {"finish_time": a.at(0)},
        "later": {"finish_time": a.at(0), "ttl": timedelta(seconds=1000)},
        "unfinished": {"ttl": timedelta(0)},
    }
    for name, fields in banks.items():
        await store.append(a.key(name), f"u-{name}", [a.Story(a.key(name), f"u-{name}").founding(**fields)])

    async def expired(seconds: float, limit: int = 10) -> list[tuple[str, str]]:
        return [(key.name, uid) for key, uid in await store.expired(a.at(seconds), 60.5, limit)]

    assert await expired(-1) == []
    assert await expired(0) == [("at-once", "u-at-once")]
    assert await expired(60.5) == [("at-once", "u-at-once"), ("default", "u-default")]
    assert await expired(60.499999) == [("at-once", "u-at-once")]
    assert [name for name, _ in await expired(5000)] == ["at-once", "default", "later"]
    assert await expired(5000, limit=1) == [("at-once", "u-at-once")]


# ---- closing ----


async def test_a_claim_is_its_holders_until_it_runs_out(store: Store) -> None:
    assert await store.claim("work", "one", 3_600)

    assert not await store.claim("work", "two", 3_600)
    assert await store.claim("other work", "two", 3_600)
    assert await store.claim("work", "one", 0.0)  # prolonged, and over at once
    await asyncio.sleep(0.01)
    assert await store.claim("work", "two", 3_600)
    assert not await store.claim("work", "one", 3_600)


async def test_of_claims_that_race_one_wins(store: Store) -> None:
    taken = await asyncio.gather(*(store.claim("work", f"holder {n}", 60) for n in range(8)))

    assert sorted(taken) == [False] * 7 + [True]


async def test_claims_that_have_run_out_are_trimmed_and_those_that_last_stay(store: Store) -> None:
    await store.claim("over", "one", 0.0)
    await store.claim("lasts", "one", 3_600)
    await asyncio.sleep(0.01)

    assert await store.trim(a.at(0)) == 0

    assert not await store.claim("lasts", "two", 60)


async def test_the_latest_time_is_the_latest_told_or_that_of_the_newest_change(store: Store) -> None:
    story = a.Story()
    times = [await store.latest_time()]
    await store.append(
        a.KEY, "u1", [story.founding(time=a.at(7)), story.change(a.node_put("n1"), time=a.at(3))]
    )
    times.append(await store.latest_time())
    for told in (a.at(2), a.at(9), a.at(8)):
        await store.tell_time(told)
        times.append(await store.latest_time())

    assert times == [None, a.at(7), a.at(2), a.at(9), a.at(9)]


async def test_everything_is_found_by_its_key_and_read_as_it_was_written(store: Store) -> None:
    keys = [a.key("b1", "one"), a.key("b2", "one"), a.key("b1", "two")]
    for key in keys:
        await store.append(key, "u1", [a.founding_with_two_nodes(a.Story(key))])

    found = [await store.keys(None, 2), await store.keys(keys[1], 2), await store.keys(keys[2], 2)]
    read = await store.verify(keys[1])

    assert found == [keys[:2], keys[2:], []]
    assert a.same(read, await store.load(keys[1]))
    assert await store.verify(a.key("b3", "one")) is None
    assert list(await store.check_database()) == []


async def test_what_is_there_is_counted_no_further_than_asked(store: Store) -> None:
    for bank_id in ("b1", "b2", "b3"):
        key = a.key(bank_id)
        await store.append(key, "u1", [a.founding_with_two_nodes(a.Story(key))])
    await store.append(a.key("b1", "other"), "u1", [a.founding_with_two_nodes(a.Story(a.key("b1", "other")))])

    counts = [await store.count_all(Tenant("acme"), "bank", most) for most in (2, 9)]
    facts = await store.facts()

    assert counts == [2, 3]
    assert await store.count_all(Tenant("acme"), "user", 9) == 0
    assert facts.kind in ("memory", "sqlite", "postgres")
    assert (facts.schema > 0) == (facts.size > 0) == (facts.kind != "memory")


async def test_a_closed_store_answers_unavailable(store: Store) -> None:
    await store.close()

    with pytest.raises(StoreUnavailable):
        await store.load(a.KEY)
    with pytest.raises(StoreUnavailable):
        await founded(store)
    await store.close()


# ---- within what a credential is bound to ----


async def test_lists_keep_to_a_binding(store: Store) -> None:
    for name, collection in {"a.1": "work", "a.2": "家", "b.1": "work", "b.2": ""}.items():
        await store.append(a.key(name), "u1", [a.Story(a.key(name)).founding(collection=collection)])

    async def listed(after: str = "", limit: int = 10, **bound: Any) -> list[str]:
        chosen = Listing(within=Binding(**bound))
        found = await store.listed(Tenant("acme"), "bank", chosen, after, limit)
        return [record.key.bank_id for record, _ in found]

    assert await listed() == ["a.1", "a.2", "b.1", "b.2"]
    assert await listed(bank_prefix="a.") == ["a.1", "a.2"]
    assert await listed(bank_prefix="%") == []
    assert await listed(banks=("b.1", "a.1")) == ["a.1", "b.1"]
    assert await listed(banks=()) == []
    assert await listed(collections=("家",)) == ["a.2"]
    assert await listed(collections=()) == []
    assert await listed(banks=("a.1", "b.1", "b.2"), collections=("work", ""), after="a.1", limit=1) == [
        "b.1"
    ]


async def test_a_record_is_read_by_its_row_alone(store: Store) -> None:
    story = await founded(store, a.key("b1"))

    assert await store.record(a.key("b1")) == a.record(story.key)
    assert await store.record(a.key("b2")) is None
