"""Answers of Retrieval."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from core.bank.query import Hit
from core.context.conversing import DONE, LONG, MID, PROMOTED, RECALL, SHORT
from core.context.elsewhere import ELSEWHERE
from core.context.long_term import EPISODES, FACTS, PREFERENCES, REFLECTIONS, STRATEGIES
from core.context.sections import LeftOut, Loss, SectionSize, Standing
from core.context.working import WORKING
from core.model.record import SupersededReason
from core.model.vector import Vector
from core.usecases.bank.retrieval.reranking import RerankOutcome
from core.usecases.bank.verbs.augment import AugmentResult
from core.usecases.bank.verbs.search import Answer, SearchAnswers
from core.usecases.context.asked import Missing
from core.usecases.context.assemble_context import ContextAssembled
from core.usecases.context.explain import ContextExplanation, Explanation
from core.usecases.room import ROOM, fitted
from memorybank.v1 import long_term_pb2, types_pb2
from memorybank.v1 import retrieval_pb2 as pb
from service.api.enums import CONTEXT_PARTS, EXPLAIN_REASONS, RERANKINGS, SUPERSEDED_REASONS, numbers
from service.api.errors.table import reason_of
from service.api.to_proto.encodings import delimited, fields
from service.api.to_proto.instructions import missing
from service.api.to_proto.values import node_bytes, node_encodings, segment_bytes, segment_ref, time
from service.native.wire import joined

_LOSSES = {
    Loss.SHORTENED: types_pb2.LEFT_OUT_REASON_SHORTENED,
    Loss.DROPPED: types_pb2.LEFT_OUT_REASON_DROPPED,
    Loss.CONTESTED: types_pb2.LEFT_OUT_REASON_CONTESTED,
    Loss.BELOW_FLOOR: types_pb2.LEFT_OUT_REASON_BELOW_FLOOR,
}
_RERANKINGS = numbers(RERANKINGS)
_PARTS = numbers(CONTEXT_PARTS)
_EXPLAINED = numbers(EXPLAIN_REASONS)
_SUPERSEDED: Mapping[SupersededReason | None, long_term_pb2.SupersededReason.ValueType] = {
    **numbers(SUPERSEDED_REASONS)
}
_NOT_SUPERSEDED = long_term_pb2.SUPERSEDED_REASON_UNSPECIFIED
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
        sections=sections(made.sections),
        left_out=left_out(made.left_out),
        tokens=made.tokens,
        revision=made.revision,
        reranking=_RERANKINGS[made.reranked],
        truncated=len(shown) < len(parts),
        below_floor=made.below_floor,
    )
    return before + joined(shown, pb.AugmentResponse.HITS_FIELD_NUMBER, [], 1, after.SerializeToString())


def sections(sizes: Iterable[SectionSize]) -> list[types_pb2.Section]:
    return [
        types_pb2.Section(name=size.name, tokens=size.tokens, items=map(_item, size.items)) for size in sizes
    ]


def _item(item: Standing) -> types_pb2.SectionItem:
    copies = [types_pb2.SectionCopy(id=copy.item_id, event_time=time(copy.time)) for copy in item.copies]
    return types_pb2.SectionItem(id=item.item_id, tokens=item.tokens, copies=copies)


def left_out(items: Iterable[LeftOut]) -> list[types_pb2.LeftOut]:
    return [
        types_pb2.LeftOut(
            what=_kind(item),
            id=item.item_id,
            reason=_LOSSES[item.loss],
            tokens=item.tokens,
            section=item.section,
        )
        for item in items
    ]


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


def missing_parts(parts: Iterable[Missing]) -> list[pb.MissingPart]:
    return [pb.MissingPart(part=_PARTS[each.part], reason=reason_of(each.error)) for each in parts]


def assemble_context(made: ContextAssembled) -> pb.AssembleContextResponse:
    return pb.AssembleContextResponse(
        prompt=made.prompt,
        messages=[pb.ContextMessage(role=each.role, text=each.text) for each in made.messages],
        tools=made.tools,
        sections=sections(made.sections),
        left_out=left_out(made.left_out),
        record_ids=made.record_ids,
        node_ids=made.node_ids,
        cluster_ids=made.cluster_ids,
        missing=missing_parts(made.missing),
        tokens=made.tokens,
        revisions=made.revisions,
        missing_sources=map(missing, made.missing_sources),
        below_floor=made.below_floor,
    )


def explain(made: ContextExplanation) -> pb.ExplainResponse:
    return pb.ExplainResponse(
        memories=map(_explanation, made.memories), tokens=made.tokens, revisions=made.revisions
    )


def _explanation(told: Explanation) -> pb.Explanation:
    subject, measured = told.subject, told.measured
    return pb.Explanation(
        what=subject.what,
        id=subject.id,
        text=subject.text[:_GLIMPSE],
        stands=told.stands,
        reason=_EXPLAINED[told.reason],
        item_id=told.item_id,
        section=told.section,
        other_id=subject.other_id,
        contested_with=subject.contested_with,
        changes=[pb.ContextChange(field=field, value=value) for field, value in told.changes.items()],
        rank=measured.rank,
        words=measured.words,
        cosine=measured.cosine,
        weight=measured.weight,
        cut=told.cut,
        why=[types_pb2.ScoreShare(component=name, share=share) for name, share in measured.why],
        nearest=subject.nearest,
        expire_time=None if subject.expire_time is None else time(subject.expire_time),
        superseded_reason=_SUPERSEDED.get(subject.superseded_reason, _NOT_SUPERSEDED),
    )
