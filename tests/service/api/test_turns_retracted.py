"""Taking turns of a conversation back, with what they taught, over a real channel: quarantined, released, erased."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from memorybank.v1 import conversation_pb2 as pb
from memorybank.v1 import long_term_pb2 as facts
from memorybank.v1 import retrieval_pb2 as retrieval
from memorybank.v1 import types_pb2 as types
from tests.e2e.test_purge_killed import files_with
from tests.service.api.test_retractions import STORES, kept_in
from tests.support.server import Service, refused

pytestmark = pytest.mark.asyncio(loop_scope="module")

SETTINGS = pb.ConversationSettings(short_turns=3, summary_every=4)
SAID = (
    "My sister Anna lives in Lyon.",
    "The ferry to Naxos leaves at nine.",
    "My cousin {mark} lives in Graz.",
    "我对花生过敏。",
    "{mark} pays for every ferry to Naxos.",
    "I work as a baker in Zurich.",
    "The office has forty desks.",
    "预算不能超过10万元。",
    "My brother works for {mark} in Lyon.",
    "My dog is called Rex.",
)
NUMBERS = count()
POISONED = [step for step, text in enumerate(SAID, start=1) if "{mark}" in text]


@dataclass(frozen=True, kw_only=True)
class Told:
    """A user's conversation, and the word that poisoned turns have."""

    service: Service
    folder: Path
    mark: str

    @property
    def talk(self) -> dict[str, Any]:
        return {"user": self.mark, "conversation_id": "c1"}

    @property
    def of(self) -> dict[str, Any]:
        return {"user": self.mark, "collection": "work"}

    def added(self, number: int) -> pb.AddTurnsRequest:
        turn = pb.Turn(input=SAID[number].format(mark=self.mark.title()), reply="Noted.")
        return pb.AddTurnsRequest(turns=[turn], request_id=f"r{number}", **self.talk)


@pytest_asyncio.fixture(params=STORES, loop_scope="module", scope="module")
async def house(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[Service, Path]]:
    folder = tmp_path_factory.mktemp("turns")
    async with kept_in(request.param, folder) as running:
        yield running, folder


@pytest_asyncio.fixture(loop_scope="module")
async def told(house: tuple[Service, Path]) -> Told:
    made = Told(service=house[0], folder=house[1], mark=f"zork{next(NUMBERS)}mid")
    creating = pb.CreateConversationRequest(collection="work", settings=SETTINGS, **made.talk)
    await made.service.conversation.CreateConversation(creating)
    for number in range(len(SAID)):
        await made.service.conversation.AddTurns(made.added(number))
    await settled(made)
    return made


async def settled(told: Told) -> None:
    """Waits until all tiers follow, and what was told is learned."""
    await told.service.conversation.EndConversation(pb.EndConversationRequest(**told.talk, wait=True))


async def retract(told: Told, **asked: Any) -> pb.RetractTurnsResponse:
    return await told.service.conversation.RetractTurns(pb.RetractTurnsRequest(**told.talk, **asked))


async def release(told: Told, retraction_id: str) -> pb.ReleaseTurnsResponse:
    request = pb.ReleaseTurnsRequest(retraction_id=retraction_id, **told.talk)
    return await told.service.conversation.ReleaseTurns(request)


async def standing(told: Told) -> dict[str, Any]:
    """Turns, tiers and records, but for times and revisions."""
    talk = told.service.conversation
    turns = await talk.ListTurns(pb.ListTurnsRequest(**told.talk, page_size=100))
    clusters = await talk.ListClusters(pb.ListClustersRequest(**told.talk, page_size=100))
    summaries = await talk.ListSummaries(pb.ListSummariesRequest(**told.talk, page_size=100))
    records = await told.service.long_term.ListRecords(facts.ListRecordsRequest(page_size=100, **told.of))
    return {
        "turns": [(turn.step, turn.input, turn.cluster_id) for turn in turns.turns],
        "clusters": [(each.cluster_id, list(each.steps)) for each in clusters.clusters],
        "summaries": [(each.summary_id, each.text) for each in summaries.summaries],
        "records": sorted((r.record_id, r.content, r.state, list(r.steps)) for r in records.records),
    }


async def answers(told: Told) -> list[str]:
    """What every call that reads answers about the conversation and what it taught, as text."""
    talk, memory = told.service.conversation, told.service.long_term
    query = f"What about the {told.mark}, Lyon, the ferry, 预算?"
    context = retrieval.AssembleContextRequest(input=query, collection="work", observe=True, **told.talk)
    found = [
        await talk.GetConversation(pb.GetConversationRequest(include_invocations=True, **told.talk)),
        await talk.ListTurns(pb.ListTurnsRequest(page_size=100, **told.talk)),
        await talk.SearchTurns(pb.SearchTurnsRequest(text=query, top_k=100, **told.talk)),
        await talk.ListClusters(pb.ListClustersRequest(page_size=100, **told.talk)),
        await talk.ListSummaries(pb.ListSummariesRequest(page_size=100, **told.talk)),
        await talk.ListKeys(pb.ListKeysRequest(page_size=100, **told.talk)),
        await talk.ListTurnRetractions(pb.ListTurnRetractionsRequest(**told.talk)),
        await memory.ListRecords(facts.ListRecordsRequest(page_size=100, **told.of)),
        await memory.RetrieveFacts(
            facts.RetrieveFactsRequest(
                query=query, top_k=100, include_superseded=True, observe=True, **told.of
            )
        ),
        await memory.ListRetractions(facts.ListRetractionsRequest(**told.of)),
        await told.service.retrieval.AssembleContext(context),
    ]
    parts = [str(part) async for part in memory.ExportUser(facts.ExportUserRequest(user=told.mark))]
    said = [each.prompt.rpartition("## Now")[0] if hasattr(each, "prompt") else str(each) for each in found]
    return said + parts


async def test_a_quarantine_is_out_of_every_answer_and_a_release_undoes_it(told: Told) -> None:
    before = await standing(told)
    assert any(told.mark.title() in content for _, content, _, _ in before["records"])

    tried = await retract(told, steps=POISONED, dry_run=True)
    untouched = await standing(told)
    done = await retract(told, steps=POISONED, reason="a bad source", request_id="x1")
    again = await retract(told, steps=POISONED, reason="a bad source", request_id="x1")
    read = await answers(told)
    repeated = await told.service.conversation.AddTurns(told.added(2))
    left = await standing(told)
    await settled(told)
    remade = await standing(told)
    released = await release(told, done.retraction.retraction_id)
    await settled(told)

    assert untouched == before
    assert not tried.HasField("retraction")
    assert (list(tried.steps), tried.records) == (POISONED, done.records)
    assert (done.turns, done.records > 0, again.replayed) == (len(POISONED), True, True)
    assert again.retraction == done.retraction
    assert [text for text in read if told.mark.title() in text] == []
    assert repeated.replayed
    assert [step for step, _, _ in left["turns"]] == [n for n in range(1, 11) if n not in POISONED]
    assert {summary_id for summary_id, _ in remade["summaries"]} == {name for name, _ in before["summaries"]}
    assert released.turns == len(POISONED)
    assert await standing(told) == before


async def test_a_turn_that_came_back_between_two_that_are_out_brings_none_of_them_along(told: Told) -> None:
    out = [await retract(told, steps=[step]) for step in (1, 2, 3)]
    await release(told, out[1].retraction.retraction_id)
    await settled(told)

    context = retrieval.AssembleContextRequest(
        input="When does the ferry to Naxos leave?", observe=True, **told.talk
    )
    prompt = (await told.service.retrieval.AssembleContext(context)).prompt.rpartition("## Now")[0]

    assert [word for word in ("Anna", "nine", "Graz") if word in prompt] == ["nine"]


async def test_what_is_erased_leaves_no_byte(told: Told) -> None:
    done = await retract(told, steps=POISONED)
    erasing = pb.EraseTurnsRequest(retraction_id=done.retraction.retraction_id, **told.talk)

    erased = await told.service.conversation.EraseTurns(erasing)
    closed = await refused(release(told, done.retraction.retraction_id))
    listed = await told.service.conversation.ListTurnRetractions(pb.ListTurnRetractionsRequest(**told.talk))
    of_records = await told.service.long_term.ListRetractions(facts.ListRetractionsRequest(**told.of))
    for _ in range(100):
        if not files_with(told.folder, [told.mark.title().encode()]):
            break
        await asyncio.sleep(0.1)

    assert erased.turns == len(POISONED)
    assert closed.reason == "RETRACTION_CLOSED"
    assert [each.state for each in listed.retractions] == [types.RETRACTION_STATE_ERASED]
    assert [each.state for each in of_records.retractions] == [types.RETRACTION_STATE_ERASED]
    assert files_with(told.folder, [told.mark.title().encode()]) == []


async def test_what_came_meanwhile_stays_and_summaries_tell_of_both(told: Told) -> None:
    done = await retract(told, steps=POISONED)
    more = [pb.Turn(input=f"Hotel {n} has {n} beds.", reply="Noted.") for n in range(4)]
    await told.service.conversation.AddTurns(pb.AddTurnsRequest(**told.talk, turns=more))
    await told.service.conversation.DeleteTurns(pb.DeleteTurnsRequest(**told.talk, steps=[4]))
    await settled(told)

    await release(told, done.retraction.retraction_id)
    await settled(told)
    after = await standing(told)

    assert [step for step, _, _ in after["turns"]] == [1, 2, 3, *range(5, 15)]
    placed = [step for _, steps in after["clusters"] for step in steps]
    assert sorted(placed) == sorted(set(placed)) == [1, 2, 3, *range(5, 12)]
    assert {POISONED[0], 2} <= {step for _, steps in after["clusters"] for step in steps}
    counted = (await told.service.conversation.GetConversation(pb.GetConversationRequest(**told.talk))).counts
    assert counted.turns == 13


async def test_what_names_nothing_or_is_not_there_is_refused_and_nothing_is_done(told: Told) -> None:
    before = await standing(told)
    other = pb.Turn(input="My sister Eve lives in Bern.")
    await told.service.conversation.AddTurns(
        pb.AddTurnsRequest(user="eve", conversation_id="c2", turns=[other])
    )

    nothing = await refused(retract(told))
    both = await refused(retract(told, steps=[1], writer="web"))
    nowhere = await refused(retract(told, steps=[1, 99]))
    unknown = await refused(release(told, "x-nowhere"))
    elsewhere = await refused(
        told.service.conversation.RetractTurns(
            pb.RetractTurnsRequest(user=told.mark, conversation_id="c2", steps=[1])
        )
    )
    none = await retract(told, writer="nobody")

    assert nothing.fields == both.fields == ("steps",)
    assert (nowhere.reason, unknown.reason) == ("TURN_NOT_FOUND", "RETRACTION_NOT_FOUND")
    assert elsewhere.reason == "CONVERSATION_NOT_FOUND"
    assert not none.HasField("retraction")
    assert await standing(told) == before
