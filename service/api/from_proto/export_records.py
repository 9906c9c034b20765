"""The records of an export, each as core wrote it.

Law: the shape of a record is checked here (ids, times, enums, numbers), what records say of one another
in core. Bounds of requests do not apply: what a bank may hold was bounded when it came to be.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from core.caller import Caller
from core.ids import AttachmentId, BankId, ConflictId, InteractionId, NodeId, TaskId
from core.keys import BankKey
from core.model.bank import BankRecord
from core.model.insight import LONGEST, CompletedTask, Insight, PendingTask
from core.model.interaction import Attachment, Interaction, Span, TaskReport
from core.model.structuring import ClusterWork, MergeMade, Outcome, Structuring
from core.model.usage import RoleUsage, Usage
from core.usecases.bank.exchange.export_records import (
    ExportHeader,
    ExportRecord,
    ExportTrailer,
    FileChunk,
    InteractionHead,
    InteractionPart,
)
from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import types_pb2
from service.api.enums import (
    ORIGINS,
    PURPOSES,
    STRUCTURING_STATES,
    TASK_OUTCOMES,
    TASK_STATUSES,
    VERDICT_TYPES,
    or_first,
    or_none,
)
from service.api.from_proto import values
from service.api.from_proto.checks import NAME, Checks
from service.api.from_proto.export_nodes import OF_NODES, pair, words, writer
from service.api.from_proto.forms import word

LARGEST_PIECE = 1_048_576  # bytes of a file


def _header(check: Checks, header: pb.ExportHeader, _: Caller) -> ExportHeader:
    return ExportHeader(
        format=header.format,
        bank_id=check.id("bank_id", header.bank_id),
        uid=check.text("uid", header.uid),
        revision=header.revision,
        time=check.time("time", header.time),
    )


def _bank(check: Checks, bank: types_pb2.Bank, caller: Caller) -> BankRecord:
    """Reads the record of a bank; key and uid are the importer's to give."""
    return BankRecord(
        key=BankKey(tenant=caller.tenant, bank_id=BankId("")),
        uid="",
        goal=check.text("goal", bank.goal),
        space=values.space(check, "embedding_space", bank.embedding_space),
        create_time=check.time("create_time", bank.create_time),
        update_time=check.time("update_time", bank.update_time),
        user=check.text("user", bank.user) or caller.binding.user or "",
        collection=check.text("collection", bank.collection),
        labels=check.labels("labels", bank.labels),
        settings=values.settings.part(bank, check),
        ttl=check.ttl("ttl", bank.ttl) if bank.HasField("ttl") else None,
        finish_time=check.optional_time(bank, "finish_time"),
        tokens_spent=check.at_least("tokens_spent", bank.tokens_spent),
    )


def _insight(check: Checks, insight: types_pb2.Insight, _: Caller) -> Insight:
    return Insight(
        goal=check.text("goal", insight.goal),
        completed=tuple(
            _completed(check.within(f"completed[{i}]."), t) for i, t in enumerate(insight.completed)
        ),
        pending=tuple(_pending(check.within(f"pending[{i}]."), t) for i, t in enumerate(insight.pending)),
        finished=insight.finished,
        outcome=check.choice("outcome", insight.outcome, {0: None, **TASK_OUTCOMES}),
        reason=check.text("reason", insight.reason),
        earlier_tasks=check.at_least("earlier_tasks", insight.earlier_tasks),
        digest=check.text("digest", insight.digest),
        digested_tasks=check.at_least("digested_tasks", insight.digested_tasks),
    )


def _completed(check: Checks, task: types_pb2.CompletedTask) -> CompletedTask:
    return CompletedTask(
        task_id=TaskId(check.id_or_none("task_id", task.task_id) or ""),
        type=check.text("type", task.type, NAME),
        description=check.text("description", task.description),
        status=check.choice("status", task.status, or_first(TASK_STATUSES)),
        context=check.text("context", task.context),
        retry_of=check.id_or_none("retry_of", task.retry_of) or "",
    )


def _pending(check: Checks, task: types_pb2.PendingTask) -> PendingTask:
    return PendingTask(
        task_id=TaskId(check.id_or_none("task_id", task.task_id) or ""),
        type=check.text("type", task.type, NAME),
        description=check.text("description", task.description),
        how=check.text("how", task.how),
        conflict_id=check.id_or_none("conflict_id", task.conflict_id) or "",
        retry_of=check.id_or_none("retry_of", task.retry_of) or "",
    )


def _interaction(check: Checks, head: types_pb2.Interaction, caller: Caller) -> InteractionHead:
    return InteractionHead(
        interaction=Interaction(
            interaction_id=InteractionId(check.id("interaction_id", head.interaction_id)),
            text="",
            spans=(),
            event_time=check.time("event_time", head.event_time),
            create_time=check.time("create_time", head.create_time),
            origin=check.choice("origin", head.origin, ORIGINS),
            source=check.text("source", head.source),
            labels=check.labels("labels", head.labels),
            task=_task_report(check, head.task) if head.HasField("task") else None,
            attachments=tuple(
                _attached(check, f"attachments[{i}].", a) for i, a in enumerate(head.attachments)
            ),
            writer=writer(check, "writer", head.writer, caller),
        )
    )


def _interaction_part(check: Checks, part: pb.InteractionPart, _: Caller) -> InteractionPart:
    return InteractionPart(
        interaction_id=InteractionId(check.id("interaction_id", part.interaction_id)),
        text=check.text("text", part.text),
        spans=tuple(_span(check, f"segments[{i}].", span) for i, span in enumerate(part.segments)),
    )


def _span(check: Checks, path: str, span: types_pb2.Span) -> Span:
    return Span(
        start=check.at_least(f"{path}start", span.start),
        end=check.at_least(f"{path}end", span.end, span.start),
        message_id=check.text(f"{path}message_id", span.message_id),
        role=check.text(f"{path}role", span.role),
        speaker=check.text(f"{path}speaker", span.speaker),
        event_time=check.optional_time(span, "event_time", f"{path}event_time"),
    )


def _attachment(check: Checks, attachment: types_pb2.Attachment, _: Caller) -> Attachment:
    return _attached(check, "", attachment)


def _attached(check: Checks, path: str, attachment: types_pb2.Attachment) -> Attachment:
    return Attachment(
        attachment_id=AttachmentId(check.id(f"{path}attachment_id", attachment.attachment_id)),
        type=word(check, f"{path}type", attachment.type) or values.DEFAULT_TYPE,
        uri=check.text(f"{path}uri", attachment.uri),
        media_type=check.text(f"{path}media_type", attachment.media_type),
        size=check.at_least(f"{path}size", attachment.size),
        stored=attachment.stored,
    )


def _task_report(check: Checks, report: types_pb2.TaskReport) -> TaskReport:
    return replace(
        values.task_report.part(report, check.within("task.")),
        result=check.text("task.result", report.result, LONGEST),
    )


def _structuring(check: Checks, work: types_pb2.Structuring, caller: Caller) -> Structuring:
    conflict_id = check.id_or_none("conflict_id", work.conflict_id)
    return Structuring(
        interaction_id=InteractionId(check.id("interaction_id", work.interaction_id)),
        purpose=check.choice("purpose", work.purpose, PURPOSES),
        state=check.choice("state", work.state, STRUCTURING_STATES),
        update_time=check.time("update_time", work.update_time),
        planned=work.planned,
        next_segment=check.at_least("next_segment", work.next_segment),
        conflict_id=ConflictId(conflict_id) if conflict_id else None,
        problem=check.text("problem", work.problem),
        insight=_insight(check, work.insight, caller) if work.HasField("insight") else None,
        completed_tasks=check.at_least("completed_tasks", work.completed_tasks),
        usage=_usage(check, work.usage) if work.HasField("usage") else None,
        revision=check.at_least("revision", work.revision),
        verdict_type=check.choice("verdict_type", work.verdict_type, or_none(VERDICT_TYPES)),
    )


def _usage(check: Checks, usage: types_pb2.Usage) -> Usage:
    return Usage(
        roles={
            check.text(f"usage.roles[{i}].role", role.role, NAME): RoleUsage(
                calls=check.at_least("calls", role.calls),
                input_tokens=check.at_least("input_tokens", role.input_tokens),
                output_tokens=check.at_least("output_tokens", role.output_tokens),
                milliseconds=check.at_least("milliseconds", role.milliseconds),
                fell_back=check.at_least("fell_back", role.fell_back),
            )
            for i, role in enumerate(usage.roles)
        }
    )


def _cluster(check: Checks, cluster: types_pb2.ClusterWork, _: Caller) -> ClusterWork:
    return ClusterWork(
        interaction_id=InteractionId(check.id("interaction_id", cluster.interaction_id)),
        number=check.at_least("number", cluster.number),
        segments=tuple(check.at_least("segments", index) for index in cluster.segments),
        context=check.text("context", cluster.context),
        keywords=words(check, "keywords", cluster.keywords),
        outcome=_outcome(check, cluster.outcome) if cluster.HasField("outcome") else None,
    )


def _outcome(check: Checks, outcome: types_pb2.Outcome) -> Outcome:
    conflict_id = check.id_or_none("outcome.conflict_id", outcome.conflict_id)
    return Outcome(
        node_id=NodeId(check.id("outcome.node_id", outcome.node_id)),
        merges=tuple(
            MergeMade(
                into_node_id=NodeId(check.id("outcome.merges.into_node_id", made.into_node_id)),
                absorbed_node_ids=tuple(
                    NodeId(check.id("outcome.merges.absorbed_node_ids", one))
                    for one in made.absorbed_node_ids
                ),
            )
            for made in outcome.merges
        ),
        related=tuple(pair(check, "outcome.related.", each) for each in outcome.related),
        conflict_id=ConflictId(conflict_id) if conflict_id else None,
        joined=outcome.joined,
        uncompared_pairs=check.at_least("outcome.uncompared_pairs", outcome.uncompared_pairs),
    )


def _file_chunk(check: Checks, chunk: pb.FileChunk, _: Caller) -> FileChunk:
    if len(chunk.content) > LARGEST_PIECE:
        check.wrong("content", f"must be at most {LARGEST_PIECE:,} bytes")
    return FileChunk(
        attachment_id=AttachmentId(check.id("attachment_id", chunk.attachment_id)),
        offset=check.at_least("offset", chunk.offset),
        content=chunk.content,
    )


def _trailer(check: Checks, trailer: pb.ExportTrailer, _: Caller) -> ExportTrailer:
    return ExportTrailer(
        records=check.at_least("records", trailer.records), sha256=check.text("sha256", trailer.sha256)
    )


READERS: Mapping[str, Callable[..., ExportRecord]] = {
    **OF_NODES,
    "header": _header,
    "bank": _bank,
    "insight": _insight,
    "interaction": _interaction,
    "interaction_part": _interaction_part,
    "attachment": _attachment,
    "structuring": _structuring,
    "cluster": _cluster,
    "file_chunk": _file_chunk,
    "trailer": _trailer,
}
