"""QueryGraph over a real channel."""

import grpc
import numpy as np
import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from memorybank.v1 import memory_bank_pb2 as bank
from memorybank.v1 import query_graph_pb2 as pb
from memorybank.v1 import types_pb2
from tests.support.server import Service, refused

SPACE = types_pb2.EmbeddingSpace(name="mine", dimension=4, source=types_pb2.SPACE_SOURCE_CLIENT)


async def star(service: Service) -> None:
    """A bank whose node `hub` is related to a, b and c, and c to d."""
    await service.bank.CreateBank(bank.CreateBankRequest(bank_id="b1"))
    nodes = [pb.NewNode(node_id=name, summary=f"节点 {name}", keywords=[name]) for name in "abcd"]
    nodes[2].related_node_ids.append("d")
    hub = pb.NewNode(node_id="hub", summary="枢纽", context="the hub", related_node_ids=["a", "b", "c"])
    await service.graph.BatchAddNodes(pb.BatchAddNodesRequest(bank_id="b1", nodes=[*nodes, hub]))


async def get(service: Service, node_id: str) -> pb.GetNodeResponse:
    return await service.graph.GetNode(
        pb.GetNodeRequest(bank_id="b1", node_id=node_id, include_embedding=True)
    )


async def test_a_node_is_added_as_worded_and_read_back(service: Service) -> None:
    await service.bank.CreateBank(bank.CreateBankRequest(bank_id="b1"))

    added = await service.graph.AddNode(
        pb.AddNodeRequest(
            bank_id="b1",
            summary="张三是CEO",
            context="about the CEO",
            keywords=["CEO", "张三"],
            labels={"k": "v"},
            verbatim="公司公告：张三是CEO。",
            source="announcement",
        )
    )

    read = await service.graph.GetNode(pb.GetNodeRequest(bank_id="b1", node_id=added.node.node_id))
    assert read.node == added.node
    assert list(read.node.keywords) == ["CEO", "张三"]
    assert read.node.state == types_pb2.NODE_STATE_ACTIVE
    assert len(read.node.interaction_ids) == 1
    assert not read.node.HasField("embedding")


async def test_nodes_are_added_all_or_none(service: Service) -> None:
    await star(service)
    fresh = pb.NewNode(node_id="e", summary="fine")

    refusal = await refused(
        service.graph.BatchAddNodes(
            pb.BatchAddNodesRequest(bank_id="b1", nodes=[fresh, pb.NewNode(node_id="a", summary="taken")])
        )
    )

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ALREADY_EXISTS, "NODE_EXISTS")
    assert (await refused(get(service, "e"))).reason == "NODE_NOT_FOUND"


async def test_a_batch_of_too_many_bytes_is_refused(service: Service) -> None:
    await star(service)
    nodes = [pb.NewNode(summary="x", verbatim="y" * 50_000) for _ in range(90)]

    refusal = await refused(service.graph.BatchAddNodes(pb.BatchAddNodesRequest(bank_id="b1", nodes=nodes)))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "LIMIT_REACHED")
    assert "smaller batches" in refusal.metadata["remedy"]


async def test_nodes_are_listed_page_by_page_and_by_filter(service: Service) -> None:
    await star(service)

    first = await service.graph.ListNodes(pb.ListNodesRequest(bank_id="b1", page_size=3))
    rest = await service.graph.ListNodes(
        pb.ListNodesRequest(bank_id="b1", page_size=3, page_token=first.next_page_token)
    )
    chosen = await service.graph.ListNodes(
        pb.ListNodesRequest(bank_id="b1", filter=types_pb2.Filter(keywords=["C"]), include_embedding=True)
    )

    assert [n.node_id for n in (*first.nodes, *rest.nodes)] == ["a", "b", "c", "d", "hub"]
    assert rest.next_page_token == ""
    assert [n.node_id for n in chosen.nodes] == ["c"]
    assert len(chosen.nodes[0].embedding.f32) == 4 * 256


async def test_an_update_sets_what_its_mask_names(service: Service) -> None:
    await star(service)
    before = (await get(service, "hub")).node

    updated = await service.graph.UpdateNode(
        pb.UpdateNodeRequest(
            bank_id="b1",
            node=types_pb2.Node(node_id="hub", summary="新的枢纽", context="ignored", source="given"),
            update_mask=FieldMask(paths=["summary", "source"]),
        )
    )

    after = (await get(service, "hub")).node
    assert (after.summary, after.context, after.source) == ("新的枢纽", "the hub", "given")
    assert after.embedding != before.embedding
    assert updated.node.revision == updated.revision


async def test_an_update_of_a_node_that_changed_is_aborted(service: Service) -> None:
    await star(service)
    change = pb.UpdateNodeRequest(
        bank_id="b1",
        node=types_pb2.Node(node_id="a", source="given"),
        update_mask=FieldMask(paths=["source"]),
        if_revision=2,
    )
    await service.graph.UpdateNode(change)

    refusal = await refused(service.graph.UpdateNode(change))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ABORTED, "STALE_REVISION")


async def test_a_node_goes_with_its_edges(service: Service) -> None:
    await star(service)

    await service.graph.DeleteNode(pb.DeleteNodeRequest(bank_id="b1", node_id="hub", request_id="r1"))
    again = await service.graph.DeleteNode(pb.DeleteNodeRequest(bank_id="b1", node_id="hub", request_id="r1"))

    assert again.replayed
    assert list((await get(service, "c")).neighbor_ids) == ["d"]


async def test_relating_twice_changes_nothing_the_second_time(service: Service) -> None:
    await star(service)

    first = await service.graph.Relate(pb.RelateRequest(bank_id="b1", node_id="a", other_node_id="b"))
    second = await service.graph.Relate(pb.RelateRequest(bank_id="b1", node_id="b", other_node_id="a"))
    await service.graph.Unrelate(pb.UnrelateRequest(bank_id="b1", node_id="b", other_node_id="a"))
    refusal = await refused(
        service.graph.Unrelate(pb.UnrelateRequest(bank_id="b1", node_id="b", other_node_id="a"))
    )

    assert (first.created, second.created) == (True, False)
    assert first.revision == second.revision
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "EDGE_NOT_FOUND")


async def test_neighbors_come_nearest_first_page_by_page(service: Service) -> None:
    await star(service)

    first = await service.graph.ListNeighbors(
        pb.ListNeighborsRequest(bank_id="b1", node_id="a", hops=3, page_size=2)
    )
    rest = await service.graph.ListNeighbors(
        pb.ListNeighborsRequest(
            bank_id="b1", node_id="a", hops=3, page_size=2, page_token=first.next_page_token
        )
    )

    found = [(n.node.node_id, n.distance) for n in (*first.neighbors, *rest.neighbors)]
    assert found == [("hub", 1), ("b", 2), ("c", 2), ("d", 3)]


async def test_merged_nodes_hand_on_their_neighbours_and_point_to_their_heir(service: Service) -> None:
    await star(service)

    merged = await service.graph.MergeNodes(
        pb.MergeNodesRequest(
            bank_id="b1", node_ids=["hub", "c"], new_node_id="h2", summary="合并后的枢纽", keywords=["枢纽"]
        )
    )

    refusal = await refused(get(service, "hub"))
    assert list((await get(service, "h2")).neighbor_ids) == ["a", "b", "d"]
    assert [n.node_id for n in merged.lineage.absorbed] == ["hub", "c"]
    assert merged.lineage.reason == types_pb2.MERGE_REASON_REQUEST
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "NODE_ABSORBED")
    assert refusal.metadata == {"node_id": "hub", "into": "h2"}


async def test_a_bank_of_client_vectors_keeps_them_bit_for_bit_and_asks_for_them(service: Service) -> None:
    await service.bank.CreateBank(bank.CreateBankRequest(bank_id="b1", embedding_space=SPACE))
    unit = np.array([0.6, 0.8, 0.0, 0.0], dtype="<f4")
    given = types_pb2.Vector(f32=unit.tobytes())
    await service.graph.AddNode(pb.AddNodeRequest(bank_id="b1", node_id="n1", summary="s", embedding=given))

    missing = await refused(service.graph.AddNode(pb.AddNodeRequest(bank_id="b1", summary="s")))

    assert (await get(service, "n1")).node.embedding.f32 == unit.tobytes()
    assert (missing.code, missing.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "EMBEDDING_REQUIRED")
    assert missing.fields == ("embedding",)


@pytest.mark.parametrize(
    ("vector", "reason"),
    [
        (types_pb2.Vector(values=[1, 2, 3]), "EMBEDDING_SPACE_MISMATCH"),
        (types_pb2.Vector(values=[0, 0, 0, 0]), "INVALID_FIELD"),
        (types_pb2.Vector(values=[1, 2, 3, float("nan")]), "INVALID_FIELD"),
        (types_pb2.Vector(values=[1, 2, 3, float("inf")]), "INVALID_FIELD"),
        (types_pb2.Vector(f32=b"123"), "INVALID_FIELD"),
        (types_pb2.Vector(f32=bytes(16), values=[1, 2, 3, 4]), "INVALID_FIELD"),
        (types_pb2.Vector(), "INVALID_FIELD"),
    ],
)
async def test_a_vector_that_is_none_is_refused(
    service: Service, vector: types_pb2.Vector, reason: str
) -> None:
    await service.bank.CreateBank(bank.CreateBankRequest(bank_id="b1", embedding_space=SPACE))

    refusal = await refused(
        service.graph.AddNode(pb.AddNodeRequest(bank_id="b1", summary="s", embedding=vector))
    )

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, reason)
    assert refusal.fields[0].startswith("embedding")
    assert await service.revision("b1") == 1
