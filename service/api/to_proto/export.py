"""A bank written out, record by record.

Law: what identifies the bank stands in the header alone; two equal banks have the same bytes but for
it. The trailer's digest is over the records before it, each in its deterministic serialisation.
"""

import hashlib

from core.bank.steps import NodePut, SegmentRefute
from core.ids import InteractionId
from core.model.bank import BankRecord
from core.model.conflict import Conflict
from core.model.copies import Copies
from core.model.insight import Insight
from core.model.interaction import Attachment, Span
from core.model.lineage import MergeRecord
from core.model.node import Node
from core.model.structuring import ClusterWork, Structuring
from core.ports.aggregates import CommitResult
from core.usecases.bank.exchange.export_records import (
    Edge,
    ExportHeader,
    ExportRecord,
    ExportTrailer,
    FileChunk,
    InteractionHead,
    InteractionPart,
    SegmentVector,
    SettledPair,
)
from core.usecases.bank.exchange.import_bank import BankImported
from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import types_pb2
from service.api.mapping.rendering import rendering, rendering_with
from service.api.to_proto import insights, scalars, values

_header = rendering(ExportHeader, pb.ExportHeader)
_chunk = rendering(FileChunk, pb.FileChunk)


class Writer:
    """Turns one export's records into messages, and keeps count."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self._interaction: InteractionId | None = None
        self._spans = 0

    def response(self, record: ExportRecord) -> pb.ExportBankResponse:
        """Renders the next message."""
        if isinstance(record, ExportTrailer):
            trailer = pb.ExportTrailer(records=record.records, sha256=self._digest.hexdigest())
            return pb.ExportBankResponse(record=pb.ExportRecord(trailer=trailer))
        written = self._record(record)
        self._digest.update(written.SerializeToString(deterministic=True))
        return pb.ExportBankResponse(record=written)

    def _record(self, record: ExportRecord) -> pb.ExportRecord:  # one case a kind: long, and read at a glance
        match record:
            case ExportHeader():
                return pb.ExportRecord(header=_header(record))
            case BankRecord():
                return pb.ExportRecord(bank=bank(record))
            case Insight():
                return pb.ExportRecord(insight=insights.insight(record))
            case InteractionHead():
                return pb.ExportRecord(interaction=values.interaction(record.interaction))
            case InteractionPart():
                return pb.ExportRecord(interaction_part=self._part(record))
            case Attachment():
                return pb.ExportRecord(attachment=values.attachment(record))
            case NodePut():
                return pb.ExportRecord(node=node_put(record))
            case Copies():
                return pb.ExportRecord(copies=values.copies(record))
            case Edge():
                return pb.ExportRecord(edge=values.pair((record.node_id, record.other_node_id)))
            case Structuring():
                return pb.ExportRecord(structuring=structuring(record))
            case ClusterWork():
                return pb.ExportRecord(cluster=values.cluster(record))
            case MergeRecord():
                return pb.ExportRecord(merge=merge_record(record))
            case Conflict():
                return pb.ExportRecord(conflict=values.conflict(record))
            case SettledPair():
                return pb.ExportRecord(settled=values.pair((record.node_id, record.other_node_id)))
            case SegmentRefute():
                return pb.ExportRecord(refuted=values.refuted_segment(record))
            case SegmentVector():
                return pb.ExportRecord(segment_vector=segment_vector(record))
            case FileChunk():
                return pb.ExportRecord(file_chunk=_chunk(record))
            case ExportTrailer():
                raise TypeError("the trailer is written by `response`")

    def _part(self, part: InteractionPart) -> pb.InteractionPart:
        if part.interaction_id != self._interaction:
            self._interaction, self._spans = part.interaction_id, 0
        first, self._spans = self._spans, self._spans + len(part.spans)
        return pb.InteractionPart(
            interaction_id=part.interaction_id, text=part.text, segments=spans(part.spans, first)
        )


def spans(places: tuple[Span, ...], first: int) -> list[types_pb2.Span]:
    """Places of segments, numbered from `first`."""
    return [values.span(index, place) for index, place in enumerate(places, start=first)]


def bank(record: BankRecord) -> types_pb2.Bank:
    """Renders a bank without what the header says."""
    message = values.bank(record, revision=0)
    message.ClearField("bank_id")
    message.ClearField("uid")
    return message


def node(value: Node) -> types_pb2.Node:
    """Renders a node with its own words beside the shown ones."""
    message = values.node(value)
    message.base_context = value.base_context
    message.base_keywords.extend(value.base_keywords)
    return message


def node_put(record: NodePut) -> types_pb2.Node:
    message = node(record.node)
    if record.vector is not None:
        message.embedding.CopyFrom(scalars.vector(record.vector))
    return message


def structuring(value: Structuring) -> types_pb2.Structuring:
    message = values.structuring(value)
    if value.insight is not None:
        message.insight.CopyFrom(insights.insight(value.insight))
        message.completed_tasks, message.revision = value.completed_tasks, value.revision
    if value.usage is not None:
        message.usage.CopyFrom(values.usage(value.usage))
    return message


def merge_record(value: MergeRecord) -> types_pb2.MergeRecord:
    message = values.merge_record(value)
    del message.absorbed[:]
    message.absorbed.extend(map(node, value.absorbed))
    return message


def segment_vector(record: SegmentVector) -> pb.SegmentVector:
    return pb.SegmentVector(segment=values.segment_ref(record.ref), embedding=scalars.vector(record.vector))


import_bank = rendering_with(
    CommitResult[BankImported],
    pb.ImportBankResponse,
    bank=lambda done, kept: values.bank(done.result.record, done.revision, kept),
)
