"""Answers of Retrieval."""

from collections.abc import Iterable

from core.bank.change import Vector
from core.bank.query import Found, Hit
from core.context.budget import LeftOut, Loss, SectionSize
from core.usecases.augment import Augmented
from core.usecases.search import Answer, SearchAnswers
from memorybank.v1 import retrieval_pb2 as pb
from memorybank.v1 import types_pb2
from service.api.enums import RERANKINGS, numbers
from service.api.to_proto.encodings import delimited, field, fields
from service.api.to_proto.values import node_bytes, segment_bytes, segment_ref

_LOSSES = {
    Loss.SHORTENED: types_pb2.LEFT_OUT_REASON_SHORTENED,
    Loss.DROPPED: types_pb2.LEFT_OUT_REASON_DROPPED,
}
_RERANKINGS = numbers(RERANKINGS)


def search(answers: SearchAnswers) -> bytes:
    """SearchResponse."""
    return answer(answers.answers[0], answers.revision)


def batch_search(answers: SearchAnswers) -> bytes:
    """BatchSearchResponse."""
    results = [delimited(answer(one, answers.revision)) for one in answers.answers]
    rest = pb.BatchSearchResponse(revision=answers.revision).SerializeToString()
    return fields(pb.BatchSearchResponse.RESULTS_FIELD_NUMBER, results) + rest


def answer(found: Answer, revision: int) -> bytes:
    """One SearchResponse, joined."""
    vectors = found.vectors or (None,) * len(found.found.hits)
    hits = [hit(h, v, found.found) for h, v in zip(found.found.hits, vectors, strict=True)]
    neighbors = map(node_bytes, found.found.neighbors)
    rest = pb.SearchResponse(
        neighbors_truncated=found.found.neighbors_truncated,
        revision=revision,
        reranking=_RERANKINGS[found.reranked],
    )
    return b"".join(
        (
            fields(pb.SearchResponse.HITS_FIELD_NUMBER, hits),
            fields(pb.SearchResponse.NEIGHBORS_FIELD_NUMBER, neighbors),
            rest.SerializeToString(),
        )
    )


def hit(value: Hit, vector: Vector | None = None, found: Found | None = None) -> bytes:
    """One SearchHit, joined and delimited. A side that `found` did not use has no score."""
    rest = types_pb2.SearchHit(
        score=value.score,
        attribute_score=value.attribute_score if found is None or found.by_words else None,
        embedding_score=value.embedding_score if found is None or found.by_meaning else None,
        neighbor_ids=value.neighbor_ids,
        unstructured=value.unstructured,
        best_segment=None if value.best_segment is None else segment_ref(value.best_segment),
        why=[types_pb2.ScoreShare(component=name, share=share) for name, share in value.why],
    )
    if value.node is not None:
        content = field(types_pb2.SearchHit.NODE_FIELD_NUMBER, node_bytes(value.node, vector))
    else:
        assert value.segment is not None, "a hit is a node or a segment"
        content = field(types_pb2.SearchHit.SEGMENT_FIELD_NUMBER, segment_bytes(value.segment))
    return delimited(content + rest.SerializeToString())


def augment(made: Augmented) -> bytes:
    """AugmentResponse."""
    before = pb.AugmentResponse(prompt=made.prompt, tools=made.tools)
    after = pb.AugmentResponse(
        sections=sections(made.sections),
        left_out=left_out(made.left_out),
        tokens=made.tokens,
        revision=made.revision,
        reranking=_RERANKINGS[made.reranked],
    )
    hits = fields(pb.AugmentResponse.HITS_FIELD_NUMBER, map(hit, made.hits))
    return before.SerializeToString() + hits + after.SerializeToString()


def sections(sizes: Iterable[SectionSize]) -> list[types_pb2.Section]:
    return [types_pb2.Section(name=size.name, tokens=size.tokens) for size in sizes]


def left_out(items: Iterable[LeftOut]) -> list[types_pb2.LeftOut]:
    return [
        types_pb2.LeftOut(what=_kind(item), id=item.item_id, reason=_LOSSES[item.loss], tokens=item.tokens)
        for item in items
    ]


def _kind(item: LeftOut) -> str:
    if item.section == "insight":
        return "conflict"
    if item.section == "neighbors":
        return "neighbor"
    return "segment" if "#" in item.item_id else "node"  # no id holds a #
