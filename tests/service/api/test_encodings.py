"""Joined answers have the bytes of the plain messages; values are encoded once."""

import sys
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.bank.query import Hit, QueryResult
from core.ids import ConflictId, InteractionId, NodeId, SegmentRef
from core.model.interaction import Refutation, Segment
from core.model.node import Node, NodeState
from core.model.vector import Vector
from core.usecases.bank.verbs.search import Answer, SearchAnswers
from memorybank.v1 import retrieval_pb2, types_pb2
from service.api.to_proto import values
from service.api.to_proto.encodings import content, delimited, field, varint
from service.api.to_proto.retrieval import batch_search, search

MOMENT = datetime(2024, 5, 1, 9, 0, 0, 123456, tzinfo=UTC)


def node(name: str, **changed: object) -> Node:
    plain = Node(
        node_id=NodeId(name),
        summary=f"{name} 的摘要",
        context="关于它",
        keywords=("词", "word"),
        base_context="",
        base_keywords=(),
        event_time=MOMENT,
        create_time=MOMENT,
        update_time=MOMENT,
        labels={"b": "2", "a": "1"},
        segments=(SegmentRef(InteractionId("i1"), 0), SegmentRef(InteractionId("i1"), 300)),
        revision=2**40,
    )
    return replace(plain, **changed)  # type: ignore[arg-type]


SEGMENT = Segment(
    ref=SegmentRef(InteractionId("i1"), 7),
    text="原文",
    offset=123_456,
    event_time=MOMENT,
    node_ids=(NodeId("n1"),),
    refuted=(Refutation(start=0, end=2, conflict_id=ConflictId("c1")),),
)
HITS = (
    Hit(score=0.75, attribute_score=1.0, embedding_score=0.5, node=node("n1"), neighbor_ids=(NodeId("n2"),)),
    Hit(score=0.5, attribute_score=0.0, embedding_score=1.0, segment=SEGMENT, unstructured=True),
    Hit(score=0.25, attribute_score=0.0, embedding_score=0.0, node=node("n3"), best_segment=SEGMENT.ref),
)
FOUND = QueryResult(
    hits=HITS, neighbors=(node("n2", state=NodeState.CONTESTED),), neighbors_truncated=True, revision=9
)


def plain_hit(hit: Hit, vector: Vector | None) -> types_pb2.SearchHit:
    return types_pb2.SearchHit(
        node=None if hit.node is None else values.node(hit.node, vector),
        segment=None if hit.segment is None else values.segment(hit.segment),
        score=hit.score,
        attribute_score=hit.attribute_score,
        embedding_score=hit.embedding_score,
        neighbor_ids=hit.neighbor_ids,
        unstructured=hit.unstructured,
        best_segment=None if hit.best_segment is None else values.segment_ref(hit.best_segment),
    )


def plain(answer: Answer) -> retrieval_pb2.SearchResponse:
    vectors = answer.vectors or (None,) * len(HITS)
    return retrieval_pb2.SearchResponse(
        hits=[plain_hit(hit, vector) for hit, vector in zip(HITS, vectors, strict=True)],
        neighbors=[values.node(n) for n in FOUND.neighbors],
        neighbors_truncated=True,
        revision=9,
    )


def test_a_joined_search_has_the_bytes_of_the_plain_message() -> None:
    answer = Answer(found=FOUND)

    joined = search(SearchAnswers(answers=(answer,), revision=9))

    assert joined == plain(answer).SerializeToString(deterministic=True)


def test_so_has_one_with_vectors_and_a_batch() -> None:
    vectors = (np.array([0.6, 0.8], dtype=np.float32), None, np.array([1.0, 0.0], dtype=np.float32))
    answers = (Answer(found=FOUND, vectors=vectors), Answer(found=FOUND))

    joined = batch_search(SearchAnswers(answers=answers, revision=9))

    message = retrieval_pb2.BatchSearchResponse(results=map(plain, answers), revision=9)
    assert joined == message.SerializeToString(deterministic=True)


@given(st.integers(min_value=0, max_value=2**63 - 1))
def test_a_varint_is_protobuf_s(number: int) -> None:
    assert types_pb2.Node(revision=number).SerializeToString() == (
        varint(13 << 3) + varint(number) if number else b""
    )


@given(st.binary(max_size=300))
def test_a_field_is_protobuf_s(text: bytes) -> None:
    whole = field(1, delimited(text))

    assert whole == types_pb2.Vector(f32=text).SerializeToString() or not text


@given(st.binary(max_size=20_000))
def test_what_is_delimited_stands_behind_its_length(text: bytes) -> None:
    assert content(delimited(text)) == text


def test_a_value_is_encoded_once_and_what_replaces_it_anew() -> None:
    value = node("n1")

    encoded = values.node_bytes(value)
    other = replace(value, summary="ein anderes")

    assert values.node_bytes(value) is encoded
    assert values.node_encodings([value, other]) == [encoded, values.node_bytes(other)]
    assert content(values.node_bytes(other)) == values.node(other).SerializeToString(deterministic=True)


def test_texts_do_not_keep_what_they_were_encoded_as() -> None:
    value = node("n1", summary="实验室的温度" * 20, context="设备" * 20, keywords=("量" * 9,))
    texts = (value.summary, value.context, *value.keywords)
    before = [sys.getsizeof(text) for text in texts]

    values.node_bytes(value)

    assert [sys.getsizeof(text) for text in texts] == before


def test_an_encoding_is_no_part_of_the_value() -> None:
    value, twin = node("n1", labels={}), node("n1", labels={})

    values.node_bytes(value)

    assert value == twin
    assert repr(value) == repr(twin)
    assert not hasattr(twin, "encoding")
