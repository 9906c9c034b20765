"""The Conversation service over a real channel."""

import asyncio

from google.protobuf.field_mask_pb2 import FieldMask

from memorybank.v1 import conversation_pb2 as pb
from memorybank.v1 import retrieval_pb2 as retrieval
from tests.support.server import Service, refused


async def say(service: Service, *texts: str, request_id: str = "") -> pb.AddTurnsResponse:
    turns = [pb.Turn(input=text, reply="好的。", input_speaker="Ada") for text in texts]
    return await service.conversation.AddTurns(
        pb.AddTurnsRequest(user="ada", conversation_id="c1", turns=turns, request_id=request_id)
    )


async def settled(service: Service) -> pb.ConversationCounts:
    """Waits until the background has nothing left to do."""
    while True:
        seen = await service.conversation.GetConversation(
            pb.GetConversationRequest(user="ada", conversation_id="c1")
        )
        if not (seen.counts.unembedded_turns or seen.counts.unplaced_turns):
            return seen.counts
        await asyncio.sleep(0)


async def test_turns_are_added_listed_found_and_deleted(service: Service) -> None:
    added = await say(service, "The ferry leaves at nine.", "数据库定了，用PostgreSQL。")
    found = await service.conversation.SearchTurns(
        pb.SearchTurnsRequest(user="ada", conversation_id="c1", text="数据库用什么？", top_k=1)
    )
    gone = await service.conversation.DeleteTurns(
        pb.DeleteTurnsRequest(user="ada", conversation_id="c1", steps=[1])
    )
    listed = await service.conversation.ListTurns(
        pb.ListTurnsRequest(user="ada", conversation_id="c1", min_revision=gone.revision)
    )

    assert [turn.step for turn in added.turns] == [1, 2]
    assert (found.hits[0].turn.step, found.hits[0].segment) == (2, "数据库定了，用PostgreSQL。")
    assert gone.turns == 1
    assert [turn.step for turn in listed.turns] == [2]


async def test_a_repeated_request_is_answered_again(service: Service) -> None:
    first = await say(service, "Hello", request_id="r1")
    again = await say(service, "Hello", request_id="r1")

    assert again.replayed
    assert again.turns == first.turns
    reused = await refused(say(service, "Other", request_id="r1"))
    assert reused.reason == "REQUEST_ID_REUSED"


async def test_the_background_brings_turns_into_their_tiers(service: Service) -> None:
    for number in range(25):
        await say(service, f"When does ferry {number} leave?")
    counts = await settled(service)
    clusters = await service.conversation.ListClusters(
        pb.ListClustersRequest(user="ada", conversation_id="c1")
    )

    assert counts.turns == 25
    assert sorted(step for cluster in clusters.clusters for step in cluster.steps) == [1, 2, 3, 4, 5]


async def test_a_conversation_is_made_changed_ended_and_purged(service: Service) -> None:
    made = await service.conversation.CreateConversation(
        pb.CreateConversationRequest(
            user="ada",
            conversation_id="c1",
            goal="plan a trip",
            settings=pb.ConversationSettings(short_turns=5),
        )
    )
    taken = await refused(
        service.conversation.CreateConversation(
            pb.CreateConversationRequest(user="ada", conversation_id="c1")
        )
    )
    changed = await service.conversation.UpdateConversation(
        pb.UpdateConversationRequest(
            user="ada",
            conversation_id="c1",
            conversation=pb.ConversationRecord(goal="plan another trip"),
            update_mask=FieldMask(paths=["goal"]),
            if_revision=made.conversation.revision,
        )
    )
    stale = await refused(
        service.conversation.UpdateConversation(
            pb.UpdateConversationRequest(
                user="ada",
                conversation_id="c1",
                update_mask=FieldMask(paths=["goal"]),
                if_revision=made.conversation.revision,
            )
        )
    )
    await say(service, "Hello")
    ended = await service.conversation.EndConversation(
        pb.EndConversationRequest(user="ada", conversation_id="c1", wait=True)
    )
    purged = await service.conversation.DeleteConversation(
        pb.DeleteConversationRequest(user="ada", conversation_id="c1")
    )
    gone = await refused(
        service.conversation.GetConversation(pb.GetConversationRequest(user="ada", conversation_id="c1"))
    )

    assert taken.reason == "CONVERSATION_EXISTS"
    assert changed.conversation.settings.short_turns == 5
    assert stale.reason == "STALE_REVISION"
    assert ended.conversation.state == pb.CONVERSATION_STATE_ENDED
    assert purged.turns == 1
    assert gone.reason == "CONVERSATION_NOT_FOUND"


async def test_a_conversation_that_is_off_refuses_turns(service: Service) -> None:
    await service.conversation.CreateConversation(
        pb.CreateConversationRequest(user="ada", conversation_id="c1", enabled=False)
    )
    off = await refused(say(service, "Hello"))

    assert (off.reason, off.metadata["scope"]) == ("MEMORY_OFF", "conversation")


async def test_a_context_holds_keys_turns_and_the_input(service: Service) -> None:
    await service.conversation.AddKey(
        pb.AddKeyRequest(user="ada", conversation_id="c1", text="The budget is 500 euros.")
    )
    await say(service, "The ferry leaves at nine.")
    made = await service.retrieval.AssembleContext(
        retrieval.AssembleContextRequest(user="ada", conversation_id="c1", input="When does it leave?")
    )

    assert [section.name for section in made.sections] == ["key", "recorded", "short", "input"]
    assert "Ada: The ferry leaves at nine." in made.prompt
    assert list(made.revisions) == ["conversation/ada/c1"]


async def test_another_users_conversation_is_not_there(service: Service) -> None:
    await say(service, "Hello")
    unknown = await refused(
        service.conversation.ListTurns(pb.ListTurnsRequest(user="eve", conversation_id="c1"))
    )
    listed = await service.conversation.ListConversations(pb.ListConversationsRequest(user="eve"))

    assert unknown.reason == "CONVERSATION_NOT_FOUND"
    assert not listed.conversations


async def test_a_turn_of_a_hundred_thousand_characters_is_taken_and_found(service: Service) -> None:
    text = "词语。" * 33_000 + "暗号是橘子酱。"
    added = await service.conversation.AddTurns(
        pb.AddTurnsRequest(user="ada", conversation_id="c1", turns=[pb.Turn(input=text)])
    )
    found = await service.conversation.SearchTurns(
        pb.SearchTurnsRequest(user="ada", conversation_id="c1", text="暗号是橘子酱", top_k=1)
    )

    assert added.turns[0].input == text
    assert "暗号是橘子酱。" in found.hits[0].segment
