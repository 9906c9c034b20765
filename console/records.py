"""A verbatim record in a page: its words, with the places marked that matter.

Law: pure. The runs of a record, joined, are its text; places are code points of the whole record.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from memorybank.v1 import types_pb2 as types

PLAIN, MARKED, REFUTED = "", "marked", "refuted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Words that are marked alike."""

    text: str
    kind: str


def runs(record: types.Interaction, is_marked: Callable[[types.Span], bool]) -> list[Run]:
    """Cuts the text of a record, or a piece of it, at the segments to be marked and at what verdicts refuted."""
    first, last = record.text_offset, record.text_offset + len(record.text)
    marked = [(span.start, span.end) for span in record.segments if is_marked(span)]
    refuted = [
        (span.start + each.start, span.start + each.end if each.end else span.end)
        for span in record.segments
        for each in span.refuted
    ]
    edges = {first, last, *(edge for place in (*marked, *refuted) for edge in place if first < edge < last)}
    made: list[Run] = []
    for start, end in pairwise(sorted(edges)):
        kind = REFUTED if _covers(refuted, start) else MARKED if _covers(marked, start) else PLAIN
        text = record.text[start - first : end - first]
        if made and made[-1].kind == kind:
            made[-1] = Run(text=made[-1].text + text, kind=kind)
        else:
            made.append(Run(text=text, kind=kind))
    return made


def _covers(places: Sequence[tuple[int, int]], point: int) -> bool:
    return any(start <= point < end for start, end in places)
