"""The native wire at its own door; what requests and answers make of it: `tests/service/api`."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorybank.v1 import retrieval_pb2, types_pb2
from service.api.to_proto.encodings import delimited
from service.native.wire import is_vector, joined, only_field, taken_out

SCORES = st.floats(allow_nan=False)
HITS = st.builds(
    types_pb2.SearchHit,
    node=st.builds(types_pb2.Node, summary=st.text(max_size=300)),
    score=SCORES,
    attribute_score=st.none() | SCORES,
    embedding_score=st.none() | SCORES,
    neighbor_ids=st.lists(st.text(max_size=200), max_size=4),
    unstructured=st.booleans(),
)
NODES = st.lists(st.builds(types_pb2.Node, summary=st.text(max_size=300)), max_size=4)


def optional(hit: types_pb2.SearchHit, field: str) -> float | None:
    return getattr(hit, field) if hit.HasField(field) else None  # type: ignore[arg-type]


def parts(
    hit: types_pb2.SearchHit,
) -> tuple[int, bytes, float, float | None, float | None, tuple[str, ...], bytes]:
    rest = types_pb2.SearchHit(unstructured=hit.unstructured).SerializeToString()
    content = delimited(hit.node.SerializeToString())
    by_words, by_meaning = optional(hit, "attribute_score"), optional(hit, "embedding_score")
    return 1, content, hit.score, by_words, by_meaning, tuple(hit.neighbor_ids), rest


@given(hits=st.lists(HITS, max_size=4), nodes=NODES, revision=st.integers(0, 2**60))
def test_what_is_joined_has_the_bytes_of_the_whole_message(
    hits: list[types_pb2.SearchHit], nodes: list[types_pb2.Node], revision: int
) -> None:
    rest = retrieval_pb2.SearchResponse(revision=revision).SerializeToString()
    messages = [delimited(node.SerializeToString()) for node in nodes]

    made = joined([parts(hit) for hit in hits], 1, messages, 2, rest)

    whole = retrieval_pb2.SearchResponse(hits=hits, neighbors=nodes, revision=revision)
    assert made == whole.SerializeToString()


def test_fields_of_any_number_are_joined() -> None:
    assert joined([], 1, [b"\1a"], 300, b"") == b"\xe2\x12\1a"


@pytest.mark.parametrize(
    "wrong",
    [
        (1, b"", 0.5, None, None, ()),
        [1, b"", 0.5, None, None, (), b""],
        (1, "text", 0.5, None, None, (), b""),
        (1, b"", "half", None, None, (), b""),
        (1, b"", 0.5, None, None, 7, b""),
        (1, b"", 0.5, None, None, (b"n1",), b""),
        (1, b"", 0.5, None, None, (), None),
        ("node", b"", 0.5, None, None, (), b""),
    ],
)
def test_a_hit_of_other_parts_is_refused(wrong: object) -> None:
    with pytest.raises(TypeError):
        joined([wrong], 1, [], 2, b"")  # type: ignore[list-item]


@pytest.mark.parametrize("number", [0, 2**29])
def test_a_number_that_no_field_has_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match="number"):
        joined([], number, [], 2, b"")
    with pytest.raises(ValueError, match="number"):
        joined([(number, b"", 0.5, None, None, (), b"")], 1, [], 2, b"")


def test_a_text_that_is_no_unicode_is_refused() -> None:
    with pytest.raises(UnicodeEncodeError):
        joined([(1, b"", 0.5, None, None, ("\ud800",), b"")], 1, [], 2, b"")


VECTORS = st.builds(types_pb2.Vector, f32=st.binary(min_size=1, max_size=400))


@given(VECTORS, st.text(max_size=200), st.lists(st.text(max_size=9), max_size=3), st.integers(0, 2**31 - 1))
def test_what_is_taken_out_and_the_rest_are_the_whole(
    vector: types_pb2.Vector, bank_id: str, keywords: list[str], top_k: int
) -> None:
    whole = retrieval_pb2.SearchRequest(bank_id=bank_id, embedding=vector, keywords=keywords, top_k=top_k)

    taken = taken_out(whole.SerializeToString(), (2, 3, 5), (11,))

    rest = retrieval_pb2.SearchRequest(bank_id=bank_id, top_k=top_k)
    held = [(3, vector.SerializeToString()), *((5, keyword.encode()) for keyword in keywords)]
    assert taken == (rest.SerializeToString(), held)


def test_where_nothing_is_to_be_taken_out_all_is_left() -> None:
    assert taken_out(b"", (3,), ()) == (b"", [])
    assert taken_out(b"\x18\x01", (2,), ()) == (b"\x18\x01", [])


@given(st.binary(max_size=60))
def test_bytes_of_any_kind_are_read_or_left(message: bytes) -> None:
    taken = taken_out(message, (3, 5), ())
    held = only_field(message, 1)

    assert taken is None or len(taken[0]) + sum(len(content) for _, content in taken[1]) <= len(message)
    assert held is None or len(held) < len(message)


@pytest.mark.parametrize(
    "message",
    [
        b"\x1a",
        b"\x1a\x05\x0a\x01a",  # ends too early
        b"\x18\x01",  # of another type
        b"\x1a\x03\x0a\x01a\x0b\x0c",  # a group
        b"\x1a\x03\x0a\x01a\x2a\x01a",  # one of the unwanted beside it
        b"\x1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",  # longer than anything
        b"\xff" * 20,
    ],
)
def test_what_is_not_just_that_is_left(message: bytes) -> None:
    assert taken_out(message, (3,), (5,)) is None


def test_the_only_field_of_a_message_is_told() -> None:
    assert only_field(b"\x0a\x01a", 1) == b"a"
    assert only_field(b"\x0a\x00", 1) == b""


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\x0a\x02a",  # ends too early
        b"\x0a\x01a\x0a\x01a",  # twice
        b"\x0a\x01a\x12",  # and half of another
        b"\x12\x01a",  # another field
        b"\x08\x01",  # of another type
    ],
)
def test_of_another_message_there_is_no_only_field(message: bytes) -> None:
    assert only_field(message, 1) is None


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        (struct.pack("<2f", 0.0, 1e-45), True),
        (struct.pack("<2f", 3e38, -3e38), True),
        (struct.pack("<2f", 0.0, -0.0), False),
        (struct.pack("<2f", 1.0, float("nan")), False),
        (struct.pack("<2f", float("-inf"), 1.0), False),
        (b"\0\0\x80", False),
        (b"", False),
    ],
)
def test_a_vector_is_finite_numbers_that_are_not_all_zero(numbers: bytes, expected: bool) -> None:
    assert is_vector(numbers) is expected
