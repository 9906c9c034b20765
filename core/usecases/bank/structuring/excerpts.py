"""What a node rests on, as the Judge reads it: its segments in their places in the record.

Law: reads the bank, changes nothing. Where a node says something that its record does not (a caller has reworded it, or
a model has), its own words count and there are no excerpts.
"""

import asyncio
from collections.abc import Sequence

from core.agents.roles import Excerpt
from core.bank.bank import Bank
from core.ids import SegmentRef
from core.keys import BankKey
from core.model.interaction import Interaction
from core.model.node import Node
from core.text.analysis import terms
from core.text.outline import PlacedHeading, headings
from core.usecases.ports import HasBanks

LARGE = 10_000  # code points of a record, whose headings are read in 2 ms
MOST_SEGMENTS = 64  # of a node; what comes after is not compared
BEFORE = 300  # code points ahead of a segment that say what it is about


async def read_headings(ports: HasBanks, key: BankKey, record: Interaction) -> None:
    """Has the bank know the headings of a large record, read off the loop, before the first of its nodes is judged."""
    if len(record.text) > LARGE:
        found = await asyncio.to_thread(lambda: list(headings(record.text)))
        async with ports.banks.reading(key) as bank:
            bank.tree.put_headings(record.interaction_id, found)


def excerpts(bank: Bank, node: Node) -> tuple[Excerpt, ...]:
    """Returns the node's segments, each under the headings above it."""
    if not _tell(bank, node.segments, node.summary):
        return ()
    refs = node.segments[:MOST_SEGMENTS]
    return tuple(_excerpt(bank, ref, bank.tree.headings(ref.interaction_id)) for ref in refs)


def _tell(bank: Bank, refs: Sequence[SegmentRef], summary: str) -> bool:
    """Whether all terms of a summary stand in these segments."""
    lines = [bank.tree.line(ref) for ref in refs]
    if summary in lines:  # a fact by itself is its own summary
        return True
    left = set(terms(summary))
    for line in lines:
        left.difference_update(terms(line))
        if not left:
            return True
    return False


def _excerpt(bank: Bank, ref: SegmentRef, above: Sequence[PlacedHeading]) -> Excerpt:
    interaction = bank.tree.interaction(ref.interaction_id)
    span = interaction.spans[ref.index]
    text = interaction.text[span.start : span.end]
    ahead = "" if span.speaker else interaction.text[max(0, span.start - BEFORE) : span.start]
    return Excerpt(
        text=text,
        headings=_path(above, span.start),
        before=ahead.rpartition("\n\n")[2],
        refuted=tuple((words.start, words.end or len(text)) for words in bank.tree.refuted.get(ref, ())),
        speaker=span.speaker,
    )


def _path(above: Sequence[PlacedHeading], start: int) -> tuple[str, ...]:
    """Returns the titles that a place stands under, outermost first."""
    path: list[PlacedHeading] = []
    for heading in above:
        if heading.start >= start:
            break
        path = [one for one in path if one.level < heading.level] + [heading]
    return tuple(one.line for one in path)
