"""Requests of MemoryBank."""

from collections.abc import Callable

from core.caller import Caller
from core.ids import AttachmentId, BankId, ConflictId, InteractionId, NodeId, TaskId, Tenant
from core.keys import BankKey
from core.model.access import Scope
from core.model.conflict import ConflictStatus, VerdictType
from core.model.insight import CompletedTask, PendingTask
from core.model.interaction import TaskStatus
from core.ports.aggregates import RequestKey
from core.usecases.bank.verbs.augment import Augment
from core.usecases.bank.verbs.confirm_conflict import ConfirmConflict
from core.usecases.bank.verbs.create_bank import CreateBank
from core.usecases.bank.verbs.delete_bank import DeleteBank
from core.usecases.bank.verbs.get_bank import GetBank
from core.usecases.bank.verbs.get_insight import GetInsight
from core.usecases.bank.verbs.list_banks import ListBanks
from core.usecases.bank.verbs.list_conflicts import ListConflicts
from core.usecases.bank.verbs.memorize import Memorize
from core.usecases.bank.verbs.resolve_conflict import ResolveConflict
from core.usecases.bank.verbs.restructure import Restructure
from core.usecases.bank.verbs.update_bank import UpdateBank
from core.usecases.bank.verbs.update_insight import UpdateInsight
from core.usecases.bank.verbs.upload_attachment import UploadAttachment
from core.usecases.bank.verbs.watch_bank import WatchBank
from core.usecases.context.asked import UserMemories
from core.usecases.task.advance_task import AdvanceTask
from core.usecases.task.start_task import StartTask
from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import types_pb2
from service.api.enums import (
    CONFLICT_STATUSES,
    TASK_STATUSES,
    TOOL_FORMATS,
    VERDICT_TYPES,
    WAITS,
    or_first,
    or_none,
)
from service.api.from_proto import values
from service.api.from_proto.checks import GOAL, MEDIA_TYPE, MOST_RESULTS, MOST_TOKENS, NAME, Checks, checking
from service.api.from_proto.instructions import least
from service.api.from_proto.retrieval import of_user

INSIGHT_FIELDS = ("goal", "completed", "pending")
MOST_TASKS = 10_000
MOST_SHOWN_TASKS = 200  # unless a page of another size is asked for
MOST_STATUSES = 16
BANK_FIELDS = (
    *("goal", "top_k", "alpha", "chunk_ratio", "validation_floor", "judge_assistants"),
    *("labels", "ttl"),
)
MOST_INTERACTIONS = 100
MAY_DIFFER = ("wait", "min_revisions")
"""Fields of a step that may differ in its repetition."""

NewBankId = Callable[[Tenant, RequestKey | None, str], BankId]


# ---- banks ----


def create_bank(request: pb.CreateBankRequest, caller: Caller) -> CreateBank:
    with checking(caller, request) as check:
        bank_id = check.id_or_none("bank_id", request.bank_id)
        if request.allow_existing and not bank_id:
            check.wrong("bank_id", "must be given with allow_existing")
        return CreateBank(
            tenant=caller.tenant,
            bank_id=caller.bank(bank_id).bank_id if bank_id else None,
            bank_prefix=caller.binding.bank_prefix,
            goal=check.text("goal", request.goal, GOAL),
            user=check.text("user", request.user, NAME),
            collection=check.text("collection", request.collection, NAME),
            settings=values.settings(check, request),
            space=values.space(check, "embedding_space", request.embedding_space)
            if request.HasField("embedding_space")
            else None,
            labels=check.labels("labels", request.labels),
            ttl=check.ttl("ttl", request.ttl) if request.HasField("ttl") else None,
            allow_existing=request.allow_existing,
            request=check.request(request),
        )


def get_bank(request: pb.GetBankRequest, caller: Caller) -> GetBank:
    with checking(caller, request) as check:
        return GetBank(key=check.key(caller, request.bank_id), min_revision=check.min_revision(request))


def list_banks(request: pb.ListBanksRequest, caller: Caller) -> ListBanks:
    with checking(caller, request) as check:
        return ListBanks(
            tenant=caller.tenant,
            user=check.text("user", request.user, NAME),
            collection=check.text("collection", request.collection, NAME),
            labels=check.labels("labels", request.labels),
            within=caller.binding,
            names_users=caller.binding.user is not None or caller.may(Scope.ADMIN),
            page_size=check.page_size(request.page_size),
            page_token=check.page_token(request.page_token),
        )


def update_bank(request: pb.UpdateBankRequest, caller: Caller) -> UpdateBank:
    with checking(caller, request) as check:
        fields = check.mask("update_mask", request.update_mask, BANK_FIELDS)
        if request.bank.bank_id not in ("", request.bank_id):
            check.wrong("bank.bank_id", "must be empty, or the bank_id of the request")
        given = request.bank
        return UpdateBank(
            key=check.key(caller, request.bank_id),
            fields=fields,
            goal=check.text("bank.goal", given.goal, GOAL),
            settings=values.settings(check, given, "bank."),
            labels=check.labels("bank.labels", given.labels),
            ttl=check.ttl("bank.ttl", given.ttl) if given.HasField("ttl") else None,
            if_revision=check.revision(request, "if_revision"),
            request=check.request(request),
        )


def delete_bank(request: pb.DeleteBankRequest, caller: Caller) -> DeleteBank:
    with checking(caller, request) as check:
        check.id_or_none("request_id", request.request_id)
        return DeleteBank(
            key=check.key(caller, request.bank_id),
            allow_missing=request.allow_missing,
            if_revision=check.revision(request, "if_revision"),
        )


# ---- the loop ----


def start_task(request: pb.StartTaskRequest, caller: Caller, new_bank_id: NewBankId) -> StartTask:
    with checking(caller, request) as check:
        once = check.request(request, *MAY_DIFFER)
        bank_id = request.bank_id or new_bank_id(caller.tenant, once, caller.binding.bank_prefix)
        key = check.key(caller, bank_id)
        _check_inputs(check, request)
        stored = check.id_or_none("interaction_id", request.interaction_id)
        return StartTask(
            key=key,
            augment=_augment(check, request, key),
            beside=_beside(check, request, caller),
            goal=check.text("goal", request.goal, GOAL),
            prompt=check.text("prompt", request.prompt, least=int(request.WhichOneof("input") == "prompt")),
            context=values.context(check, request, named=False),
            interaction_id=InteractionId(stored) if stored else None,
            wait=check.choice("wait", request.wait, or_first(WAITS)),
            ttl=check.ttl("ttl", request.ttl) if request.HasField("ttl") else None,
            user=check.text("user", request.user, NAME),
            collection=check.text("collection", request.collection, NAME),
            request=once,
        )


def _check_inputs(check: Checks, request: pb.StartTaskRequest) -> None:
    """Checks that a context comes in one way."""
    ways = {"prompt": request.prompt, "text": request.text, "messages": request.messages}
    ways["interaction_id"] = request.interaction_id
    given = [name for name, value in ways.items() if value]
    for name in given[1:]:
        if (given[0], name) != ("text", "messages"):  # the context itself says that
            check.wrong(name, f"must be empty where {given[0]} is given")
    if request.attachments and not {"prompt", "text", "messages"} & set(given):
        check.wrong("attachments", "must come with the context that they belong to")


def advance_task(request: pb.AdvanceTaskRequest, caller: Caller) -> AdvanceTask:
    with checking(caller, request) as check:
        key = check.key(caller, request.bank_id)
        context = values.context(check, request)
        failed = context.task is not None and context.task.status is TaskStatus.FAILED
        if context.is_empty and not failed:
            check.wrong("text", "must be given, or messages, unless the task failed")
        if failed and request.result:
            check.wrong("result", "must be empty where the task failed")
        conflict_id = check.id_or_none("conflict_id", request.conflict_id)
        return AdvanceTask(
            key=key,
            context=context,
            augment=_augment(check, request, key),
            beside=_beside(check, request, caller),
            conflict_id=ConflictId(conflict_id) if conflict_id else None,
            verdict_type=check.choice("verdict_type", request.verdict_type, or_none(VERDICT_TYPES)),
            result=check.text("result", request.result, GOAL),
            wait=check.choice("wait", request.wait, or_first(WAITS)),
            request=check.request(request, *MAY_DIFFER),
        )


def _augment(check: Checks, request: pb.StartTaskRequest | pb.AdvanceTaskRequest, key: BankKey) -> Augment:
    return Augment(
        key=key,
        top_k=check.optional_int(request, "top_k", 1, MOST_RESULTS),
        alpha=check.optional_share(request, "alpha"),
        token_budget=check.optional_int(request, "token_budget", 1, MOST_TOKENS),
        tool_format=check.choice("tool_format", request.tool_format, or_first(TOOL_FORMATS)),
        tools_apart=request.tools_apart,
    )


def _beside(
    check: Checks, request: pb.StartTaskRequest | pb.AdvanceTaskRequest, caller: Caller
) -> UserMemories:
    conversation, collection, invocation = of_user(check, request, caller)
    return UserMemories(
        conversation=conversation,
        collection=collection,
        invocation=invocation,
        allow_partial=request.allow_partial,
        min_revisions=least(check, request),
    )


def memorize(request: pb.MemorizeRequest, caller: Caller) -> Memorize:
    with checking(caller, request) as check:
        if not (request.text or request.messages):
            check.wrong("text", "must be given, or messages")
        return _memorize(check, request, caller)


def memorize_header(request: pb.MemorizeRequest, caller: Caller) -> Memorize:
    """Reads the first message of MemorizeStream: a Memorize whose text is still to come."""
    with checking(caller, request) as check:
        for field in ("text", "messages"):
            if getattr(request, field):
                check.wrong(f"header.{field}", "must be empty: the text follows piece by piece")
        return _memorize(check, request, caller, "header.")


def _memorize(check: Checks, request: pb.MemorizeRequest, caller: Caller, path: str = "") -> Memorize:
    return Memorize(
        key=check.key(caller, request.bank_id, f"{path}bank_id"),
        context=values.context(check, request, path=path),
        skip_judging=request.skip_judging,
        wait=check.choice(f"{path}wait", request.wait, or_first(WAITS)),
        request=check.request(request, "wait", path=f"{path}request_id"),
    )


def restructure(request: pb.RestructureRequest, caller: Caller) -> Restructure:
    with checking(caller, request) as check:
        check.id_or_none("request_id", request.request_id)  # doing it twice does nothing twice
        named = check.ids("interaction_ids", request.interaction_ids, MOST_INTERACTIONS)
        return Restructure(
            key=check.key(caller, request.bank_id),
            interaction_ids=tuple(map(InteractionId, named)),
            wait=check.choice("wait", request.wait, or_first(WAITS)),
        )


# ---- conflicts ----


def resolve_conflict(request: pb.ResolveConflictRequest, caller: Caller) -> ResolveConflict:
    with checking(caller, request) as check:
        check.optional_vector(request, "embedding")  # conflicts are only found where the service embeds
        type_ = check.choice("verdict_type", request.verdict_type, or_none(VERDICT_TYPES))
        if request.dismiss and type_ is VerdictType.MERGE:
            check.wrong("verdict_type", "must not say MERGE where dismiss is set")
        type_ = VerdictType.DISMISS if request.dismiss else type_
        return ResolveConflict(
            key=check.key(caller, request.bank_id),
            conflict_id=ConflictId(check.id("conflict_id", request.conflict_id)),
            verdict=check.text("verdict", request.verdict, least=int(type_ is not VerdictType.DISMISS)),
            evidence=check.text("evidence", request.evidence),
            type=type_,
            if_revision=check.revision(request, "if_revision"),
            writer=caller.subject,
            request=check.request(request),
        )


def confirm_conflict(request: pb.ConfirmConflictRequest, caller: Caller) -> ConfirmConflict:
    with checking(caller, request) as check:
        return ConfirmConflict(
            key=check.key(caller, request.bank_id),
            conflict_id=ConflictId(check.id("conflict_id", request.conflict_id)),
            request=check.request(request),
        )


def list_conflicts(request: pb.ListConflictsRequest, caller: Caller) -> ListConflicts:
    with checking(caller, request) as check:
        node_id = check.id_or_none("node_id", request.node_id)
        check.amount("statuses", request.statuses, MOST_STATUSES)
        statuses = check.choices("statuses", request.statuses[:MOST_STATUSES], CONFLICT_STATUSES)
        return ListConflicts(
            key=check.key(caller, request.bank_id),
            statuses=statuses or frozenset({ConflictStatus.OPEN}),
            node_id=NodeId(node_id) if node_id else None,
            page_size=check.page_size(request.page_size),
            page_token=check.page_token(request.page_token),
            min_revision=check.min_revision(request),
        )


# ---- the insight document ----


def get_insight(request: pb.GetInsightRequest, caller: Caller) -> GetInsight:
    with checking(caller, request) as check:
        return GetInsight(
            key=check.key(caller, request.bank_id),
            page_size=check.page_size(request.page_size, MOST_SHOWN_TASKS),
            page_token=check.page_token(request.page_token),
            min_revision=check.min_revision(request),
        )


def update_insight(request: pb.UpdateInsightRequest, caller: Caller) -> UpdateInsight:
    with checking(caller, request) as check:
        named, given = check.mask("update_mask", request.update_mask, INSIGHT_FIELDS), request.insight
        goal = check.text("insight.goal", given.goal, GOAL)
        check.amount("insight.completed", given.completed, MOST_TASKS)
        check.amount("insight.pending", given.pending, MOST_TASKS)
        completed = tuple(
            completed_task(check, f"insight.completed[{i}].", task) for i, task in enumerate(given.completed)
        )
        pending = tuple(
            pending_task(check, f"insight.pending[{i}].", task) for i, task in enumerate(given.pending)
        )
        return UpdateInsight(
            key=check.key(caller, request.bank_id),
            goal=goal if "goal" in named else None,
            completed=completed if "completed" in named else None,
            completed_before=check.at_least("insight.completed_before", given.completed_before),
            pending=pending if "pending" in named else None,
            if_revision=check.revision(request, "if_revision"),
            request=check.request(request),
        )


def completed_task(
    check: Checks, path: str, task: types_pb2.CompletedTask, most: int | None = GOAL
) -> CompletedTask:
    """`most`: code points of a text; None: any number."""
    return CompletedTask(
        task_id=TaskId(check.id_or_none(f"{path}task_id", task.task_id) or ""),
        type=check.text(f"{path}type", task.type, NAME),
        description=check.text(f"{path}description", task.description, most),
        status=check.choice(f"{path}status", task.status, or_first(TASK_STATUSES)),
        context=check.text(f"{path}context", task.context, most),
        retry_of=check.id_or_none(f"{path}retry_of", task.retry_of) or "",
    )


def pending_task(
    check: Checks, path: str, task: types_pb2.PendingTask, most: int | None = GOAL
) -> PendingTask:
    """`most` as for `completed_task`."""
    return PendingTask(
        task_id=TaskId(check.id_or_none(f"{path}task_id", task.task_id) or ""),
        type=check.text(f"{path}type", task.type, NAME),
        description=check.text(f"{path}description", task.description, most),
        how=check.text(f"{path}how", task.how, most),
        conflict_id=check.id_or_none(f"{path}conflict_id", task.conflict_id) or "",
        retry_of=check.id_or_none(f"{path}retry_of", task.retry_of) or "",
    )


# ---- streams ----


def upload_attachment_header(header: pb.UploadAttachmentHeader, caller: Caller) -> UploadAttachment:
    with checking(caller, header) as check:
        attachment_id = check.id_or_none("header.attachment_id", header.attachment_id)
        return UploadAttachment(
            key=check.key(caller, header.bank_id, "header.bank_id"),
            attachment_id=AttachmentId(attachment_id) if attachment_id else None,
            type=values.attachment_type(check, "header.type", header.type),
            media_type=check.text("header.media_type", header.media_type, MEDIA_TYPE),
            request=check.request(header, path="header.request_id"),
        )


def watch_bank(request: pb.WatchBankRequest, caller: Caller) -> WatchBank:
    with checking(caller, request) as check:
        return WatchBank(
            key=check.key(caller, request.bank_id), from_revision=check.revision(request, "from_revision")
        )
