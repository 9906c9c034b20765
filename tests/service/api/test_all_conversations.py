"""A search through all of a user's conversations, over a real channel."""

import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.timestamp_pb2 import Timestamp

from memorybank.v1 import conversation_pb2 as pb
from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1.types_pb2 import TimeRange
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.server import Service, refused

SAID = {
    "trip": ("The ferry to Naxos leaves at nine from pier 3.", "We need three tickets."),
    "work": ("The database is PostgreSQL 16.", "Deploys go out on Tuesdays."),
    "zh": ("我对花生过敏。", "渡轮九点开往纳克索斯。"),
}
DAY = 86_400


async def talk(service: Service, user: str = "ada", **fields: str) -> None:
    for number, (name, said) in enumerate(SAID.items()):
        turns = [pb.Turn(input=text, event_time=Timestamp(seconds=(number + 1) * DAY)) for text in said]
        asked = pb.AddTurnsRequest(user=user, conversation_id=name, turns=turns, **fields)
        await service.conversation.AddTurns(asked)


async def search(service: Service, text: str, user: str = "ada", **fields: object) -> pb.SearchTurnsResponse:
    asked = pb.SearchTurnsRequest(user=user, text=text, **fields)  # type: ignore[arg-type]
    return await service.conversation.SearchTurns(asked)


@pytest.mark.parametrize(
    ("asked", "name", "step"),
    [
        ("When does the ferry leave?", "trip", 1),
        ("which database do we use", "work", 1),
        ("我对什么过敏？", "zh", 1),
        ("渡轮几点开？", "zh", 2),
    ],
)
async def test_a_turn_is_found_in_whichever_conversation_it_was_said(
    service: Service, asked: str, name: str, step: int
) -> None:
    await talk(service)
    await talk(service, user="bob")

    found = await search(service, asked, top_k=3)

    first = found.hits[0]
    assert (first.conversation_id, first.turn.step) == (name, step)
    assert (found.conversations, found.more_conversations, found.revision) == (3, False, 0)
    assert len(found.hits) == 3
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)


async def test_only_some_conversations_are_searched(service: Service) -> None:
    await talk(service)
    labelled = pb.ConversationRecord(labels={"team": "ops"})
    await service.conversation.UpdateConversation(
        pb.UpdateConversationRequest(
            user="ada", conversation_id="work", conversation=labelled, update_mask=FieldMask(paths=["labels"])
        )
    )
    await service.conversation.UpdateConversation(
        pb.UpdateConversationRequest(
            user="ada",
            conversation_id="trip",
            conversation=pb.ConversationRecord(enabled=False),
            update_mask=FieldMask(paths=["enabled"]),
        )
    )

    off = await search(service, "ferry")
    labels = await search(service, "ferry", labels={"team": "ops"})
    newest = await search(service, "ferry", most_conversations=1)
    taught = await search(service, "ferry", collection="elsewhere")
    day = TimeRange(start=Timestamp(seconds=2 * DAY), end=Timestamp(seconds=3 * DAY))
    dated = await search(service, "ferry", event_time=day)

    assert {hit.conversation_id for hit in off.hits} == {"work", "zh"}
    assert off.conversations == 2
    assert {hit.conversation_id for hit in labels.hits} == {"work"}
    assert (newest.conversations, newest.more_conversations) == (1, True)
    assert {hit.conversation_id for hit in newest.hits} == {"zh"}
    assert (taught.conversations, len(taught.hits)) == (0, 0)
    assert {hit.conversation_id for hit in dated.hits} == {"work"}


async def test_of_a_user_whose_memory_is_off_nothing_is_searched(service: Service) -> None:
    await talk(service)
    await service.long_term.UpdateUser(
        long_term.UpdateUserRequest(
            user=long_term.User(user="ada", enabled=False), update_mask=FieldMask(paths=["enabled"])
        )
    )

    found = await search(service, "ferry")

    assert (found.conversations, len(found.hits)) == (0, 0)


async def test_a_user_without_conversations_has_no_turns(service: Service) -> None:
    found = await search(service, "ferry", user="nobody")

    assert (found.conversations, found.more_conversations, len(found.hits)) == (0, False, 0)


async def test_a_revision_without_its_conversation_is_refused(service: Service) -> None:
    refusal = await refused(
        service.conversation.SearchTurns(pb.SearchTurnsRequest(user="ada", text="ferry", min_revision=3))
    )

    assert refusal.metadata["field"] == "min_revision"


async def test_a_vector_finds_by_meaning_alone(service: Service) -> None:
    await talk(service)
    by_words = await search(service, "PostgreSQL database", top_k=1)
    vector = (await HashingEmbedder().embed_queries(["Which database do we use?"]))[0]

    asked = pb.SearchTurnsRequest(user="ada", top_k=1)
    asked.embedding.values.extend(vector.tolist())
    found = await service.conversation.SearchTurns(asked)

    assert found.hits[0].turn == by_words.hits[0].turn
