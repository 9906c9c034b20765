"""Answers of Retrieval."""

import re
from collections.abc import Sequence
from functools import lru_cache

from core.bank.query import Hit
from core.context.conversing import DONE, LONG, MID, PROMOTED, RECALL, SHORT
from core.context.elsewhere import ELSEWHERE
from core.context.evidence import Copy
from core.context.long_term import EPISODES, FACTS, PREFERENCES, REFLECTIONS, STRATEGIES
from core.context.sections import LeftOut, SectionSize, Standing
from core.context.working import WORKING
from core.model.vector import Vector
from core.usecases.bank.retrieval.reranking import RerankOutcome
from core.usecases.bank.verbs.augment import AugmentResult
from core.usecases.bank.verbs.search import Answer, SearchAnswers
from core.usecases.context.asked import Missing
from core.usecases.context.explain import Explanation
from core.usecases.room import ROOM, fitted
from memorybank.v1 import retrieval_pb2 as pb
from memorybank.v1 import types_pb2
from service.api.enums import RERANKINGS, numbers
from service.api.errors.table import reason_of
from service.api.mapping.rendering import rendering
from service.api.to_proto.encodings import delimited, fields
from service.api.to_proto.values import node_bytes, node_encodings, segment_bytes, segment_ref
from service.native.wire import joined

_RERANKINGS = numbers(RERANKINGS)
_GLIMPSE = 200  # code points of a memory that is explained
_NODE = types_pb2.SearchHit.NODE_FIELD_NUMBER
_SEGMENT = types_pb2.SearchHit.SEGMENT_FIELD_NUMBER
_HITS = pb.SearchResponse.HITS_FIELD_NUMBER
_NEIGHBORS = pb.SearchResponse.NEIGHBORS_FIELD_NUMBER
_SCORES = 40  # bytes that three scores take with their tags, and the hit's own
_NAMED = 128 + 4  # bytes that the longest id takes with its tag and length

HitParts = tuple[int, bytes, float, float | None, float | None, tuple[str, ...], bytes]
"""A hit as `joined` takes it."""


def search(answers: SearchAnswers) -> bytes:
    """Renders SearchResponse."""
    return answer(answers.answers[0], answers.revision)


def batch_search(answers: SearchAnswers) -> bytes:
    """Renders BatchSearchResponse. What one search leaves of the room, the next ones have."""
    results: list[bytes] = []
    left = ROOM
    for waiting, one in zip(range(len(answers.answers), 0, -1), answers.answers, strict=True):
        results.append(delimited(answer(one, answers.revision, left // waiting)))
        left -= len(results[-1])
    rest = pb.BatchSearchResponse(revision=answers.revision).SerializeToString()
    return fields(pb.BatchSearchResponse.RESULTS_FIELD_NUMBER, results) + rest


def answer(found: Answer, revision: int, room: int = ROOM) -> bytes:
    """Joins one SearchResponse: as many hits as `room` bytes hold, then as many neighbors."""
    parts = hits(found.found.hits, found.vectors, found.found.by_words, found.found.by_meaning)
    neighbors = node_encodings(found.found.neighbors)
    shown, near = parts, neighbors
    if _most(parts) + sum(map(len, neighbors)) > room:
        shown = _held(parts, room)
        near = neighbors[: fitted(map(len, neighbors), room - sum(map(_size, shown)))]
    fewer = found.found.neighbors_truncated or len(near) < len(neighbors)
    last = _last(fewer, revision, found.reranked, len(shown) < len(parts))
    return joined(shown, _HITS, near, _NEIGHBORS, last)


@lru_cache(maxsize=256)
def _last(neighbors_truncated: bool, revision: int, reranked: RerankOutcome, truncated: bool) -> bytes:
    """Encodes the fields behind hits and neighbors: the same until the bank changes."""
    return pb.SearchResponse(
        neighbors_truncated=neighbors_truncated,
        revision=revision,
        reranking=_RERANKINGS[reranked],
        truncated=truncated,
    ).SerializeToString()


def _most(parts: list[HitParts]) -> int:
    """Bounds what `_size` counts of hits, which takes longer: as a rule there is room for all."""
    return sum(
        [len(shown) + _NAMED * len(near) + len(rest) + _SCORES for _, shown, _, _, _, near, rest in parts]
    )


def _held(parts: list[HitParts], room: int) -> list[HitParts]:
    """Takes the first hits that `room` bytes hold, at least one of them."""
    return parts[: max(1, fitted(map(_size, parts), room))]


def _size(part: HitParts) -> int:
    """Counts the bytes of a hit: of what was found, of its neighbors' ids, of its scores and what few hits have."""
    return len(part[1]) + sum(map(len, part[5])) + 4 * len(part[5]) + len(part[6]) + _SCORES


def hits(
    found: Sequence[Hit],
    vectors: Sequence[Vector | None] = (),
    by_words: bool = True,
    by_meaning: bool = True,
) -> list[HitParts]:
    """Renders SearchHits, to be joined. `vectors` of their nodes, or none; a side that was not used has no score."""
    parts: list[HitParts] = []
    for place, hit in enumerate(found):
        score, attribute, embedding, node, segment, near, unstructured, best_segment, why = hit
        if node is not None:
            number, content = _NODE, node_bytes(node, vectors[place] if vectors else None)
        else:
            assert segment is not None, "a hit is a node or a segment"
            number, content = _SEGMENT, segment_bytes(segment)
        rest = _rest(hit) if unstructured or best_segment or why else b""
        sides = attribute if by_words else None, embedding if by_meaning else None
        parts.append((number, content, score, *sides, near, rest))
    return parts


def _rest(hit: Hit) -> bytes:
    """Encodes the fields that few hits have."""
    return types_pb2.SearchHit(
        unstructured=hit.unstructured,
        best_segment=None if hit.best_segment is None else segment_ref(hit.best_segment),
        why=[types_pb2.ScoreShare(component=name, share=share) for name, share in hit.why],
    ).SerializeToString()


def augment(made: AugmentResult) -> bytes:
    """Renders AugmentResponse."""
    before = pb.AugmentResponse(prompt=made.prompt, tools=made.tools).SerializeToString()
    parts = hits(made.hits)
    shown = _held(parts, ROOM - len(before))
    after = pb.AugmentResponse(
        sections=map(_section, made.sections),
        left_out=map(left_out, made.left_out),
        tokens=made.tokens,
        revision=made.revision,
        reranking=_RERANKINGS[made.reranked],
        truncated=len(shown) < len(parts),
        below_floor=made.below_floor,
    )
    return before + joined(shown, pb.AugmentResponse.HITS_FIELD_NUMBER, [], 1, after.SerializeToString())


_item = rendering(Standing, types_pb2.SectionItem, id="item_id")
_copy = rendering(Copy, types_pb2.SectionCopy, id="item_id", event_time="time")
_section = rendering(SectionSize, types_pb2.Section)


_KINDS = {
    **dict.fromkeys((MID, RECALL, SHORT, ELSEWHERE), "turn"),
    **dict.fromkeys((PREFERENCES, STRATEGIES, FACTS, EPISODES), "record"),
    REFLECTIONS: "reflection",
    LONG: "summary",
    PROMOTED: "key",
    DONE: "invocation",
    WORKING: "item",
    "insight": "conflict",
    "neighbors": "neighbor",
}
"""By the section that it stands in."""
_CONFLICT = re.compile(r"c-[0-9a-z]{26}")


def _kind(item: LeftOut) -> str:
    known = _KINDS.get(item.section)
    if known is None and _CONFLICT.fullmatch(item.item_id):
        return "conflict"  # both its sides, as one item
    return known or ("segment" if "#" in item.item_id else "node")  # no id holds a #


left_out = rendering(LeftOut, types_pb2.LeftOut, what=_kind, id="item_id", reason="loss")
_missing = rendering(Missing, pb.MissingPart, reason=lambda value: reason_of(value.error))


_share = rendering(
    tuple[str, float], types_pb2.ScoreShare, component=lambda share: share[0], share=lambda share: share[1]
)
_explanation = rendering(
    Explanation,
    pb.Explanation,
    text=lambda value: value.subject.text[:_GLIMPSE],
    changes=lambda value: [pb.ContextChange(field=f, value=v) for f, v in value.changes.items()],
)
