"""The passage of a memory that answers best, with the words of the query marked, and where it stands.

Law: a passage is a segment of the record, verbatim; a long one is cut around the marked words.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from rich.text import Text

from core.text.analysis import terms
from memorybank.v1 import types_pb2 as types
from memorybank_client import SyncMemoryBankClient
from service.cli.pages import PAGE_BREAK, page_of

LONGEST = 480  # code points of a passage that a list shows
READ_FOR_PLACE = 1_000_000  # code points before a passage, at most, to count its line
WORD = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+(?:[.'’_,:/-][^\W\u3040-\u9fff]+)*")
WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
MARK = "bold"

Place = tuple[str, int]  # a segment's record, and its index there


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What is shown beside hits: the words asked for, the best passage by node, and where segments stand."""

    query: str = ""
    passages: Mapping[str, types.Segment] = field(default_factory=dict)
    places: Mapping[Place, str] = field(default_factory=dict)

    def place(self, segment: types.Segment) -> str:
        return self.places.get((segment.interaction_id, segment.index), segment.source)


def passages_of(
    hits: Sequence[types.SearchHit], evidence: Sequence[types.SearchHit]
) -> Mapping[str, types.Segment]:
    """Returns by node the first segment of the evidence, best first, that it summarises."""
    best: dict[str, types.Segment] = {}
    found = {hit.node.node_id for hit in hits}
    for segment in (hit.segment for hit in evidence):
        for node_id in found.intersection(segment.node_ids):
            best.setdefault(node_id, segment)
    return best


def marked(text: str, query: str, *, whole: bool = False) -> Text:
    """Returns a passage on one line with the words of the query marked; unless `whole`, no more than a list shows."""
    line = " ".join(text.split())
    spans = list(_spans(line, frozenset(terms(query))))
    start, end = (0, len(line)) if whole else _window(line, spans)
    shown = Text(f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}")
    shift = (1 if start else 0) - start
    for first, last in spans:
        if start <= first and last <= end:
            shown.stylize(MARK, first + shift, last + shift)
    return shown


def _spans(line: str, asked: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Yields where words of the query stand; of scripts without spaces every pair of characters, as it is searched."""
    for word in WORD.finditer(line):
        if asked.intersection(terms(word.group())):
            yield word.span()
    for run in WIDE.finditer(line):
        for place, pair in enumerate(pairwise(run.group()), run.start()):
            if "".join(pair) in asked:
                yield place, place + 2


def _window(line: str, spans: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Returns the beginning and end of what is shown of a line: where most of the words stand, between words."""
    if len(line) <= LONGEST:
        return 0, len(line)
    starts = sorted(first for first, _ in spans) or [0]
    best = max(starts, key=lambda at: (sum(at <= each < at + LONGEST for each in starts), -at))
    start = max(0, min(best - LONGEST // 4, len(line) - LONGEST))
    end = start + LONGEST
    if start:
        start = line.find(" ", start, best) + 1 or start
    if end < len(line):
        end = max(line.rfind(" ", best, end), 0) or end
    return start, end


def places_of(
    client: SyncMemoryBankClient, bank_id: str, segments: Sequence[types.Segment]
) -> Mapping[Place, str]:
    """Returns the source of each segment, with its page or line where the text before it is not too long to read."""
    furthest: dict[str, int] = {}
    for segment in segments:
        if segment.source and not segment.message_id and segment.offset < READ_FOR_PLACE:
            furthest[segment.interaction_id] = max(segment.offset, furthest.get(segment.interaction_id, 0))
    texts = {record: _beginning(client, bank_id, record, end) for record, end in furthest.items()}
    return {
        (each.interaction_id, each.index): _place(each, texts.get(each.interaction_id)) for each in segments
    }


def _beginning(client: SyncMemoryBankClient, bank_id: str, interaction_id: str, end: int) -> str:
    """Reads a record up to a place, which is one page of an answer."""
    found = client.get_interaction(bank_id=bank_id, interaction_id=interaction_id, start=0, end=end + 1)
    return found.interactions[0].text


def _place(segment: types.Segment, text: str | None) -> str:
    if text is None or segment.offset >= READ_FOR_PLACE:
        return segment.source
    if PAGE_BREAK in text:
        return f"{segment.source}, page {page_of(text, segment.offset)}"
    return f"{segment.source}, line {text.count(chr(10), 0, segment.offset) + 1}"
