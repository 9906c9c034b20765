"""The native wire at its own door; what requests and answers make of it: `tests/service/api`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorybank.v1 import retrieval_pb2, types_pb2
from service.api.to_proto.encodings import delimited
from service.native.wire import joined

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
