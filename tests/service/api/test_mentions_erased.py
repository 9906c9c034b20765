"""What a user's memory says of somebody is erased, over a real channel: turns, records, what rests on them."""

import asyncio
import re
from pathlib import Path
from typing import Any

from google.protobuf.field_mask_pb2 import FieldMask

from memorybank.v1 import conversation_pb2 as talk
from memorybank.v1 import deep_retrieval_pb2 as deep
from memorybank.v1 import instructions_pb2 as instructions
from memorybank.v1 import long_term_pb2 as pb
from memorybank.v1 import memory_bank_pb2 as bank
from memorybank.v1 import query_graph_pb2 as graph
from tests.service.api.test_retractions import without
from tests.support.server import Service, serving

OF: dict[str, Any] = {"user": "ada", "collection": "work"}
SCRUBBED: dict[str, Any] = {"store": {"scrub_seconds": 1}}
NAMED = ("zorkmid", "左克米")
RECORD = (
    "The ferry to Naxos leaves at nine from pier 3.\n\nZorkmid was at the pier. The quay is 40 metres long."
)
TURNS = (
    talk.Turn(input="My sister is allergic to walnuts. Zorkmid is my boss.", reply="Noted, boss zorkmid."),
    talk.Turn(
        input="左克米住在青岛。我住在北京。", reply="好的。", labels={"with": "zorkmid", "mood": "good"}
    ),
    talk.Turn(input="We take the ferry at ten.", reply="Yes.", input_speaker="Zorkmid"),
    talk.Turn(input="The zorkmids are a coin.", reply="They are."),
)


async def told(service: Service) -> None:
    await service.conversation.AddTurns(talk.AddTurnsRequest(conversation_id="c1", turns=TURNS, **OF))
    key = talk.AddKeyRequest(user="ada", conversation_id="c1", text="Zorkmid likes tea.")
    await service.conversation.AddKey(key)
    ending = talk.EndConversationRequest(user="ada", conversation_id="c1", wait=True)
    await service.conversation.EndConversation(ending)
    for content in ("Zorkmid owns the harbour.", "The harbour is old.", "左克米有一只猫。"):
        await service.long_term.StoreFact(pb.StoreFactRequest(content=content, wait=True, **OF))
    records = await listed(service)
    opinion = pb.GiveFeedbackRequest(
        record_ids=[next(r.record_id for r in records if r.content == "The harbour is old.")],
        stars=5,
        reason="As zorkmid said. It is right.",
        **OF,
    )
    await service.long_term.GiveFeedback(opinion)
    await service.long_term.UpdateCollection(
        pb.UpdateCollectionRequest(
            collection=pb.Collection(review=pb.REVIEW_ALL, **OF), update_mask=FieldMask(paths=["review"])
        )
    )
    await service.long_term.StoreFact(pb.StoreFactRequest(content="Zorkmid waits.", **OF))
    put = service.channel.unary_unary(
        "/memorybank.v1.Instructions/PutSource",
        request_serializer=instructions.PutSourceRequest.SerializeToString,
    )
    owner = instructions.Owner(user="ada")
    await put(instructions.PutSourceRequest(owner=owner, path="AGENTS.md", text="Greet Zorkmid."))


async def listed(service: Service, **chosen: Any) -> list[pb.Record]:
    request = pb.ListRecordsRequest(filter=pb.RecordFilter(**chosen), page_size=1_000, **OF)
    return list((await service.long_term.ListRecords(request)).records)


async def erase(service: Service, **how: Any) -> pb.EraseMentionsResponse:
    request = pb.EraseMentionsRequest(user="ada", mentions=NAMED, **how)
    return await service.long_term.EraseMentions(request)


async def summaries(service: Service) -> str:
    return str((await service.graph.ListNodes(graph.ListNodesRequest(bank_id="b"))).nodes)


async def exported(service: Service, **how: Any) -> str:
    parts = service.long_term.ExportUser(pb.ExportUserRequest(user="ada", **how))
    return "".join([part.content.decode() async for part in parts])


async def test_what_names_somebody_goes_and_all_else_stays_where_it_is(tmp_path: Path) -> None:
    async with serving(folder=tmp_path, **SCRUBBED) as service:
        await told(service)
        before = await exported(service, omit_banks=True)

        tried = await erase(service, dry_run=True)
        untouched = await exported(service, omit_banks=True)
        done = await erase(service)
        again = await erase(service)
        listing = talk.ListTurnsRequest(user="ada", conversation_id="c1")
        turns = (await service.conversation.ListTurns(listing)).turns
        async with asyncio.timeout(60):  # the turns are looked through again behind the answer
            while "walnuts" not in str(await listed(service, awaits_review=True)):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        after = await exported(service, omit_banks=True)

        assert untouched == before
        assert (tried.turns, tried.keys) == (done.turns, done.keys)
        assert tried.records >= done.records  # of what goes with its turn the call itself does not count
        assert (done.turns, done.keys, done.feedback) == (3, 1, 1)
        assert done.records >= 3
        assert done.left == again.left
        assert list(done.left) == ["instructions/AGENTS.md"]
        assert (again.turns, again.records, again.keys, again.feedback) == (0,) * 4

        assert [len(turn.input) for turn in turns] == [len(turn.input) for turn in TURNS]
        assert turns[0].input == "My sister is allergic to walnuts. " + "█" * 19
        assert turns[1].input == "████████我住在北京。"
        assert dict(turns[1].labels) == {"mood": "good"}
        assert (turns[2].input, turns[2].input_speaker) == (TURNS[2].input, "█" * 7)
        assert turns[3].input == TURNS[3].input  # a longer word is another
        assert "The harbour is old." in after
        assert "It is right." in after
        left = [line for line in after.splitlines() if re.search(r"\bzorkmid\b|左克米", line.lower())]
        assert [line for line in left if "AGENTS.md" not in line] == []

        found = talk.SearchTurnsRequest(user="ada", conversation_id="c1", text="zorkmid is my boss", top_k=10)
        assert "boss" not in str((await service.conversation.SearchTurns(found)).hits)
        await without(tmp_path, "my boss")
        await without(tmp_path, "左克米")

    async with serving(folder=tmp_path, **SCRUBBED) as service:
        turns = (await service.conversation.ListTurns(listing)).turns
        assert turns[1].input == "████████我住在北京。"


async def test_records_of_banks_are_stored_anew_without_the_sentences(tmp_path: Path) -> None:
    async with serving(folder=tmp_path, **SCRUBBED) as service:
        await service.bank.CreateBank(bank.CreateBankRequest(bank_id="b", **OF))
        said = bank.MemorizeRequest(bank_id="b", text=RECORD, interaction_id="i1", source="zorkmid")
        await service.bank.Memorize(said)
        alone = bank.MemorizeRequest(bank_id="b", text="左克米走了。")
        cut_short = (await service.bank.Memorize(alone)).interaction_id
        await service.graph.AddNode(
            graph.AddNodeRequest(bank_id="b", node_id="n1", summary="The quay is long.")
        )
        before = await summaries(service)

        tried = await erase(service, dry_run=True)
        taking = bank.RetractInteractionsRequest(
            bank_id="b", interaction_ids=[cut_short], reason="mentions erased"
        )
        await service.bank.RetractInteractions(taking)  # so far an earlier call came
        done = await erase(service)
        again = await erase(service)
        (kept,) = (
            await service.deep.ListInteractions(deep.ListInteractionsRequest(bank_id="b"))
        ).interactions
        reading = deep.GetInteractionRequest(bank_id="b", interaction_id=kept.interaction_id)
        (record,) = (await service.deep.GetInteraction(reading)).interactions
        async with asyncio.timeout(60):  # it is structured anew behind the answer
            while "ferry" not in (after := await summaries(service)):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        whole = await exported(service)

        assert "Zorkmid" in before
        assert (tried.interactions, done.interactions, again.interactions) == (2, 1, 0)
        assert list(done.left) == []
        assert record.text == RECORD.replace("Zorkmid was at the pier.", "█" * 24)
        assert "The quay is long." in after
        assert not re.search(r"\bzorkmid\b|左克米", (after + whole).lower())
        await without(tmp_path, "at the pier")
        await without(tmp_path, "左克米")
