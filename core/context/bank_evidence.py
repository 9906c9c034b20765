"""What a bank holds on a query, as a prompt shows it: what was said, a line each, and what is known of its nodes.

Law: pure. A line has the handle by which deep retrieval reads on, who said it, and the passage that fits, verbatim.
Lines stand by time, under their day. Of two sides at odds neither stands alone: both are one item. Nodes are told about
where room is left: their context, keywords, summary, then their neighbours.
"""

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import NamedTuple

from core.bank.query import Hit
from core.context.disputes import NO_DISPUTES, Disputes, SentenceKeys
from core.context.evidence import (
    BEST,
    Candidate,
    Kind,
    Placement,
    Source,
    said,
    untold,
    whole_of,
)
from core.context.lines import INDENT, hanging, indented, one_line
from core.context.memories import refuted_lines
from core.context.passages import LONGEST, fitting_part, longest_in
from core.context.sections import Item, Section, Tier
from core.ids import NodeId
from core.language import Wording
from core.model.interaction import Segment
from core.model.node import Node, NodeState
from core.text import transcript
from core.text.relations import RELATION
from core.text.tokens import PARTS, estimate, tokens_of, weight

NEXT_LINE = f"\n{INDENT}"
MEMORIES, NEIGHBORS = "memories", "neighbors"


class Side(NamedTuple):
    """One side of a conflict: the handle of its node, who or which source says it, and what it says where its passage
    is too long."""

    handle: str
    time: datetime
    segment: Segment | None
    speaker: str
    text: str


class Pair(NamedTuple):
    """The sides of a conflict, the newer first, and the handle that a verdict names it by."""

    handle: str
    sides: Sequence[Side]


class BankEvidence(NamedTuple):
    """What was found. `shown`: what stands behind each candidate's name; `handles` of nodes and of segments without
    one; `nodes`: those told about where room is left, best first; `attempts`: those that stand for failed steps;
    `disputes`: all open conflicts."""

    source: Source
    shown: Mapping[str, Hit | Pair]
    handles: Mapping[str, str]
    nodes: Sequence[Node]
    neighbors: Sequence[Node]
    attempts: Collection[NodeId]
    disputes: Disputes = NO_DISPUTES


class _SegmentText(NamedTuple):
    """What is shown of a segment: its text, of a transcript the findings alone; and the candidate that it is, with its
    sentences."""

    text: str
    candidate: Candidate

    @property
    def said(self) -> SentenceKeys:
        return self.candidate.said


def told_of(segment: Segment) -> _SegmentText:
    """Returns what is kept of a segment; makes it where nothing is kept yet."""
    try:
        told: _SegmentText = segment.shown
    except AttributeError:
        text = transcript.told(segment.text)
        text = segment.text if text == segment.text else text
        name, sentences = segment_id(segment), said(text, speakers=(segment.speaker,))
        candidate = Candidate(name, name, Kind.PASSAGE, segment.event_time, sentences, estimate(text))
        told = segment.keep_shown(_SegmentText(text, candidate))
    return told


def bank_sections(
    found: BankEvidence, placement: Placement, words: Wording, room: int, beside: int = 0
) -> list[Section]:
    """Returns what was said, by weight as much as `room` tokens hold, in its order; then what is told where room is
    left, also `beside` what other sources lay out."""
    whole, best = room, placement.best
    laid: list[tuple[tuple[bool, datetime, str], Item]] = []
    for place, (name, weight_) in enumerate(placement.weights.items()):
        shown = found.shown.get(name)
        if shown is None:
            continue
        if room <= 0:
            break
        item = _item(name, shown, weight_, found, placement, words, longest_in(whole, place), name == best)
        laid.append(((bool(item.group), _time(shown), item.item_id), item))
        room -= tokens_of(item.size)
    laid.sort(key=lambda each: each[0])
    return [
        Section(name=MEMORIES, title=words.memories_title, items=tuple(item for _, item in laid)),
        Section(
            name=NEIGHBORS,
            title=words.neighbors_title,
            items=_nodes(_told_about(found, placement), words, _standing(found))
            if room > beside and not placement.is_full
            else (),
        ),
    ]


def _told_about(found: BankEvidence, placement: Placement) -> BankEvidence:
    """Leaves out, where there is a floor, nodes of which nothing stands, and with all of them their neighbours."""
    if not placement.is_floored:
        return found
    stands = [found.shown[name] for name in placement.weights if name in found.shown]
    owners = {
        node_id
        for each in stands
        if isinstance(each, Hit) and each.segment
        for node_id in each.segment.node_ids
    }
    nodes = [node for node in found.nodes if node.node_id in owners]
    return found._replace(nodes=nodes, neighbors=found.neighbors if nodes else ())


def _time(shown: Hit | Pair) -> datetime:
    return shown.sides[0].time if isinstance(shown, Pair) else shown.time


class _Stands(NamedTuple):
    """What all that may stand says, and who said it."""

    sentences: AbstractSet[int]
    speakers: AbstractSet[str]

    def with_text(self, *texts: str) -> "_Stands":
        return self._replace(sentences=self.sentences | said(*texts, speakers=self.speakers).sentences)


def _standing(found: BankEvidence) -> _Stands:
    told = [candidate.said for candidate in found.source.candidates]
    return _Stands(
        frozenset().union(*(each.sentences for each in told)),
        frozenset().union(*(each.speakers for each in told)),
    )


def _item(
    name: str,
    shown: Hit | Pair,
    weight_: float,
    found: BankEvidence,
    placement: Placement,
    words: Wording,
    longest: int,
    is_best: bool,
) -> Item:
    item_id, group, is_pair = name, "", False
    requires: tuple[str, ...] = ()
    if isinstance(shown, Pair):
        full, is_pair, handle = _pair(shown, words), True, shown.handle
    elif shown.segment is not None:
        segment = shown.segment
        item_id, group = segment_id(segment), words.context.dates.written(segment.event_time)
        full = _line(segment, found, placement.words, words, longest)
        requires = placement.requires(told_of(segment).said)
        handle = _handle(segment, found)
    else:
        assert shown.node is not None, "a hit is a node or a segment"
        item_id, group = shown.node.node_id, words.context.dates.written(shown.node.event_time)
        full, handle = _summary(shown.node, found, words), found.handles[shown.node.node_id]
    return Item(
        item_id,
        full,
        weight=BEST if is_best else weight_,
        tier=Tier.NEEDED if is_best else Tier.FITTING,
        group=group,
        copies=placement.copies.get(name, ()),
        requires=requires,
        takes=weight(full),
        is_pair=is_pair,
        handle=handle,
    )


def _handle(segment: Segment, found: BankEvidence) -> str:
    """Returns the handle of the node that a segment belongs to, else its own."""
    owner = next((n for n in segment.node_ids if n in found.handles), "")
    return found.handles[owner or segment_id(segment)]


def segment_id(segment: Segment) -> str:
    return f"{segment.ref.interaction_id}#{segment.ref.index}"


def _line(
    segment: Segment, found: BankEvidence, wanted: Mapping[str, float], words: Wording, longest: int
) -> str:
    told = told_of(segment)
    marks = [words.refuted] if segment.is_refuted_whole else []
    owner = next((n for n in segment.node_ids if n in found.handles), "")
    if segment.of_failure or owner in found.attempts:
        marks.append(words.attempt)
    who = segment.speaker or segment.source
    head = " ".join((f"[{_handle(segment, found)}]", *marks))
    passage = fitting_part(told.text, wanted, longest)
    line = hanging(f"{one_line(who)}: {passage}" if who else passage)
    return "\n".join((f"{head} {line}", *map(indented, refuted_lines(segment, told.text, words))))


def _pair(pair: Pair, words: Wording) -> str:
    lines = [f"- {words.contested} [{pair.handle}]"]
    for side in pair.sides:
        text = side.text
        if side.segment is not None and weight(told_of(side.segment).text) <= LONGEST * PARTS:
            text = told_of(side.segment).text
        who = f" {one_line(side.speaker)}:" if side.speaker else ""
        lines.append(f"  [{side.handle}] {words.context.dates.written(side.time)}{who} {one_line(text)}")
    return "\n".join(lines)


def _summary(node: Node, found: BankEvidence, words: Wording) -> str:
    """Renders a node that no record stands behind."""
    return "\n".join((f"{_head(node, found, words)} {one_line(node.context)}", indented(node.summary)))


def _head(node: Node, found: BankEvidence, words: Wording) -> str:
    marks = [words.contested] if node.state is NodeState.CONTESTED else []
    marks += [words.attempt] if node.node_id in found.attempts else []
    return " ".join((f"[{found.handles[node.node_id]}]", *marks))


def _nodes(found: BankEvidence, words: Wording, stands: _Stands) -> tuple[Item, ...]:
    """Tells about nodes, the best first, then names their neighbours: all of it goes before what was said, and nothing
    that stands already."""
    items = []
    for node in found.nodes:
        if lines := _node_lines(node, words, stands):
            text = f"{_head(node, found, words)} {NEXT_LINE.join(lines)}"
            items.append(Item(node.node_id, text, handle=found.handles[node.node_id]))
        stands = stands.with_text(_label(node), node.summary)
    for node in found.neighbors:
        if label := _untold_label(node, stands):
            text = f"{_head(node, found, words)} {label}"
            items.append(Item(node.node_id, text, handle=found.handles[node.node_id]))
            stands = stands.with_text(label)
    return tuple(
        item._replace(tier=Tier.SPARE, weight=1.0 - place / len(items)) for place, item in enumerate(items)
    )


def _node_lines(node: Node, words: Wording, stands: _Stands) -> list[str]:
    label = _untold_label(node, stands.with_text(node.summary))
    summary = one_line(untold(node.summary, stands.sentences, stands.speakers))
    lines = [label] if label else []
    lines += [f"{words.keywords}: {', '.join(map(one_line, node.keywords))}"] if node.keywords else []
    lines += [f"{words.summary}: {summary}"] if summary else []
    return lines


def _label(node: Node) -> str:
    """Returns what a node is about, without what it is related to, which its neighbours tell."""
    return one_line(RELATION.sub("", node.context))


def _untold_label(node: Node, stands: _Stands) -> str:
    """Returns what a node is about, as far as it does not stand; a sentence that was cut off stands where the whole
    does."""
    label = _label(node)
    whole = whole_of(label, node.summary)
    if whole and not untold(whole, stands.sentences, stands.speakers):
        return ""
    return untold(label, stands.sentences, stands.speakers)


def candidate_of(segment: Segment) -> Candidate:
    """Returns a segment as a candidate."""
    return told_of(segment).candidate
