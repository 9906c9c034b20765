"""What an export is made of: the records of one bank, in a fixed order.

Law: two equal banks have equal records but for the header. The writer of a file
computes the trailer's digest over what it wrote; core counts them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from core.bank.state import BankState
from core.bank.steps import NodePut, SegmentRefute
from core.ids import AttachmentId, InteractionId, NodeId, SegmentRef
from core.model.bank import BankRecord
from core.model.conflict import Conflict
from core.model.copies import Copies
from core.model.insight import Insight
from core.model.interaction import Attachment, Interaction, Span
from core.model.lineage import MergeRecord
from core.model.structuring import ClusterWork, Structuring
from core.model.vector import Vector

FORMAT = 1
TEXT_PART = 262_144  # code points: at most 1 MiB in UTF-8
SPANS_PART = 2_000  # segments to one part
FILE_PART = 1_048_576  # bytes
BREATH = 256  # records after which others get their turn, however fast the stream


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportHeader:
    """First, and once: which bank this is, as of which revision."""

    bank_id: str
    uid: str
    revision: int
    time: datetime
    format: int = FORMAT


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionHead:
    """An interaction without its text and spans; its parts follow."""

    interaction: Interaction


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionPart:
    """A piece of an interaction: joined in order, the pieces are its text and its spans (in the whole text)."""

    interaction_id: InteractionId
    text: str = ""
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    node_id: NodeId
    other_node_id: NodeId


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledPair:
    node_id: NodeId
    other_node_id: NodeId


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SegmentVector:
    ref: SegmentRef
    vector: Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChunk:
    """A piece of a file that the service keeps. An empty file has one empty piece."""

    attachment_id: AttachmentId
    offset: int
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportTrailer:
    """Last, and once: how many records came before. `sha256` is over them as they were written down."""

    records: int
    sha256: str = ""


ExportRecord = (
    ExportHeader
    | BankRecord
    | Insight
    | InteractionHead
    | InteractionPart
    | Attachment
    | NodePut
    | Copies
    | Edge
    | Structuring
    | ClusterWork
    | MergeRecord
    | Conflict
    | SettledPair
    | SegmentRefute
    | SegmentVector
    | FileChunk
    | ExportTrailer
)


def records_of(state: BankState, *, segment_vectors: bool) -> Iterator[ExportRecord]:
    """Yields a bank's records in order, its files left out."""
    yield state.record
    yield state.insight
    for interaction in state.interactions:
        yield InteractionHead(interaction=replace(interaction, text="", spans=()))
        yield from _parts(interaction)
    yield from state.attachments
    yield from state.nodes
    yield from state.copies
    yield from (Edge(node_id=one, other_node_id=other) for one, other in state.edges)
    yield from state.structurings
    yield from state.clusters
    yield from state.merges
    yield from state.conflicts
    yield from (SettledPair(node_id=one, other_node_id=other) for one, other in state.settled)
    yield from state.refuted
    if segment_vectors and state.segment_vectors:
        yield from (SegmentVector(ref=ref, vector=v) for ref, v in state.segment_vectors.items())


def _parts(interaction: Interaction) -> Iterator[InteractionPart]:
    text, spans, interaction_id = interaction.text, interaction.spans, interaction.interaction_id
    for start in range(0, len(text), TEXT_PART):
        yield InteractionPart(interaction_id=interaction_id, text=text[start : start + TEXT_PART])
    for first in range(0, len(spans), SPANS_PART):
        yield InteractionPart(interaction_id=interaction_id, spans=spans[first : first + SPANS_PART])
