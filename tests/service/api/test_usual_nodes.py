"""New nodes as most requests have them, read natively: the very commands that decoding and checking give."""

import struct

from hypothesis import given
from hypothesis import strategies as st

from core.ids import Tenant
from core.usecases.add_nodes import AddNodes, NewNode
from memorybank.v1 import query_graph_pb2 as pb
from memorybank.v1 import types_pb2
from service.api.errors import InvalidRequest
from service.api.from_proto import query_graph as parse

TENANT = Tenant("acme")
FLOATS = st.floats(width=32, allow_nan=True, allow_infinity=True) | st.just(0.0)
IDS = st.sampled_from(["n1", "n2", "a.b:c_d-e", "x" * 128, "x" * 129, "-x", "节点", ""])
TEXTS = st.text(max_size=40) | st.sampled_from(["", " ", "\u3000", "a\0b", "预算增加了。", "x" * 4_097])
VECTORS = st.builds(
    lambda numbers, tail: types_pb2.Vector(f32=struct.pack(f"<{len(numbers)}f", *numbers) + tail),
    st.lists(FLOATS, max_size=5),
    st.sampled_from([b"", b"", b"\0"]),
)
FIELDS = {
    "node_id": IDS,
    "summary": TEXTS,
    "context": TEXTS,
    "keywords": st.lists(TEXTS, max_size=3),
    "embedding": st.none() | VECTORS,
    "related_node_ids": st.lists(IDS, max_size=3),
    "source": TEXTS,
}
RARE = {"verbatim": TEXTS, "labels": st.dictionaries(st.just("k"), st.just("v"), max_size=1)}
REQUESTS = st.builds(pb.AddNodeRequest, bank_id=IDS, **FIELDS) | st.builds(
    pb.AddNodeRequest, bank_id=IDS, **FIELDS, **RARE
)
USUAL = st.builds(
    pb.NewNode,
    node_id=st.sampled_from(["", "n1"]),
    summary=st.text("预算 budget", min_size=1).map(lambda text: text + "x"),
    context=st.text("会议 meeting"),
    keywords=st.lists(st.sampled_from(["budget", "预算"]), max_size=2),
    embedding=st.none() | st.just(types_pb2.Vector(f32=struct.pack("<2f", 0.5, -1.0))),
    related_node_ids=st.lists(st.sampled_from(["n7", "n8"]), unique=True),
    source=st.sampled_from(["", "minutes"]),
)


def plain(command: AddNodes) -> tuple[object, ...]:
    """All of a command, arrays as their bytes."""
    return (command.key, command.alone, command.request, *map(_plain, command.nodes))


def _plain(node: NewNode) -> tuple[object, ...]:
    packed = None if node.embedding is None else node.embedding.tobytes()
    others = [getattr(node, name) for name in NewNode.__slots__ if name != "embedding"]
    return (packed, *others)


@given(REQUESTS)
def test_a_request_is_read_natively_as_it_is_otherwise_or_not_at_all(request: pb.AddNodeRequest) -> None:
    usual = parse.usual_node(request.SerializeToString(), TENANT)

    try:
        otherwise = plain(parse.add_node(request, TENANT))
    except InvalidRequest:
        assert usual is None
    else:
        assert usual is None or plain(usual) == otherwise


@given(USUAL)
def test_a_node_that_has_what_most_have_is_read_natively(new: pb.NewNode) -> None:
    request = pb.AddNodeRequest(bank_id="b1")
    for field, value in new.ListFields():
        if isinstance(value, str):
            setattr(request, field.name, value)
        else:
            getattr(request, field.name).MergeFrom(value)

    read = parse.usual_node(request.SerializeToString(), TENANT)

    assert read is not None
    assert plain(read) == plain(parse.add_node(request, TENANT))


@given(st.lists(USUAL, min_size=1, max_size=4))
def test_so_is_a_batch_of_them(nodes: list[pb.NewNode]) -> None:
    request = pb.BatchAddNodesRequest(bank_id="b1", nodes=nodes)

    read = parse.usual_nodes(request.SerializeToString(), TENANT)

    assert read is not None
    assert plain(read) == plain(parse.batch_add_nodes(request, TENANT))


def test_what_is_seldom_there_is_left_to_the_message() -> None:
    node = pb.NewNode(summary="s")
    batch = pb.BatchAddNodesRequest(bank_id="b1", nodes=[node])
    asked = pb.AddNodeRequest(bank_id="b1", summary="s", request_id="r1")
    backdated = pb.AddNodeRequest(bank_id="b1", summary="s")
    backdated.event_time.seconds = 1

    assert parse.usual_nodes(batch.SerializeToString(), TENANT) is not None
    batch.nodes.extend([node] * parse.MOST_NODES)
    for other in (asked, backdated):
        assert parse.usual_node(other.SerializeToString(), TENANT) is None
    assert parse.usual_nodes(batch.SerializeToString(), TENANT) is None
