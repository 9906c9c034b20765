"""A request that is read by what is known of the one before it means what it says."""

import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ids import Tenant
from core.usecases.search import Searches
from memorybank.v1 import retrieval_pb2 as pb
from memorybank.v1 import types_pb2
from service.api.from_proto.retrieval import REMEMBERED, search, search_by_vector

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


def without_vector(command: Searches) -> Searches:
    return command._replace(asks=tuple(ask._replace(embedding=None) for ask in command.asks))


@given(OPTIONS)
def test_it_becomes_the_command_that_it_becomes_when_it_is_decoded(options: dict[str, object]) -> None:
    asked = request(PACKED, **options)

    known = search_by_vector(asked.SerializeToString(), TENANT)

    decoded = search(asked, TENANT)
    assert known is not None
    assert without_vector(known) == without_vector(decoded)
    assert np.array_equal(known.asks[0].embedding, decoded.asks[0].embedding)  # type: ignore[arg-type]


def test_one_request_does_not_get_the_vector_of_another() -> None:
    one = search_by_vector(request().SerializeToString(), TENANT)
    other = search_by_vector(request(struct.pack("<2f", 0.0, 1.0)).SerializeToString(), TENANT)

    assert one is not None
    assert other is not None
    assert np.array_equal(one.asks[0].embedding, np.frombuffer(PACKED, "<f4"))  # type: ignore[arg-type]
    assert np.array_equal(other.asks[0].embedding, np.array([0.0, 1.0]))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "other",
    [
        request(keywords=["tower"]),
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
        pb.SearchRequest(bank_id="b1", text="tower"),
        pb.SearchRequest(bank_id="b1", node_id="n1"),
        pb.SearchRequest(bank_id="b1", embedding=types_pb2.Vector(values=[1.0])),
        pb.SearchRequest(bank_id="b1"),
    ],
)
def test_what_says_more_or_something_wrong_is_left_to_be_decoded(other: pb.SearchRequest) -> None:
    assert search_by_vector(other.SerializeToString(), TENANT) is None


@pytest.mark.parametrize(
    "other",
    [
        b"\x1a",
        request().SerializeToString()
        + request().SerializeToString(),  # the last one counts, and they may merge
        request().SerializeToString() + b"\x0a\x02\xff\xfe",  # no UTF-8
        request().SerializeToString()
        + b"\xfa\x7f\xff\x02"
        + bytes(REMEMBERED + 127),  # a field unknown to us
    ],
)
def test_what_is_odd_is_left_to_be_decoded(other: bytes) -> None:
    assert search_by_vector(other, TENANT) is None
