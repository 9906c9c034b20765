"""The memories of a prompt that names what is searched: nodes and segments, by score.

Law: pure. A node is named by its id, one sentence, its state; keywords and summary stand below. What is shown of a node
by whatever query is made once and kept beside it.
"""

from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import NamedTuple

from core.bank.query import Hit
from core.context.lines import indented, one_line, same
from core.context.sections import Item, Section, Tier
from core.ids import NodeId, SegmentRef
from core.language import Wording
from core.model.conflict import Conflict
from core.model.interaction import Segment
from core.model.node import Node, NodeState
from core.text import sentences, transcript
from core.text.tokens import LINE_BREAK
from core.text.tokens import weight as parts_of

DASH = parts_of("-")


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


def _sections(
    items: Sequence[Item], neighbors: Sequence[Node], words: Wording, attempts: Collection[NodeId]
) -> list[Section]:
    lightest = min((item.weight for item in items), default=1.0) - 1.0
    return [
        Section(
            name="memories",
            title=words.memories_title,
            items=tuple(items),
            scored=True,
        ),
        Section(
            name="neighbors",
            title=words.neighbors_title,
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


class _NodeLines(NamedTuple):
    """How a node stands in a prompt of some words: its head; below it its keywords; and what both forms take."""

    head: str
    named: str
    head_takes: int
    named_takes: int


def _shown(node: Node, words: Wording, attempts: Collection[NodeId]) -> _NodeLines:
    kept, mark, takes = _kept(node), "", DASH
    if node.state is NodeState.CONTESTED or node.node_id in attempts:
        marks = [words.contested] if node.state is NodeState.CONTESTED else []
        marks += [words.attempt] if node.node_id in attempts else []
        mark = f" {', '.join(marks)}"
        takes += parts_of(mark)
    head, takes = f"- [{node.node_id}]{mark} {kept.said}", takes + kept.head_takes
    below = f"  {words.keywords}: {kept.keywords}"
    return _NodeLines(
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
    return indented("\n".join((f"{', '.join(marks)}: {said}", *refuted_lines(segment, said, words))))


def refuted_lines(segment: Segment, said: str, words: Wording) -> list[str]:
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
    told = transcript.told(segment.text) or segment.text
    return f"{segment.speaker}: {told}" if segment.speaker else told


def _segment_item(segment: Segment, words: Wording, hit: Hit) -> Item:
    marks = [words.unstructured] if hit.unstructured else []
    marks += [words.attempt] if segment.of_failure else []
    marks += [words.refuted] if segment.is_refuted_whole else []
    item_id = f"{segment.ref.interaction_id}#{segment.ref.index}"
    mark = f" {', '.join(marks)}" if marks else ""
    head = f"- [{item_id}]{mark} {segment.event_time.date().isoformat()}"
    said = _said(segment)
    shown = indented("\n".join((said, *refuted_lines(segment, said, words))))
    return Item(item_id=item_id, full=f"{head}\n{shown}", weight=hit.score)


def _tier(is_at_issue: bool) -> Tier:
    return Tier.NEEDED if is_at_issue else Tier.FITTING
