"""Verbatim records read to their end, and where in them something stands."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field

from memorybank.v1 import deep_retrieval_pb2 as pb
from memorybank.v1 import types_pb2 as types
from memorybank_client import SyncMemoryBankClient
from service.cli.drawing import moment, written_by
from service.cli.pages import PAGE_BREAK, page_of
from service.cli.paging import pages

MOST = 100  # records a page


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """An interaction with its whole text, and its segments' places in it by index."""

    interaction: types.Interaction
    text: str
    spans: Mapping[int, types.Span] = field(default_factory=dict)

    @property
    def whole(self) -> types.Interaction:
        """As the contract has it, in one piece."""
        made = types.Interaction()
        made.CopyFrom(self.interaction)
        made.text, made.text_offset = self.text, 0
        del made.segments[:]
        made.segments.extend(self.spans[index] for index in sorted(self.spans))
        return made

    @property
    def heading(self) -> str:
        """Which record it is: source, id, when it happened, how long it is."""
        it = self.interaction
        by, length = written_by(it.writer), f"{it.text_length:,} characters"
        parts = (it.source, by, it.interaction_id, moment(it.event_time), length)
        return " · ".join(part for part in parts if part)

    def evidence(self, node_id: str) -> list[types.Span]:
        """Finds the segments that the node was made from, in order."""
        return [self.spans[index] for index in sorted(self.spans) if node_id in self.spans[index].node_ids]

    def cut(self, span: types.Span) -> str:
        """Cuts out the words of a segment."""
        return self.text[span.start : span.end]

    def place(self, span: types.Span) -> str:
        """Says where a segment stands: `page 3, characters 1,204 to 1,377`; the page where the text has pages."""
        page = f"page {page_of(self.text, span.start)}, " if PAGE_BREAK in self.text else ""
        places = (f"{span.start + words.start:,} to {span.start + words.end:,}" for words in span.refuted)
        refuted = f", refuted by {span.refuted_by}: {', '.join(places)}" if span.refuted_by else ""
        return f"{page}characters {span.start:,} to {span.end:,}{refuted}"


def records_of_node(client: SyncMemoryBankClient, bank_id: str, node_id: str) -> tuple[str, list[Record]]:
    """Reads the living node that stands for the one asked for, and its records in order of their events."""
    read = functools.partial(client.get_interaction, bank_id=bank_id, node_id=node_id, page_size=MOST)
    found = list(pages(lambda token: read(page_token=token)))
    return found[-1].node_id, _joined(found)


def record_of_id(client: SyncMemoryBankClient, bank_id: str, interaction_id: str) -> Record:
    """Reads one record by its own id."""
    read = functools.partial(client.get_interaction, bank_id=bank_id, interaction_id=interaction_id)
    (record,) = _joined(list(pages(lambda token: read(page_token=token))))
    return record


def _joined(found: list[pb.GetInteractionResponse]) -> list[Record]:
    """Joins the pieces of a long text, a page each."""
    whole: dict[str, Record] = {}
    for piece in (piece for page in found for piece in page.interactions):
        before = whole.get(piece.interaction_id)
        spans = {span.index: span for span in piece.segments}
        whole[piece.interaction_id] = Record(
            interaction=piece,
            text=(before.text if before else "") + piece.text,
            spans={**(before.spans if before else {}), **spans},
        )
    return list(whole.values())
