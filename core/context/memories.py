"""The memories of a prompt: nodes and segments that a search found, or what was said gathered under its nodes.

Law: pure. A memory is named by its node: id, one sentence, state. Gathered, what answers the query stands under that
word for word; summaries, of nodes that were found themselves, take what room is left, and go before all that was said.
A node whose record holds no segments has its summary alone, which then counts as what was said. What is shown of a
node or a segment by whatever query is made once and kept beside it.
"""

from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import NamedTuple

from core.bank.gathering import Memory
from core.bank.query import Hit
from core.context.budget import Item, Section, Tier
from core.context.frame import as_data
from core.context.lines import hanging, indented, one_line, same
from core.context.wording import Wording
from core.ids import NodeId, SegmentRef
from core.model.conflict import Conflict
from core.model.interaction import Segment
from core.model.node import Node, NodeState
from core.text import sentences, transcript
from core.text.tokens import LINE_BREAK
from core.text.tokens import weight as parts_of

QUOTED = ">"
"""Stands before what was said, word for word."""
DASH = parts_of("-")
SILENT = 1.0
"""Less that a node weighs of which nothing was found that was said, so that it goes before all that was said."""


def memory_sections(
    hits: Sequence[Hit],
    neighbors: Sequence[Node],
    conflicts: Sequence[Conflict],
    words: Wording,
    segment_of: Callable[[SegmentRef], Segment],
    attempts: Collection[NodeId] = (),
) -> list[Section]:
    """Returns hits by score, then their neighbours. `attempts`: the nodes that stand only for steps that failed."""
    at_issue = _at_issue(hits, conflicts)
    items = [
        _hit_item(hit, words, at_issue, attempts, segment_of(hit.best_segment) if hit.best_segment else None)
        for hit in hits
    ]
    return _sections(items, neighbors, words, attempts)


def gathered_sections(
    memories: Sequence[Memory],
    neighbors: Sequence[Node],
    conflicts: Sequence[Conflict],
    words: Wording,
    attempts: Collection[NodeId] = (),
) -> list[Section]:
    """Returns memories with what was said, then neighbours of the nodes found that are not among them."""
    hits = [memory.hit or Hit(memory.score, 0.0, 0.0, memory.node) for memory in memories if memory.node]
    at_issue = _at_issue(hits, conflicts)
    items = [item for memory in memories for item in _memory_items(memory, words, at_issue, attempts)]
    named = {memory.node.node_id for memory in memories if memory.node}
    return _sections(items, [node for node in neighbors if node.node_id not in named], words, attempts)


def _sections(
    items: Sequence[Item], neighbors: Sequence[Node], words: Wording, attempts: Collection[NodeId]
) -> list[Section]:
    lightest = min((item.weight for item in items), default=1.0) - 1.0
    return [
        Section(
            name="memories",
            title=words.memories_title,
            note=words.data_note,
            items=tuple(items),
            scored=True,
        ),
        Section(
            name="neighbors",
            title=words.neighbors_title,
            note=words.data_note,
            items=tuple(_neighbor_item(node, words, lightest, attempts) for node in neighbors),
        ),
    ]


def _at_issue(hits: Sequence[Hit], conflicts: Sequence[Conflict]) -> Collection[str]:
    """Returns the nodes among the hits that contradict one another: of one conflict, that of the best hit in any. One
    side alone would mislead."""
    scores: dict[str, float] = {hit.node.node_id: hit.score for hit in hits if hit.node}
    found = ({side.node_id for side in c.sides if side.node_id in scores} for c in conflicts)
    return max(
        (sides for sides in found if len(sides) > 1),
        key=lambda s: max(map(scores.__getitem__, s)),
        default=(),
    )


def _hit_item(
    hit: Hit,
    words: Wording,
    at_issue: Collection[str],
    attempts: Collection[NodeId],
    lifting: Segment | None = None,
) -> Item:
    """Renders a hit. `lifting`: the segment by which a node was found."""
    if hit.node is None:
        assert hit.segment is not None
        return _segment_item(hit.segment, words, hit)
    shown = _shown(hit.node, words, attempts)
    evidence = [] if lifting is None else [_evidence(lifting, words)]
    return Item(
        item_id=hit.node.node_id,
        full="\n".join((shown.named, indented(hit.node.summary), *evidence)),
        short="\n".join((shown.head, *evidence)),
        weight=hit.score,
        tier=_tier(hit.node.node_id in at_issue),
        takes=0 if evidence else shown.named_takes + LINE_BREAK + _kept(hit.node).summary_takes,
        short_takes=0 if evidence else shown.head_takes,
    )


def _neighbor_item(node: Node, words: Wording, weight: float, attempts: Collection[NodeId]) -> Item:
    shown = _shown(node, words, attempts)
    return Item(
        item_id=node.node_id, full=shown.named, weight=weight, tier=Tier.SPARE, takes=shown.named_takes
    )


class _Node(NamedTuple):
    """What a prompt shows of a node, its own words left aside: day and context, keywords, the summary on one line
    (`gist`); and what head, keywords and summary take."""

    said: str
    keywords: str
    gist: str
    head_takes: int
    keywords_takes: int
    summary_takes: int


def _kept(node: Node) -> _Node:
    try:
        kept: _Node = node.shown
    except AttributeError:
        said = f"{node.event_time.date().isoformat()} {one_line(node.context)}"
        keywords = ", ".join(map(one_line, node.keywords))
        gist = same(one_line(node.summary), node.summary)
        sizes = (parts_of(text) for text in (f"[{node.node_id}] {said}", keywords, indented(node.summary)))
        kept = node.keep_shown(_Node(said, keywords, gist, *sizes))
    return kept


class _Shown(NamedTuple):
    """How a node stands in a prompt of some words: its head; below it its keywords; and what both forms take."""

    head: str
    named: str
    head_takes: int
    named_takes: int


def _shown(node: Node, words: Wording, attempts: Collection[NodeId]) -> _Shown:
    kept, mark, takes = _kept(node), "", DASH
    if node.state is NodeState.CONTESTED or node.node_id in attempts:
        marks = [words.contested] if node.state is NodeState.CONTESTED else []
        marks += [words.attempt] if node.node_id in attempts else []
        mark = f" {', '.join(marks)}"
        takes += parts_of(mark)
    head, takes = f"- [{node.node_id}]{mark} {kept.said}", takes + kept.head_takes
    below = f"  {words.keywords}: {kept.keywords}"
    return _Shown(
        head, f"{head}\n{below}", takes, takes + LINE_BREAK + _label(words.keywords) + kept.keywords_takes
    )


@cache
def _label(word: str) -> int:
    """Returns what one of the prompt's own words takes with its colon."""
    return parts_of(f"{word}:")


def _evidence(segment: Segment, words: Wording) -> str:
    """Renders what was said, below the summary that it lifted."""
    marks = [words.verbatim, *([words.refuted] if segment.is_refuted_whole else ())]
    said = _said(segment)
    return indented("\n".join((f"{', '.join(marks)}: {said}", *_refuted(segment, said, words))))


def _refuted(segment: Segment, said: str, words: Wording) -> list[str]:
    """Returns a line for each part of a segment, shown as `said`, that a verdict speaks against."""
    if segment.is_refuted_whole:
        return []
    parts = (segment.text[r.start : r.end] for r in segment.refuted)
    return [f"{words.refuted}: {one_line(_told(part, said))}" for part in parts]


def _told(part: str, said: str) -> str:
    """Returns what is shown of a segment's part: without a transcript's labels and brackets."""
    shown = [sentence for sentence in sentences.split(said) if sentence in part]
    return part if part in said or not shown else " ".join(shown)


def _said(segment: Segment) -> str:
    """Returns what was said, word for word; of an agent's transcript its findings: the rest is deep retrieval's."""
    return _spoken(segment, _told_of(segment).said or segment.text)


def _spoken(segment: Segment, said: str) -> str:
    return f"{segment.speaker}: {said}" if segment.speaker else said


def _segment_item(segment: Segment, words: Wording, hit: Hit) -> Item:
    marks = [words.unstructured] if hit.unstructured else []
    marks += [words.attempt] if segment.of_failure else []
    marks += [words.refuted] if segment.is_refuted_whole else []
    item_id = f"{segment.ref.interaction_id}#{segment.ref.index}"
    mark = f" {', '.join(marks)}" if marks else ""
    head = f"- [{item_id}]{mark} {segment.event_time.date().isoformat()}"
    said = _said(segment)
    shown = indented("\n".join((said, *_refuted(segment, said, words))))
    plain = not (segment.refuted or segment.of_failure)
    return Item(
        item_id=item_id, full=f"{head}\n{shown}", weight=hit.score, quote=one_line(said) if plain else ""
    )


# ---- gathered ----


def _memory_items(
    memory: Memory, words: Wording, at_issue: Collection[str], attempts: Collection[NodeId]
) -> list[Item]:
    """Returns the node, then what was said, each of its own weight. The node goes after all below it."""
    node = memory.node
    if node is None:
        return [_segment_item(hit.segment, words, hit) for hit in memory.evidence if hit.segment]
    if memory.hit and not node.segments:
        return [_hit_item(memory.hit, words, at_issue, attempts)]
    kept, shown = _kept(node), _shown(node, words, attempts)
    is_at_issue = node.node_id in at_issue
    told = [(hit.score, hit.segment, _told_of(hit.segment)) for hit in memory.evidence if hit.segment]
    full, takes = shown.head, shown.head_takes
    if memory.hit:
        full, takes = shown.named, shown.named_takes
        if kept.gist not in " ".join([of.quote for _, _, of in told if of.quote]):  # else it stands below
            full = f"{full}\n{indented(f'{words.summary}: {as_data(node.summary)}')}"
            takes += LINE_BREAK + _label(words.summary) + kept.summary_takes
    named = Item(
        item_id=node.node_id,
        full=full,
        short=shown.head,
        short_takes=shown.head_takes,
        weight=memory.score if memory.evidence else memory.score - SILENT,
        tier=_tier(is_at_issue),
        spare=True,
        takes=takes,
    )
    tried = node.node_id in attempts
    said_items = [
        _said_item(segment, of, score, node, words, tried, _tier(is_at_issue and score == memory.score))
        for score, segment, of in told
        if of.said  # nothing that is all thought or call
    ]
    return [named, *said_items]


class _Told(NamedTuple):
    """What a prompt shows of a segment under its node: what was `said`, which on one line is its `quote`, and what that
    takes with its speaker and its mark."""

    said: str
    quote: str
    takes: int


def _told_of(segment: Segment) -> _Told:
    try:
        told: _Told = segment.shown
    except AttributeError:
        said = same(transcript.told(segment.text), segment.text)
        takes = parts_of(f"{QUOTED} {hanging(_spoken(segment, said))}")
        told = segment.keep_shown(_Told(said, same(one_line(said), said), takes))
    return told


def _said_item(
    segment: Segment, told: _Told, score: float, node: Node, words: Wording, tried: bool, tier: Tier
) -> Item:
    """Renders a segment under its node: its day, and that it was an attempt, where these are not the node's
    (`tried`)."""
    is_marked = tried or node.state is NodeState.CONTESTED  # which its turn does not tell
    marks = [words.attempt] if segment.of_failure and not tried else []
    marks += [words.refuted] if segment.is_refuted_whole else []
    plain = not (marks or segment.refuted)
    if segment.event_time.date() != node.event_time.date():
        marks.insert(0, segment.event_time.date().isoformat())
    line = _spoken(segment, told.said)
    refuted = _refuted(segment, line, words) if segment.refuted else ()
    return Item(
        item_id=f"{segment.ref.interaction_id}#{segment.ref.index}",
        full="  " + " ".join((QUOTED, *marks, "\n  ".join((hanging(line), *refuted)))),
        weight=score,
        tier=tier,
        quote=told.quote if plain else "",
        under="" if is_marked else node.node_id,
        takes=0 if refuted else told.takes + sum(map(parts_of, marks)),
    )


def _tier(is_at_issue: bool) -> Tier:
    return Tier.NEEDED if is_at_issue else Tier.FITTING
