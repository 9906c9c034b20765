"""What callers keep with turns beside the words, and the newest turns, over a real channel."""

import json
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio

from memorybank.v1 import conversation_pb2 as pb
from memorybank.v1 import long_term_pb2 as long_term
from tests.service.api.test_retractions import without
from tests.support.server import Service, refused, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")

USERS = count()
CALL = {"call": {"name": "ferry_prices", "to": "纳克索斯"}, "ids": [1, 2.5, None]}


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def service() -> AsyncIterator[Service]:
    async with serving() as served:
        yield served


class Talk:
    """A conversation of a user of its own."""

    def __init__(self, service: Service) -> None:
        self.stub = service.conversation
        self.of: dict[str, Any] = {"user": f"ada{next(USERS)}", "conversation_id": "c"}

    async def add(self, *turns: pb.Turn) -> pb.AddTurnsResponse:
        return await self.stub.AddTurns(pb.AddTurnsRequest(turns=turns, **self.of))

    async def listed(self, **fields: Any) -> pb.ListTurnsResponse:
        return await self.stub.ListTurns(pb.ListTurnsRequest(**fields, **self.of))


@pytest.fixture
def talk(service: Service) -> Talk:
    return Talk(service)


def numbered(first: int, last: int, **fields: Any) -> list[pb.Turn]:
    return [pb.Turn(input=f"Turn {number} 轮", **fields) for number in range(first, last + 1)]


def large(mark: str) -> str:
    return json.dumps({mark: "x" * (1_048_576 - 9 - len(mark))})


# ---- metadata ----


async def test_metadata_comes_as_it_was_given_where_it_is_asked_for(talk: Talk) -> None:
    written = json.dumps(CALL, ensure_ascii=False, indent=1)
    added = await talk.add(pb.Turn(input="Prices?", metadata_json=written), pb.Turn(input="None 无"))

    plain = await talk.listed()
    whole = await talk.listed(include_metadata=True)

    assert [turn.metadata_json for turn in (*added.turns, *plain.turns)] == ["", "", "", ""]
    assert [turn.metadata_bytes for turn in plain.turns] == [len(written.encode()), 0]
    assert [turn.metadata_json for turn in whole.turns] == [written, ""]


async def test_metadata_is_not_searched_and_in_no_prompt(service: Service, talk: Talk) -> None:
    await talk.add(pb.Turn(input="Prices?", metadata_json='{"a": "walrus 海象"}'))

    found = await talk.stub.SearchTurns(pb.SearchTurnsRequest(text="walrus 海象", top_k=5, **talk.of))

    assert not [hit for hit in found.hits if hit.attribute_score > 0.0]


async def test_a_page_counts_metadata_and_goes_on_behind_it(talk: Talk) -> None:
    for step in range(1, 6):
        await talk.add(pb.Turn(input=f"Turn {step}", metadata_json=large(f"m{step}")))

    first = await talk.listed(include_metadata=True)
    second = await talk.listed(include_metadata=True, page_token=first.next_page_token)

    turns = [*first.turns, *second.turns]
    assert first.ByteSize() < 4 * 1024 * 1024
    assert [turn.step for turn in turns] == [1, 2, 3, 4, 5]
    assert [turn.metadata_json for turn in turns] == [large(f"m{step}") for step in range(1, 6)]
    assert len((await talk.listed()).turns) == 5


async def test_metadata_goes_from_the_files_with_its_turn_and_is_written_out_before(tmp_path: Path) -> None:
    async with serving(folder=tmp_path, store={"scrub_seconds": 1}) as service:
        talk = Talk(service)
        await talk.add(
            pb.Turn(input="One", metadata_json='{"a": "marmalade 橘子酱"}'),
            pb.Turn(input="Two", metadata_json='{"b": "kept 留"}'),
        )
        exported = service.long_term.ExportUser(long_term.ExportUserRequest(user=talk.of["user"]))
        written = "".join([part.content.decode() async for part in exported])

        await talk.stub.DeleteTurns(pb.DeleteTurnsRequest(steps=[1], **talk.of))

        assert "marmalade 橘子酱" in written
        assert [turn.metadata_json for turn in (await talk.listed(include_metadata=True)).turns] == [
            '{"b": "kept 留"}'
        ]
        await without(tmp_path, "marmalade")


async def test_metadata_that_names_what_is_erased_goes_and_other_stays(service: Service, talk: Talk) -> None:
    await talk.add(
        pb.Turn(input="My boss is Zorkmid.", metadata_json='{"n": 1}'),
        pb.Turn(input="Hello", metadata_json='{"who": "\\u5de6\\u514b\\u7c73"}'),
        pb.Turn(input="Tea", metadata_json='{"n": 3}'),
    )

    done = await service.long_term.EraseMentions(
        long_term.EraseMentionsRequest(user=talk.of["user"], mentions=["zorkmid", "左克米"])
    )

    turns = (await talk.listed(include_metadata=True)).turns
    assert done.turns == 2
    assert [turn.metadata_json for turn in turns] == ["", "", '{"n": 3}']
    assert [turn.metadata_bytes for turn in turns] == [0, 0, 8]


async def test_another_process_that_follows_the_conversation_brings_it_too(tmp_path: Path) -> None:
    async with serving(folder=tmp_path) as first, serving(folder=tmp_path) as second:
        one, other = Talk(first), Talk(second)
        other.of = one.of
        for mark in ("m", "n"):
            added = await one.add(pb.Turn(input="One", metadata_json=large(mark)))

            last = await other.listed(last=1, include_metadata=True, min_revision=added.revision)

            assert [turn.metadata_json for turn in last.turns] == [large(mark)]


# ---- the newest turns ----


async def test_the_last_turns_come_in_step_order(talk: Talk) -> None:
    await talk.add(*numbered(1, 100))

    last = await talk.listed(last=60)

    assert [turn.step for turn in last.turns] == list(range(41, 101))
    assert last.next_page_token == ""
    assert [turn.step for turn in (await talk.listed(last=1_000)).turns] == list(range(1, 101))


async def test_where_a_page_is_full_it_holds_the_newest_and_leads_to_older_ones(talk: Talk) -> None:
    for step in range(1, 7):
        await talk.add(pb.Turn(input=f"Turn {step}", metadata_json=large(f"m{step}")))

    newest = await talk.listed(last=5, include_metadata=True)
    older = await talk.listed(last=5, include_metadata=True, page_token=newest.next_page_token)

    assert [turn.step for turn in newest.turns] == [4, 5, 6]
    assert [turn.step for turn in older.turns] == [2, 3]
    assert older.next_page_token == ""


@pytest.mark.parametrize("beside", [{"first_step": 1}, {"last_step": 9}, {"page_size": 5}])
async def test_the_last_turns_are_no_other_choice(talk: Talk, beside: dict[str, int]) -> None:
    (field,) = beside
    refusal = await refused(talk.listed(last=3, **beside))

    assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, (field,))
