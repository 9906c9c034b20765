"""Memories under ids of their callers' own, and searches among some of them, over a real channel."""

import asyncio
from collections.abc import AsyncIterator
from itertools import count
from typing import Any

import grpc
import pytest
import pytest_asyncio
from google.protobuf.duration_pb2 import Duration

from memorybank.v1 import errors_pb2 as errors
from memorybank.v1 import long_term_pb2 as pb
from tests.support.server import Service, refused, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")

USERS = count()
EQ, NE, IN = pb.METADATA_OP_EQ, pb.METADATA_OP_NE, pb.METADATA_OP_IN
GT, GTE, LT, LTE = pb.METADATA_OP_GT, pb.METADATA_OP_GTE, pb.METADATA_OP_LT, pb.METADATA_OP_LTE
DECIDE = pb.Route(intent=pb.INTENT_DECIDE, categories=["strategy"])


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def service() -> AsyncIterator[Service]:
    async with serving() as served:
        yield served


class Memory:
    """One collection of a user of its own."""

    def __init__(self, service: Service) -> None:
        self.stub = service.long_term
        self.of: dict[str, Any] = {"user": f"ada{next(USERS)}", "collection": "notes"}

    async def put(self, record_id: str, content: str = "", **fields: Any) -> pb.PutRecordResponse:
        call = {name: fields.pop(name) for name in ("if_revision", "request_id") if name in fields}
        record = pb.Record(record_id=record_id, content=content or record_id, **fields)
        return await self.stub.PutRecord(pb.PutRecordRequest(record=record, **call, **self.of))

    async def batch(self, *records: pb.Record, **fields: Any) -> pb.BatchPutRecordsResponse:
        return await self.stub.BatchPutRecords(
            pb.BatchPutRecordsRequest(records=records, **fields, **self.of)
        )

    async def get(self, record_id: str) -> pb.Record:
        return (await self.stub.GetRecord(pb.GetRecordRequest(record_id=record_id, **self.of))).record

    async def listed(self, **chosen: Any) -> list[str]:
        asked = pb.ListRecordsRequest(filter=pb.RecordFilter(**chosen), page_size=1_000, **self.of)
        return [record.record_id for record in (await self.stub.ListRecords(asked)).records]

    async def found(self, query: str, **fields: Any) -> list[str]:
        asked = pb.RetrieveMemoriesRequest(query=query, route=DECIDE, wait=True, **fields, **self.of)
        return [one.record.record_id for one in (await self.stub.RetrieveMemories(asked)).memories]


@pytest.fixture
def memory(service: Service) -> Memory:
    return Memory(service)


def condition(path: str, op: pb.MetadataOp.ValueType, value_json: str) -> pb.MetadataCondition:
    return pb.MetadataCondition(path=path, op=op, value_json=value_json)


# ---- put ----


async def test_a_put_replaces_what_callers_set_and_keeps_what_they_do_not(memory: Memory) -> None:
    first = await memory.put(
        "n", "Tea 茶", tags=["a"], detail="more", confidence=0.3, metadata_json='{"v": 1}'
    )
    await memory.stub.RetrieveMemories(pb.RetrieveMemoriesRequest(query="Tea", route=DECIDE, **memory.of))
    again = await memory.put("n", "Coffee 咖啡", source="web")

    assert (first.created, again.created) == (True, False)
    stands = await memory.get("n")
    assert (stands.content, stands.source, stands.detail, list(stands.tags)) == ("Coffee 咖啡", "web", "", [])
    assert (stands.metadata_json, stands.confidence) == ("", 0.3)
    assert stands.create_time == first.record.create_time
    assert stands.update_time.ToNanoseconds() > first.record.update_time.ToNanoseconds()
    assert await memory.listed() == ["n"]


async def test_a_put_joins_nothing_and_no_deletion_keeps_it_out(memory: Memory) -> None:
    await memory.put("one", "The ferry leaves at nine. 渡轮九点开。")
    await memory.put("two", "The ferry leaves at nine. 渡轮九点开。")
    await memory.stub.DeleteRecords(pb.DeleteRecordsRequest(record_ids=["one"], **memory.of))

    again = await memory.put("one", "The ferry leaves at nine. 渡轮九点开。")

    assert again.created
    assert await memory.listed() == ["one", "two"]


async def test_a_put_on_a_revision_that_has_passed_is_refused(memory: Memory) -> None:
    made = await memory.put("n", "1", if_revision=0)
    await memory.put("n", "2", if_revision=made.record.revision)

    stale = await refused(memory.put("n", "3", if_revision=made.record.revision))
    there = await refused(memory.put("n", "3", if_revision=0))
    missing = await refused(memory.put("m", "3", if_revision=made.record.revision))

    assert [each.reason for each in (stale, there, missing)] == [
        "STALE_REVISION",
        "STALE_REVISION",
        "RECORD_NOT_FOUND",
    ]
    assert (await memory.get("n")).content == "2"


async def test_the_id_of_a_fact_or_an_episode_is_not_put_over(memory: Memory) -> None:
    fact = pb.Record(record_id="f", kind=pb.RECORD_KIND_FACT, content="Ada sails.")
    await memory.stub.AddRecord(pb.AddRecordRequest(record=fact, **memory.of))

    put = await refused(memory.put("f", "x"))
    batch = await refused(memory.batch(pb.Record(record_id="m", content="x"), delete_ids=["f"]))

    assert put.fields == ("record.record_id",)
    assert batch.fields == ("delete_ids[0]",)
    assert await memory.listed() == ["f"]


async def test_twenty_first_puts_at_once_all_succeed_and_one_is_the_first(memory: Memory) -> None:
    made = await asyncio.gather(*(memory.put("n", f"Put {number} 放") for number in range(20)))

    assert sum(each.created for each in made) == 1
    last = max(made, key=lambda each: each.record.revision)
    assert (await memory.get("n")).content == last.record.content


async def test_a_repeated_put_is_put_once(memory: Memory) -> None:
    first = await memory.put("n", "1", request_id="q")
    await memory.put("n", "2")
    again = await memory.put("n", "1", request_id="q")

    assert (first.replayed, again.replayed, again.created) == (False, True, True)
    assert (await memory.get("n")).content == "2"


async def test_a_time_to_live_counts_from_the_put(memory: Memory) -> None:
    first = await memory.put("n", "1", ttl=Duration(seconds=60))
    await asyncio.sleep(0.01)
    second = await memory.put("n", "1", ttl=Duration(seconds=60))

    age = second.record.update_time.ToNanoseconds() - first.record.create_time.ToNanoseconds()
    assert abs(second.record.ttl.ToNanoseconds() - 60 * 10**9 - age) < 10**6


async def test_words_that_were_put_over_find_it_no_more_and_the_new_ones_do(memory: Memory) -> None:
    await memory.put("n", "Walrus")
    await memory.put("n", "海象 tusk")
    await memory.put("m", "Otter")

    found = await memory.stub.RetrieveMemories(
        pb.RetrieveMemoriesRequest(query="walrus", route=DECIDE, wait=True, **memory.of)
    )
    assert not any(one.similarity > 0.9 for one in found.memories)
    assert (await memory.found("海象"))[0] == "n"


# ---- batches ----


async def test_a_batch_puts_and_deletes_in_one_change(memory: Memory) -> None:
    await memory.put("old", "old")
    await memory.put("kept", "kept")

    done = await memory.batch(
        pb.Record(record_id="new", content="新 new"),
        pb.Record(record_id="kept", content="kept on"),
        delete_ids=["old", "never"],
    )

    assert (list(done.created_ids), list(done.deleted_ids)) == (["new"], ["old"])
    assert await memory.listed() == ["kept", "new"]
    assert (await memory.get("kept")).revision == (await memory.get("new")).revision == done.revision


async def test_a_batch_with_one_wrong_record_changes_nothing(memory: Memory) -> None:
    await memory.put("old", "old")
    good = pb.Record(record_id="a", content="A harmless line. 无害。")
    secret = pb.Record(record_id="b", content="password: hunter2secret!")

    wrong = await refused(memory.batch(good, pb.Record(record_id="b"), delete_ids=["old"]))
    sensitive = await refused(memory.batch(good, secret, delete_ids=["old"]))

    assert (wrong.code, wrong.fields) == (grpc.StatusCode.INVALID_ARGUMENT, ("records[1].content",))
    assert sensitive.reason == errors.ErrorReason.Name(errors.ERROR_REASON_SENSITIVE_CONTENT).removeprefix(
        "ERROR_REASON_"
    )
    assert await memory.listed() == ["old"]


# ---- filters ----

PLACES = {
    "oslo": '{"city": "Oslo", "people": 700000, "sea": true, "at": {"lat": 59.9}}',
    "bern": '{"city": "Bern", "people": 134000, "sea": false, "at": {"lat": 46.9}}',
    "无锡": '{"city": "无锡", "people": "many", "sea": null}',
    "none": "",
}


@pytest.mark.parametrize(
    ("path", "op", "value", "fits"),
    [
        ("city", EQ, '"Oslo"', {"oslo"}),
        ("city", EQ, '"无锡"', {"c"}),
        ("city", NE, '"Oslo"', {"bern", "c", "none"}),
        ("city", GT, '"Bern"', {"oslo", "c"}),
        ("city", IN, '["Bern", "Oslo", 1]', {"bern", "oslo"}),
        ("people", GT, "134000", {"oslo"}),
        ("people", GTE, "134000", {"oslo", "bern"}),
        ("people", LT, "1e6", {"oslo", "bern"}),
        ("people", LTE, '"many"', {"c"}),
        ("people", EQ, "700000.0", {"oslo"}),
        ("sea", EQ, "1", set()),
        ("sea", EQ, "true", {"oslo"}),
        ("sea", EQ, "null", {"c"}),
        ("sea", NE, "null", {"oslo", "bern", "none"}),
        ("at.lat", LT, "50", {"bern"}),
        ("at", EQ, '"x"', set()),
        ("at", NE, '"x"', {"oslo", "bern", "c", "none"}),
        ("city.name", NE, '"x"', {"oslo", "bern", "c", "none"}),
    ],
)
async def test_a_condition_on_metadata_admits_what_it_says(
    memory: Memory, path: str, op: pb.MetadataOp.ValueType, value: str, fits: set[str]
) -> None:
    for name, metadata in zip(("oslo", "bern", "c", "none"), PLACES.values(), strict=True):
        await memory.put(name, "A place 地方", metadata_json=metadata)

    asked = pb.RecordFilter(metadata=[condition(path, op, value)])

    assert set(await memory.listed(metadata=[condition(path, op, value)])) == fits
    assert set(await memory.found("place 地方", filter=asked, top_k=10)) == fits


async def test_what_a_filter_does_not_admit_takes_no_place_among_the_best(memory: Memory) -> None:
    near = [
        pb.Record(record_id=f"n{n}", content="The ferry to Naxos 渡轮", tags=["crowd"]) for n in range(300)
    ]
    await memory.batch(*near)
    await memory.batch(
        pb.Record(record_id="far", content="Quite another thing 别的", tags=["alone"], subcategory="x/y"),
    )

    by_tag = await memory.found("ferry Naxos 渡轮", top_k=3, filter=pb.RecordFilter(tags=["alone"]))
    by_prefix = await memory.found(
        "ferry Naxos 渡轮", top_k=3, filter=pb.RecordFilter(subcategory_prefix="x/")
    )

    assert by_tag == by_prefix == ["far"]


async def test_a_strict_route_is_not_widened(memory: Memory) -> None:
    await memory.put("s", "The ferry leaves at nine. 九点", category="strategy")
    await memory.put("w", "The ferry leaves at nine or ten. 九点", category="work")

    assert set(await memory.found("ferry 九点")) == {"s", "w"}
    assert await memory.found("ferry 九点", strict=True) == ["s"]


async def test_facts_are_found_by_a_filter_too(memory: Memory) -> None:
    for number, content in enumerate(("Ada sails to Naxos.", "Ada sails to Paros.")):
        fact = pb.StoreFactRequest(content=content, metadata_json=f'{{"n": {number}}}', **memory.of)
        await memory.stub.StoreFact(fact)

    chosen = pb.RecordFilter(metadata=[condition("n", EQ, "1")])
    found = await memory.stub.RetrieveFacts(
        pb.RetrieveFactsRequest(query="sails", filter=chosen, **memory.of)
    )

    assert [one.record.content for one in found.facts] == ["Ada sails to Paros."]


async def test_a_condition_sees_metadata_as_it_was_put_last(memory: Memory) -> None:
    one = [condition("v", EQ, "1")]
    await memory.put("n", metadata_json='{"v": 1}')
    assert await memory.listed(metadata=one) == ["n"]

    await memory.put("n", metadata_json='{"v": 2}')

    assert await memory.listed(metadata=one) == []


async def test_a_search_that_waits_finds_by_meaning_what_was_put_a_moment_ago(memory: Memory) -> None:
    for number in range(2):
        await memory.batch(
            *(pb.Record(record_id=f"{number}-{n}", content=f"Rain over the hills {n}") for n in range(20))
        )
        await memory.put(f"cat{number}", f"cats {number}")

        # no word in common: only its vector, which shares parts of words, leads there
        assert f"cat{number}" in await memory.found(f"cat {number}s", top_k=number + 1)
