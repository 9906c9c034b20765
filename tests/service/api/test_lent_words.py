"""What neighbours lend a node, over a real channel: kept as long as the edge stands, and gone with it."""

from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1 import types_pb2 as types
from tests.support.server import Service

TEXTS = {
    "z": "The Quantia laboratory in Halden builds the Aurora processor.",
    "c": "The Aurora processor of Quantia has forty qubits.",
    "b": "A Nordkryo refrigerator cools the Aurora processor of Quantia.",
}


async def told(service: Service) -> dict[str, types.Node]:
    """A bank of the three texts, memorized in turn; the nodes by the letter of their text."""
    await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b1"))
    for letter in "czb":
        await service.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text=TEXTS[letter]))
    return await nodes(service)


async def nodes(service: Service) -> dict[str, types.Node]:
    listed = await service.graph.ListNodes(graph.ListNodesRequest(bank_id="b1"))
    return {letter: node for node in listed.nodes for letter, text in TEXTS.items() if node.summary == text}


async def test_a_node_speaks_of_every_neighbour_and_no_longer_of_one_that_left(service: Service) -> None:
    before = await told(service)
    assert "Halden" in before["c"].context
    assert "Nordkryo" in before["c"].context

    await service.graph.Unrelate(
        graph.UnrelateRequest(bank_id="b1", node_id=before["c"].node_id, other_node_id=before["z"].node_id)
    )

    after = await nodes(service)
    assert "Halden" not in after["c"].context
    assert "Nordkryo" in after["c"].context
    assert after["c"].context.startswith("The Aurora processor of Quantia has forty qubits")


async def test_a_deleted_neighbour_takes_its_words_and_leaves_those_of_the_others(service: Service) -> None:
    before = await told(service)
    assert "Nordkryo" in before["c"].context

    await service.graph.DeleteNode(graph.DeleteNodeRequest(bank_id="b1", node_id=before["b"].node_id))

    after = await nodes(service)
    assert "Nordkryo" not in after["c"].context
    assert "Halden" in after["c"].context
