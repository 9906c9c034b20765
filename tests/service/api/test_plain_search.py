"""A request that is read by what is known of the one before it means what it says."""

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ids import Tenant
from core.usecases.bank.search import Searches
from memorybank.v1 import retrieval_pb2 as pb
from memorybank.v1 import types_pb2
from service.api.from_proto.retrieval import REMEMBERED, plain_search, search

TENANT = Tenant("t1")
PACKED = struct.pack("<3f", 0.6, 0.0, -0.8)
OPTIONS = st.fixed_dictionaries(
    {"bank_id": st.sampled_from(["b1", "b2"])},
    optional={
        "top_k": st.integers(1, 1_000),
        "alpha": st.floats(0.0, 1.0),
        "mode": st.sampled_from(pb.SearchMode.values()),
        "target": st.sampled_from(pb.SearchTarget.values()),
        "fusion": st.sampled_from(pb.Fusion.values()),
        "hops": st.integers(0, 3),
        "max_neighbors": st.integers(0, 1_000),
        "min_score": st.floats(0.0, 1.0),
        "min_revision": st.integers(0, 2**40),
        "include_embedding": st.booleans(),
        "structure": st.builds(pb.Structure, near=st.floats(0.0, 1.0)),
    },
)


def request(packed: bytes = PACKED, /, **more: object) -> pb.SearchRequest:
    given = {"bank_id": "b1", "mode": pb.SEARCH_MODE_EMBEDDING} | more
    return pb.SearchRequest(embedding=types_pb2.Vector(f32=packed), **given)  # type: ignore[arg-type]


def asked(command: Searches) -> tuple[object, ...]:
    """What a command of one ask says, comparable: an array as its bytes."""
    (ask,) = command.asks
    vector = None if ask.embedding is None else ask.embedding.tobytes()
    return ask.text, vector, *ask[2:], command.key, command.min_revision


TEXTS = st.text(min_size=1, max_size=40).filter(lambda text: text.strip() and "\0" not in text)
QUERIES = st.fixed_dictionaries({"text": TEXTS}) | st.just({"embedding": types_pb2.Vector(f32=PACKED)})
KEYWORDS = st.fixed_dictionaries({"keywords": st.lists(TEXTS, min_size=1, max_size=4)})


@given(OPTIONS, QUERIES | KEYWORDS | st.builds(dict.__or__, QUERIES, KEYWORDS))
def test_it_becomes_the_command_that_it_becomes_when_it_is_decoded(
    options: dict[str, object], query: dict[str, object]
) -> None:
    whole = pb.SearchRequest(**options, **query)  # type: ignore[arg-type]

    known = plain_search(whole.SerializeToString(), TENANT)

    assert known is not None
    assert asked(known) == asked(search(whole, TENANT))


def test_one_request_gets_nothing_of_another() -> None:
    one = plain_search(request(keywords=["tower"]).SerializeToString(), TENANT)
    other = plain_search(request(struct.pack("<2f", 0.0, 1.0)).SerializeToString(), TENANT)
    third = plain_search(
        pb.SearchRequest(bank_id="b1", mode=pb.SEARCH_MODE_EMBEDDING, text="t").SerializeToString(), TENANT
    )

    assert one is not None
    assert other is not None
    assert third is not None
    assert asked(one)[:4] == ("", PACKED, None, ("tower",))
    assert asked(other)[:4] == ("", struct.pack("<2f", 0.0, 1.0), None, ())
    assert asked(third)[:4] == ("t", None, None, ())


@pytest.mark.parametrize(
    "other",
    [
        request(keywords=["tower", " "]),
        request(keywords=["tower"] * 65),
        request(exclude_node_ids=["n1"]),
        request(filter=types_pb2.Filter()),
        request(bank_id="no id"),
        request(top_k=1_001),
        request(b""),
        request(PACKED[:-1]),
        request(struct.pack("<2f", 0.0, 0.0)),
        request(struct.pack("<2f", 1.0, math.nan)),
        request(struct.pack("<2f", 1.0, -math.inf)),
        request(struct.pack("<f", 1.0) * 8_193),
        pb.SearchRequest(bank_id="b1", text=""),
        pb.SearchRequest(bank_id="b1", text=" "),
        pb.SearchRequest(bank_id="b1", text="a\0b"),
        pb.SearchRequest(bank_id="b1", text="t" * 16_385),
        pb.SearchRequest(bank_id="b1", node_id="n1"),
        pb.SearchRequest(bank_id="b1", embedding=types_pb2.Vector(values=[1.0])),
        pb.SearchRequest(bank_id="b1"),
    ],
)
def test_what_says_more_or_something_wrong_is_left_to_be_decoded(other: pb.SearchRequest) -> None:
    assert plain_search(other.SerializeToString(), TENANT) is None


@pytest.mark.parametrize(
    "other",
    [
        b"\x1a",
        request().SerializeToString()
        + request().SerializeToString(),  # the last one counts, and they may merge
        request().SerializeToString() + b"\x12\x01t",  # two queries: the last one counts
        b"\x12\x01t\x12\x01u\x0a\x02b1",
        b"\x12\x02\xed\xa0\x0a\x02b1",  # no UTF-8
        request().SerializeToString() + b"\x0a\x02\xff\xfe",
        request().SerializeToString()
        + b"\xfa\x7f\xff\x02"
        + bytes(REMEMBERED + 127),  # a field unknown to us
    ],
)
def test_what_is_odd_is_left_to_be_decoded(other: bytes) -> None:
    assert plain_search(other, TENANT) is None
