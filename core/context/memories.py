"""The memories of a prompt: nodes and segments that a search found, or what was said gathered under its nodes.

Law: pure. A memory is named by its node: id, one sentence, state. Gathered, what answers the query stands under that
word for word; summaries, of nodes that were found themselves, take what room is left, and go before all that was said.
A node whose record holds no segments has its summary alone, which then counts as what was said.
"""

from collections.abc import Callable, Collection, Sequence

from core.bank.gathering import Memory
from core.bank.query import Hit
from core.context.budget import Item, Section, Tier
from core.context.lines import indented, one_line
from core.context.wording import Wording
from core.ids import NodeId, SegmentRef
from core.model.conflict import Conflict
from core.model.interaction import Segment
from core.model.node import Node, NodeState
from core.text import sentences, transcript

QUOTED = ">"
"""Stands before what was said, word for word."""
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
    head = _node_head(hit.node, words, attempts)
    keywords = _keywords(hit.node, words)
    evidence = [] if lifting is None else [_evidence(lifting, words)]
    return Item(
        item_id=hit.node.node_id,
        full="\n".join((head, keywords, indented(hit.node.summary), *evidence)),
        short="\n".join((head, *evidence)),
        weight=hit.score,
        tier=_tier(hit.node.node_id in at_issue),
    )


def _neighbor_item(node: Node, words: Wording, weight: float, attempts: Collection[NodeId]) -> Item:
    said = f"{_node_head(node, words, attempts)}\n{_keywords(node, words)}"
    return Item(item_id=node.node_id, full=said, weight=weight, tier=Tier.SPARE)


def _node_head(node: Node, words: Wording, attempts: Collection[NodeId]) -> str:
    marks = [words.contested] if node.state is NodeState.CONTESTED else []
    marks += [words.attempt] if node.node_id in attempts else []
    mark = f" {', '.join(marks)}" if marks else ""
    return f"- [{node.node_id}]{mark} {node.event_time.date().isoformat()} {one_line(node.context)}"


def _keywords(node: Node, words: Wording) -> str:
    return f"  {words.keywords}: {', '.join(map(one_line, node.keywords))}"


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
    return _spoken(segment, transcript.told(segment.text) or segment.text)


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
    head = _node_head(node, words, attempts)
    is_at_issue = node.node_id in at_issue
    told = [(hit, transcript.told(hit.segment.text)) for hit in memory.evidence if hit.segment]
    summary = ""
    if memory.hit:
        summary = f"\n{_keywords(node, words)}"
        if one_line(node.summary) not in one_line(" ".join(said for _, said in told)):  # else it stands below
            summary += f"\n{indented(f'{words.summary}: {node.summary}')}"
    weight = memory.score if memory.evidence else memory.score - SILENT
    tier = _tier(is_at_issue)
    named = Item(item_id=node.node_id, full=head + summary, short=head, weight=weight, tier=tier, spare=True)
    tried = node.node_id in attempts
    said_items = [
        _said_item(
            hit.segment, said, hit.score, node, words, tried, _tier(is_at_issue and hit.score == memory.score)
        )
        for hit, said in told
        if hit.segment and said  # nothing that is all thought or call
    ]
    return [named, *said_items]


def _said_item(
    segment: Segment, said: str, score: float, node: Node, words: Wording, tried: bool, tier: Tier
) -> Item:
    """Renders a segment under its node: its day, and that it was an attempt, where these are not the node's
    (`tried`)."""
    is_marked = tried or node.state is NodeState.CONTESTED  # which its turn does not tell
    marks = [words.attempt] if segment.of_failure and not tried else []
    marks += [words.refuted] if segment.is_refuted_whole else []
    plain = not (marks or segment.refuted)
    if segment.event_time.date() != node.event_time.date():
        marks.insert(0, segment.event_time.date().isoformat())
    line = _spoken(segment, said)
    shown = "\n  ".join((*line.splitlines(), *_refuted(segment, line, words)))
    return Item(
        item_id=f"{segment.ref.interaction_id}#{segment.ref.index}",
        full="  " + " ".join((QUOTED, *marks, shown)),
        weight=score,
        tier=tier,
        quote=one_line(said) if plain else "",
        under="" if is_marked else node.node_id,
    )


def _tier(is_at_issue: bool) -> Tier:
    return Tier.NEEDED if is_at_issue else Tier.FITTING
