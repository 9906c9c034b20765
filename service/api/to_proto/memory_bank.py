"""Answers of MemoryBank. `kept`: how long a finished bank stays that does not say itself."""

from datetime import timedelta

from core.model.bank import BankRecord
from core.model.insight import Insight
from core.ports.aggregates import CommitResult
from core.ports.store import PurgeCounts
from core.usecases.bank.verbs.confirm_conflict import ConflictConfirmed
from core.usecases.bank.verbs.create_bank import BankMade
from core.usecases.bank.verbs.delete_bank import BankPurged
from core.usecases.bank.verbs.get_bank import BankSeen
from core.usecases.bank.verbs.get_insight import InsightSeen
from core.usecases.bank.verbs.list_banks import BanksListed
from core.usecases.bank.verbs.list_conflicts import ConflictsListed
from core.usecases.bank.verbs.memorize import MemorizeResult
from core.usecases.bank.verbs.resolve_conflict import ConflictResolved
from core.usecases.bank.verbs.restructure import RestructureResult
from core.usecases.bank.verbs.upload_attachment import AttachmentUploaded
from core.usecases.task.advance_task import TaskAdvanced
from core.usecases.task.start_task import TaskStarted
from memorybank.v1 import memory_bank_pb2 as pb
from service.api.to_proto.insights import insight, latest
from service.api.to_proto.retrieval import left_out, missing_parts, sections
from service.api.to_proto.values import (
    attachment,
    bank,
    bank_counts,
    conflict,
    merge_made,
    pair,
    structuring,
    structuring_state,
    time_or_none,
    usage,
)

# ---- banks ----


def create_bank(made: BankMade, kept: timedelta) -> pb.CreateBankResponse:
    return pb.CreateBankResponse(
        bank=bank(made.record, made.revision, kept),
        revision=made.revision,
        replayed=made.replayed,
        existed=made.existed,
    )


def get_bank(seen: BankSeen, kept: timedelta) -> pb.GetBankResponse:
    return pb.GetBankResponse(
        bank=bank(seen.record, seen.revision, kept), counts=bank_counts(seen.counts), revision=seen.revision
    )


def list_banks(listed: BanksListed, kept: timedelta) -> pb.ListBanksResponse:
    return pb.ListBanksResponse(
        banks=[bank(record, revision, kept) for record, revision in listed.banks],
        next_page_token=listed.next_page_token,
        judging=pb.Judging(model=listed.model, memory_bytes=listed.model_bytes),
    )


def update_bank(done: CommitResult[BankRecord], kept: timedelta) -> pb.UpdateBankResponse:
    return pb.UpdateBankResponse(
        bank=bank(done.result, done.revision, kept), revision=done.revision, replayed=done.replayed
    )


def delete_bank(purged: BankPurged) -> pb.DeleteBankResponse:
    return pb.DeleteBankResponse(counts=purge_counts(purged.counts), revision=purged.revision)


def purge_counts(counts: PurgeCounts) -> pb.PurgeCounts:
    return pb.PurgeCounts(
        nodes=counts.nodes,
        edges=counts.edges,
        interactions=counts.interactions,
        segments=counts.segments,
        conflicts=counts.conflicts,
        changes=counts.changes,
        requests=counts.requests,
        files_removed=counts.files_removed,
        files_left=counts.files_left,
    )


# ---- the loop ----


def memorize(done: MemorizeResult) -> pb.MemorizeResponse:
    return pb.MemorizeResponse(
        interaction_id=done.interaction_id,
        state=structuring_state(done.state),
        node_ids=done.node_ids,
        merges=map(merge_made, done.merges),
        related=map(pair, done.related),
        conflict_ids=done.conflict_ids,
        joined_node_ids=done.joined_node_ids,
        insight=latest(done.insight),
        usage=usage(done.usage),
        revision=done.revision,
        replayed=done.replayed,
    )


def start_task(done: TaskStarted, kept: timedelta) -> pb.StartTaskResponse:
    answer = pb.StartTaskResponse(
        bank=bank(done.bank, done.revision, kept),
        insight=latest(done.insight),
        prompt=done.made.prompt,
        tools=done.made.tools,
        sections=sections(done.made.sections),
        left_out=left_out(done.made.left_out),
        missing=missing_parts(done.made.missing),
        revisions=done.made.revisions,
        revision=done.revision,
        replayed=done.replayed,
    )
    if done.memory is not None:
        _add_memory(answer, done.memory)
    answer.usage.CopyFrom(usage(done.usage))
    return answer


def advance_task(done: TaskAdvanced, kept: timedelta) -> pb.AdvanceTaskResponse:
    answer = pb.AdvanceTaskResponse(
        insight=latest(done.memory.insight),
        prompt="" if done.finished else done.made.prompt,
        finished=done.finished,
        tools=() if done.finished else done.made.tools,
        sections=() if done.finished else sections(done.made.sections),
        left_out=() if done.finished else left_out(done.made.left_out),
        missing=() if done.finished else missing_parts(done.made.missing),
        revisions=done.made.revisions,
        revision=done.revision,
        replayed=done.replayed,
        purge_time=time_or_none(done.bank.goes_at(kept)),
        open_conflict_ids=done.open_conflicts,
    )
    _add_memory(answer, done.memory)
    return answer


def _add_memory(answer: pb.StartTaskResponse | pb.AdvanceTaskResponse, memory: MemorizeResult) -> None:
    answer.interaction_id = memory.interaction_id
    answer.state = structuring_state(memory.state)
    answer.node_ids.extend(memory.node_ids)
    answer.merges.extend(map(merge_made, memory.merges))
    answer.related.extend(map(pair, memory.related))
    answer.conflict_ids.extend(memory.conflict_ids)
    answer.joined_node_ids.extend(memory.joined_node_ids)
    answer.usage.CopyFrom(usage(memory.usage))


def restructure(done: RestructureResult) -> pb.RestructureResponse:
    return pb.RestructureResponse(
        structurings=map(structuring, done.structurings), usage=usage(done.usage), revision=done.revision
    )


# ---- conflicts and insight ----


def list_conflicts(listed: ConflictsListed) -> pb.ListConflictsResponse:
    return pb.ListConflictsResponse(
        conflicts=map(conflict, listed.conflicts),
        next_page_token=listed.next_page_token,
        revision=listed.revision,
    )


def resolve_conflict(done: ConflictResolved) -> pb.ResolveConflictResponse:
    return pb.ResolveConflictResponse(
        node_id=done.node_id,
        conflict=conflict(done.conflict),
        merges=map(merge_made, done.merges),
        related=map(pair, done.related),
        conflict_ids=done.conflict_ids,
        insight=latest(done.insight),
        usage=usage(done.usage),
        revision=done.revision,
        replayed=done.replayed,
    )


def confirm_conflict(done: CommitResult[ConflictConfirmed]) -> pb.ConfirmConflictResponse:
    return pb.ConfirmConflictResponse(
        conflict=conflict(done.result.conflict),
        insight=latest(done.result.insight),
        revision=done.revision,
        replayed=done.replayed,
    )


def get_insight(seen: InsightSeen, kept: timedelta) -> pb.GetInsightResponse:
    shown = insight(seen.insight, seen.start, seen.end)
    if goes := time_or_none(seen.bank.goes_at(kept)):
        shown.purge_time.CopyFrom(goes)
    return pb.GetInsightResponse(insight=shown, revision=seen.revision, next_page_token=seen.next_page_token)


def update_insight(done: CommitResult[Insight]) -> pb.UpdateInsightResponse:
    return pb.UpdateInsightResponse(
        insight=latest(done.result), revision=done.revision, replayed=done.replayed
    )


def upload_attachment(done: CommitResult[AttachmentUploaded]) -> pb.UploadAttachmentResponse:
    return pb.UploadAttachmentResponse(
        attachment=attachment(done.result.attachment),
        sha256=done.result.sha256,
        revision=done.revision,
        replayed=done.replayed,
    )
