"""Clusters over the wire: their labels, search within some, and how one goes."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from memorybank.v1 import conversation_pb2 as pb
from tests.support.server import Service, refused, serving

WHOSE: dict[str, Any] = {"user": "ada", "conversation_id": "c1"}
MATTERS = (
    ("The ferry to Naxos leaves the harbour at {}.", "The ferry then."),
    ("数据库的备份第{}次完成了。", "数据库备份，记下了。"),
)


@pytest.fixture
async def talk() -> AsyncIterator[Service]:
    """Eight turns on two matters, four of one and four of the other, all but the last placed."""
    async with serving() as service:
        settings = pb.ConversationSettings(short_turns=1, similarity=0.5)
        await service.conversation.CreateConversation(
            pb.CreateConversationRequest(settings=settings, **WHOSE)
        )
        turns = [
            pb.Turn(input=said.format(number), reply=reply)
            for said, reply in MATTERS
            for number in range(1, 5)
        ]
        await service.conversation.AddTurns(pb.AddTurnsRequest(turns=turns, **WHOSE))
        placed = 0
        while placed < 7:  # in the background
            placed = sum(len(each.steps) for each in await clusters(service))
        yield service


async def clusters(service: Service) -> list[pb.Cluster]:
    return list((await service.conversation.ListClusters(pb.ListClustersRequest(**WHOSE))).clusters)


async def test_a_cluster_says_what_it_is_about_and_a_search_looks_in_it_alone(talk: Service) -> None:
    ferry, backup = await clusters(talk)

    assert "ferry" in ferry.label
    assert "备份" in backup.label
    query = pb.SearchTurnsRequest(text="ferry 数据库", top_k=20, cluster_ids=[backup.cluster_id], **WHOSE)
    found = await talk.conversation.SearchTurns(query)
    assert sorted(hit.turn.step for hit in found.hits) == list(backup.steps)
    query.ClearField("conversation_id")
    assert (await refused(talk.conversation.SearchTurns(query))).fields == ("cluster_ids",)


async def test_the_turns_of_a_cluster_that_goes_are_placed_anew(talk: Service) -> None:
    before = await clusters(talk)

    gone = await talk.conversation.DeleteCluster(
        pb.DeleteClusterRequest(cluster_id=before[0].cluster_id, request_id="r1", **WHOSE)
    )
    after = await clusters(talk)

    assert sorted(step for each in after for step in each.steps) == list(range(1, 8))
    assert [each.cluster_id for each in after if 1 in each.steps] == list(gone.cluster_ids)
    assert before[1] in after
    again = await talk.conversation.DeleteCluster(
        pb.DeleteClusterRequest(cluster_id=before[0].cluster_id, request_id="r1", **WHOSE)
    )
    assert again.replayed
    assert again.cluster_ids == gone.cluster_ids
    missing = pb.DeleteClusterRequest(cluster_id="c99", **WHOSE)
    assert (await refused(talk.conversation.DeleteCluster(missing))).reason == "CLUSTER_NOT_FOUND"
