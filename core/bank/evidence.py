"""From words back to their place: which of a node's segments a quote rests on.

Law: reads only; answers with segments of the node asked about.
"""

from core.bank.bank import Bank
from core.ids import SegmentRef
from core.model.node import Node
from core.text import sentences
from core.text.analysis import terms


def locate(bank: Bank, node: Node, quote: str, *, least: float = 0.0) -> tuple[SegmentRef, ...]:
    """Returns the node's segments that hold `quote` (or lie wholly within it).

    Without such a segment the one that shares most words with the quote stands for it (a summary
    may reword its source), provided that it shares `least` of them: 0 to 1, and one word at any
    rate (more than 1: none stands for it). An empty quote means the node's summary.
    """
    wanted = _plain(quote or node.summary)
    lines = {ref: _plain(bank.tree.line(ref)) for ref in node.segments}
    holding = tuple(ref for ref, line in lines.items() if line and (wanted in line or line in wanted))
    if holding:
        return holding
    asked = set(terms(wanted))
    shared = {ref: len(asked & set(terms(line))) for ref, line in lines.items()}
    best = max(shared, key=lambda ref: shared[ref], default=None)
    return (best,) if best is not None and shared[best] >= max(1, least * len(asked)) else ()


def within(text: str, quote: str) -> list[tuple[int, int]]:
    """Returns the sentences of a segment's text that `quote` is taken from: those that hold it or lie wholly within
    it.

    Without one the sentence that shares most words with the quote; the whole text where none shares any.
    """
    wanted = _plain(quote)
    places = sentences.spans(text)
    plain = {place: _plain(text[slice(*place)]) for place in places}
    if holding := [place for place, line in plain.items() if line and (wanted in line or line in wanted)]:
        return holding
    asked = set(terms(wanted))
    shared = {place: len(asked & set(terms(line))) for place, line in plain.items()}
    best = max(places, key=lambda place: shared[place], default=None)
    return [best] if best is not None and shared[best] else [(0, len(text))]


def _plain(text: str) -> str:
    """Folds white space and drops outer quotation marks: what differs between a quote and its source."""
    return " ".join(text.split()).strip("\"'“”‘’「」 ")
