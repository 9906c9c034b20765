"""What the sides of a conflict say, for the agent that validates it: whole sentences, each with its place.

Law: pure. Every side has its node, its source and its date; a sentence that begins with a pronoun comes with the one
before, which names its subject. A long one of those shown is shortened around the words that the other sides have not.
All that is made once for the same nodes and segments, and kept beside the conflict.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from core.bank.evidence import within
from core.context.lines import one_line
from core.ids import NodeId, SegmentRef
from core.model.conflict import Conflict, Side
from core.model.interaction import Segment
from core.model.node import Node
from core.text import sentences

TOKEN = re.compile(r"[^\W\u3400-\u9fff]+(?:[.,:]\d+)*|[\u3400-\u9fff]")
SIDES = 4
"""Of one conflict, at most: further ones are found by their node ids."""
SAID_LENGTH, SHORT_SAID = 400, 60
"""Characters of what a side says, around the words at issue, in full and in the shorter form."""
PRONOUN = re.compile(
    r"\W*(?:(?:it|its|he|his|she|her|they|their|this|that|these|those|there|both|one)\b|[它他她其该此这那])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SideText:
    """What one side of a conflict says: its sentences, the node that holds them, their time and source; and where it is
    shown, the sentences on one line, in two lengths."""

    node_id: NodeId
    time: datetime
    source: str
    text: str
    line: str = ""
    short: str = ""


class _SideTexts(NamedTuple):
    """What is kept beside a conflict: what its sides say, and of which nodes and segments that was made."""

    of: list[tuple[Node, list[Segment]]]
    texts: list[SideText]


def side_texts(
    conflict: Conflict, nodes: Mapping[NodeId, Node], segment_of: Callable[[SegmentRef], Segment]
) -> list[SideText]:
    """Returns what the sides say, the newer node's first, as far as their nodes are there."""
    sides = [side for side in conflict.sides if side.node_id in nodes]
    of = [(nodes[side.node_id], [segment_of(ref) for ref in side.segments]) for side in sides]
    kept: _SideTexts | None = getattr(conflict, "shown", None)
    if kept is None or kept.of != of:
        said = [_side_text(side, *parts) for side, parts in zip(sides, of, strict=True)]
        kept = conflict.keep_shown(_SideTexts(of, on_one_line(said)))
    return kept.texts


def on_one_line(sides: Sequence[SideText]) -> list[SideText]:
    """Returns the sides; the first SIDES, which are shown, with their sentences on one line, of either length."""
    texts = [side.text for side in sides]
    made = list(sides)
    for place, side in enumerate(sides[:SIDES]):
        others = texts[:place] + texts[place + 1 :]
        made[place] = replace(
            side, line=around(side.text, others, SAID_LENGTH), short=around(side.text, others, SHORT_SAID)
        )
    return made


def around(text: str, others: Sequence[str], longest: int) -> str:
    """Puts a text on one line of about `longest` code points; a longer one is cut to what the others have not."""
    line = one_line(text)
    if len(line) <= longest:
        return line
    known = {token.casefold() for other in others for token in TOKEN.findall(other)}
    apart = [found for found in TOKEN.finditer(line) if found.group().casefold() not in known]
    at_issue = apart[0].start() if apart else 0
    start = max(0, min(at_issue - longest // 2, len(line) - longest))
    end = start + longest
    return f"{'…' if start else ''}{line[start:end].strip()}{'…' if end < len(line) else ''}"


def _side_text(side: Side, node: Node, segments: Sequence[Segment]) -> SideText:
    quotes = [quote for quote in side.quote.splitlines() if quote.strip()]
    holding = next((s for s in segments if any(quote in s.text for quote in quotes)), None)
    found = holding or next(iter(segments), None)
    if found is None:
        text = side.quote or " ".join(sentences.split(node.summary)[:1]) or node.context
        return SideText(node_id=node.node_id, time=node.event_time, source=node.source, text=text)
    text = "\n".join(dict.fromkeys(_sentences(found.text, quote) for quote in quotes or [node.summary]))
    if found.speaker:
        text = f"{found.speaker}: {text}"
    return SideText(
        node_id=node.node_id, time=found.event_time, source=found.source or node.source, text=text
    )


def _sentences(text: str, quote: str) -> str:
    """Returns the whole sentences that a quote is taken from, from the one on that names their subject."""
    places = within(text, quote)
    start, end = places[0][0], places[-1][1]
    spans = sentences.spans(text)
    at = next((n for n, place in enumerate(spans) if place[0] == start), 0)
    while at and PRONOUN.match(text, spans[at][0]):
        at -= 1
    return text[spans[at][0] if spans else start : end]
