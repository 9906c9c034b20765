"""Why a memory stands in a context, or why not, over a real channel.

Whatever an explanation names is changed as the contract says, and the context is assembled again: then it stands.
"""

from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from google.protobuf.field_mask_pb2 import FieldMask

from memorybank.v1 import conversation_pb2 as talk
from memorybank.v1 import deep_retrieval_pb2 as deep
from memorybank.v1 import long_term_pb2 as facts
from memorybank.v1 import memory_bank_pb2 as bank
from memorybank.v1 import retrieval_pb2 as pb
from memorybank.v1.types_pb2 import SegmentRef
from tests.support.server import Service, refused, serving

USER, BANK, CHAT = "ada", "trip", "c1"
PLACES = ("Naxos", "Paros", "Delos", "Samos", "Kythira", "Leros", "Tinos", "Andros", "Milos", "Sifnos")
WORDS = ("{} has a harbour of {} berths.", "The ferry to {} takes {} minutes.", "{}的灯塔高{}米。")
NUMBERED = ("top_memories", "top_clusters", "top_facts", "top_episodes", "token_budget")
MOST = {"top_memories": 1_000, "top_clusters": 100, "top_facts": 1_000, "token_budget": 10_000_000}
"""The greatest numbers that a request may have."""
PAIRS = 20  # of 200, all changes let the memory stand
PARTLY: dict[str, Any] = {"user": USER, "conversation_id": CHAT, "bank_id": BANK, "collection": ""}


def told(kind: str, number: int) -> str:
    """A statement that only this memory makes."""
    place = PLACES[number % len(PLACES)]
    return f"{kind}: " + WORDS[number % len(WORDS)].format(place, 100 + number)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def service() -> AsyncIterator[Service]:
    async with serving(conversation={"extract_facts": False, "record_episodes": False}) as running:
        await filled(running)
        yield running


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def filled(service: Service) -> None:
    """A bank, a conversation and two collections, with some twenty memories each."""
    await service.bank.CreateBank(bank.CreateBankRequest(bank_id=BANK))
    for number in range(20):
        await service.bank.Memorize(bank.MemorizeRequest(bank_id=BANK, text=told("Log", number)))
        await service.long_term.StoreFact(
            facts.StoreFactRequest(user=USER, content=told("Fact", number), wait=True)
        )
    turns = [talk.Turn(input=told("Chat", number)) for number in range(40)]
    await service.conversation.AddTurns(talk.AddTurnsRequest(user=USER, conversation_id=CHAT, turns=turns))
    await service.long_term.StoreFact(
        facts.StoreFactRequest(user=USER, collection="work", content="The office of Naxos has 7 desks.")
    )
    await service.conversation.EndConversation(
        talk.EndConversationRequest(user=USER, conversation_id=CHAT, wait=True)
    )  # so that nothing is made of it in the background
    await service.rest(BANK)


def stands(made: pb.AssembleContextResponse, told_: pb.Explanation) -> bool:
    """Whether a memory stands, by the sections alone: by itself, or by what says as much."""
    wanted = {told_.id, *told_.contested_with}
    for section in made.sections:
        for item in section.items:
            named = {item.id, *(copy.id for copy in item.copies)}
            if told_.what == "node":
                named |= {each.partition("#")[0] for each in named}
            is_turn = section.name in ("mid", "recall", "short")
            if named & wanted and (told_.what != "turn" or is_turn or {c.id for c in item.copies} & wanted):
                return True
    return False


async def explained(service: Service, **asked: Any) -> pb.Explanation:
    answer = await service.retrieval.Explain(pb.ExplainRequest(**asked))
    assert len(answer.memories) == 1
    return answer.memories[0]


async def assembled(service: Service, **asked: Any) -> pb.AssembleContextResponse:
    return await service.retrieval.AssembleContext(pb.AssembleContextRequest(**asked, observe=True))


def changed(asked: dict[str, Any], told_: pb.Explanation) -> dict[str, Any]:
    """The request with the changes that an explanation names."""
    made = dict(asked)
    for change in told_.changes:
        match change.field:
            case "parts":
                made["parts"] = []
            case "collection":
                made["collection"] = change.value
            case "min_score":
                made["min_score"] = float(change.value) if change.value else None
            case _:
                assert change.field in NUMBERED
                made[change.field] = int(change.value)
    return made


async def memories(service: Service) -> list[dict[str, Any]]:
    """Every memory, as a request names it."""
    found: list[dict[str, Any]] = []
    listed = await service.deep.ListInteractions(deep.ListInteractionsRequest(bank_id=BANK, page_size=100))
    found += [
        {"segment": SegmentRef(interaction_id=each.interaction_id, index=0)} for each in listed.interactions
    ]
    records = await service.long_term.ListRecords(facts.ListRecordsRequest(user=USER, page_size=100))
    found += [{"record_id": each.record_id} for each in records.records]
    return found + [{"step": step} for step in range(1, 41)]


async def test_what_an_explanation_names_turns_the_outcome(service: Service) -> None:
    everything = await memories(service)
    outcomes: Counter[str] = Counter()
    failed: list[Any] = []
    for number in range(PAIRS):
        query = told("?", number)[3:]
        budget = (150, 300, 700, 3_000)[number % 4]
        memory = everything[(number * 7) % len(everything)]
        asked = {"input": query, **PARTLY, "token_budget": budget, "top_facts": 1 + number % 3}
        asked |= {"min_score": (0.2, 0.6)[number % 2]} if number % 3 == 0 else {}

        said = await explained(service, **asked, **memory)
        before = await assembled(service, **asked)

        reason = pb.ExplainReason.Name(said.reason).removeprefix("EXPLAIN_REASON_")
        outcomes[reason] += 1
        assert said.stands == stands(before, said), (asked, said)
        if said.changes:
            after = await assembled(service, **changed(asked, said))
            failed += [] if stands(after, said) else [(asked, said)]
        elif said.reason == pb.EXPLAIN_REASON_UNLIKE:
            assert not stands(await assembled(service, **{**asked, **MOST}), said)
    print(f"explained: {dict(outcomes)}")
    assert failed == []
    assert {"STANDS", "BUDGET", "RANK", "BELOW_FLOOR"} <= outcomes.keys()


async def test_a_fact_that_another_took_the_place_of(service: Service) -> None:
    old = await stored(service, "The project's database is MySQL.")
    new = await stored(service, "The project's database is PostgreSQL.", supersedes=[old])
    asked = {"input": "Which database does the project use?", "user": USER, "collection": ""}

    said = await explained(service, **asked, record_id=old)
    standing = await explained(service, **asked, record_id=new)

    assert said.reason == pb.EXPLAIN_REASON_SUPERSEDED
    assert (said.other_id, said.superseded_reason) == (new, facts.SUPERSEDED_REASON_CALLER)
    assert standing.stands
    await service.long_term.UpdateRecord(
        facts.UpdateRecordRequest(
            user=USER,
            record=facts.Record(record_id=old, state=facts.RECORD_STATE_CONTESTED),
            update_mask=FieldMask(paths=["state"]),
        )
    )
    again = await explained(service, **asked, record_id=old)
    assert again.stands
    assert list(again.contested_with) == [new]


async def test_what_is_elsewhere_switched_off_or_not_asked_for(service: Service) -> None:
    listed = await service.long_term.ListRecords(facts.ListRecordsRequest(user=USER, collection="work"))
    record_id = listed.records[0].record_id
    asked: dict[str, Any] = {"input": "How many desks has the office of Naxos?", "user": USER}

    elsewhere = await explained(service, **asked, collection="", record_id=record_id)
    named_none = await explained(service, **asked, record_id=record_id)
    left_out = await explained(
        service, **asked, collection="work", parts=[pb.CONTEXT_PART_BANK], record_id=record_id
    )
    needless = await explained(
        service, input="Thanks a lot!", user=USER, collection="work", record_id=record_id
    )
    await switch(service, "work", enabled=False)
    off = await explained(service, **asked, collection="work", record_id=record_id)
    await switch(service, "work", enabled=True)
    on = await explained(service, **changed(asked, elsewhere), record_id=record_id)

    assert elsewhere.reason == named_none.reason == pb.EXPLAIN_REASON_OTHER_COLLECTION
    assert elsewhere.other_id == "work"
    assert left_out.reason == pb.EXPLAIN_REASON_PART_LEFT_OUT
    assert needless.reason == pb.EXPLAIN_REASON_NEEDLESS
    assert off.reason == pb.EXPLAIN_REASON_MEMORY_OFF
    assert on.stands


async def test_what_says_as_much_stands_for_it(service: Service) -> None:
    same = "The lighthouse of Delos is 41 metres high."
    record_id = await stored(service, same)
    await service.bank.Memorize(bank.MemorizeRequest(bank_id=BANK, text=same))

    said = await explained(
        service, input="How high is the lighthouse of Delos?", **PARTLY, record_id=record_id
    )

    assert said.stands
    assert said.reason == pb.EXPLAIN_REASON_REPEATED
    assert said.item_id.startswith("i-")
    assert said.section == "memories"


async def test_words_are_looked_for_in_all_that_is_named(service: Service) -> None:
    answer = await service.retrieval.Explain(
        pb.ExplainRequest(input="How long does the ferry take?", **PARTLY, text="the FERRY  to Tinos takes")
    )
    nearest = await service.retrieval.Explain(
        pb.ExplainRequest(input="灯塔有多高？", **PARTLY, text="灯塔里住着一位诗人")
    )

    assert {each.what for each in answer.memories} >= {"segment", "turn", "record"}
    assert all("ferry to Tinos takes" in each.text for each in answer.memories)
    assert not any(each.nearest for each in answer.memories)
    assert nearest.memories
    assert all(each.nearest for each in nearest.memories)


async def test_a_side_of_an_open_conflict_is_told_as_contested(service: Service) -> None:
    for text in ("The pier of Milos has 9 lamps.", "The pier of Milos has 11 lamps."):
        await service.bank.Memorize(bank.MemorizeRequest(bank_id=BANK, text=text))
    conflicts = await service.bank.ListConflicts(bank.ListConflictsRequest(bank_id=BANK))
    found = [each for each in conflicts.conflicts if "lamps" in each.description]
    (conflict,) = found

    said = await explained(
        service, input="How many lamps has the pier?", bank_id=BANK, node_id=conflict.sides[0].node_id
    )

    assert said.stands
    assert said.contested_with == [conflict.conflict_id]
    assert said.item_id == conflict.conflict_id


async def test_nothing_is_counted(service: Service) -> None:
    record_id = await stored(service, "The museum of Samos opens at ten.")
    before = await service.long_term.GetRecord(facts.GetRecordRequest(user=USER, record_id=record_id))

    said = await explained(
        service, input="When does the museum of Samos open?", user=USER, collection="", record_id=record_id
    )
    after = await service.long_term.GetRecord(facts.GetRecordRequest(user=USER, record_id=record_id))

    assert said.stands
    assert after == before


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"user": USER, "collection": "", "record_id": "r-nowhere"}, "RECORD_NOT_FOUND"),
        ({"bank_id": BANK, "node_id": "n-nowhere"}, "NODE_NOT_FOUND"),
        ({"bank_id": "nowhere", "node_id": "n-nowhere"}, "BANK_NOT_FOUND"),
        ({"user": USER, "conversation_id": CHAT, "step": 9_999}, "TURN_NOT_FOUND"),
        ({"bank_id": BANK, "segment": SegmentRef(interaction_id="i-nowhere")}, "INTERACTION_NOT_FOUND"),
    ],
)
async def test_what_is_not_there_is_named(service: Service, asked: dict[str, Any], reason: str) -> None:
    answer = await refused(service.retrieval.Explain(pb.ExplainRequest(input="Where is it?", **asked)))

    assert answer.reason == reason


async def stored(service: Service, content: str, **fields: Any) -> str:
    answer = await service.long_term.StoreFact(
        facts.StoreFactRequest(user=USER, content=content, wait=True, **fields)
    )
    return answer.record.record_id


async def switch(service: Service, name: str, *, enabled: bool) -> None:
    await service.long_term.UpdateCollection(
        facts.UpdateCollectionRequest(
            collection=facts.Collection(user=USER, collection=name, enabled=enabled),
            update_mask=FieldMask(paths=["enabled"]),
        )
    )
