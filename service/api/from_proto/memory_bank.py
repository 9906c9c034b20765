"""Requests of MemoryBank: what does not follow from name and type, and what binds several fields."""

from collections.abc import Callable
from dataclasses import replace

from core.caller import Caller
from core.ids import BankId, Tenant
from core.keys import BankKey
from core.model.access import Scope
from core.model.bank import RetrievalSettings
from core.model.conflict import VerdictType
from core.ports.aggregates import RequestKey
from core.usecases.bank.record import Context
from core.usecases.bank.verbs.augment import Augment
from core.usecases.bank.verbs.close_interactions import CloseInteractions
from core.usecases.bank.verbs.create_bank import CreateBank
from core.usecases.bank.verbs.list_banks import ListBanks
from core.usecases.bank.verbs.memorize import Memorize
from core.usecases.bank.verbs.resolve_conflict import ResolveConflict
from core.usecases.bank.verbs.retract_interactions import RetractInteractions
from core.usecases.bank.verbs.update_bank import UpdateBank
from core.usecases.bank.verbs.update_insight import UpdateInsight
from core.usecases.bank.verbs.upload_attachment import UploadAttachment
from core.usecases.context.asked import UserMemories
from core.usecases.task.advance_task import AdvanceTask
from core.usecases.task.start_task import StartTask
from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import types_pb2
from service.api.enums import VERDICT_TYPES, or_none
from service.api.from_proto import values
from service.api.from_proto.checks import Checks, checking
from service.api.from_proto.retrieval import OF_USER, of_someone
from service.api.mapping.lines import By, Const, Within
from service.api.mapping.reading import reading

NewBankId = Callable[[Tenant, RequestKey | None, str], BankId]


# ---- banks ----


def _named_to_exist(check: Checks, request: pb.CreateBankRequest) -> None:
    if request.allow_existing and not request.bank_id:
        check.wrong("bank_id", "must be given with allow_existing")


def _new_id(check: Checks, request: pb.CreateBankRequest) -> BankId | None:
    return check.caller.bank(request.bank_id).bank_id if request.bank_id else None


create_bank = reading(
    CreateBank,
    pb.CreateBankRequest,
    _named_to_exist,
    unread=("embedding_space",),
    bank_id=_new_id,
    bank_prefix=lambda check, _: check.caller.binding.bank_prefix,
    settings=Within(RetrievalSettings),
    space=By(values.space, "embedding_space"),
    ttl=By(Checks.ttl),
)


def _names_users(check: Checks, _: pb.ListBanksRequest) -> bool:
    return check.caller.binding.user is not None or check.caller.may(Scope.ADMIN)


list_banks = reading(ListBanks, pb.ListBanksRequest, names_users=_names_users)


def _same_bank(check: Checks, request: pb.UpdateBankRequest) -> None:
    if request.bank.bank_id not in ("", request.bank_id):
        check.wrong("bank.bank_id", "must be empty, or the bank_id of the request")


update_bank = reading(
    UpdateBank,
    pb.UpdateBankRequest,
    _same_bank,
    named="goal top_k alpha chunk_ratio validation_floor judge_assistants labels ttl".split(),
    settings=Within(RetrievalSettings),
    ttl=By(Checks.ttl, "bank.ttl"),
)


# ---- the loop ----


def _one_input(check: Checks, request: pb.StartTaskRequest) -> None:
    """A context comes in one way."""
    ways = {"prompt": request.prompt, "text": request.text, "messages": request.messages}
    ways["interaction_id"] = request.interaction_id
    given = [name for name, value in ways.items() if value]
    for name in given[1:]:
        if (given[0], name) != ("text", "messages"):  # the context itself says that
            check.wrong(name, f"must be empty where {given[0]} is given")
    if request.attachments and not {"prompt", "text", "messages"} & set(given):
        check.wrong("attachments", "must come with the context that they belong to")


def _key(check: Checks, request: pb.StartTaskRequest) -> BankKey:
    """Reads the bank's key; of a bank that has no name yet, one without a name."""
    caller = check.caller
    return (
        caller.bank(request.bank_id) if request.bank_id else BankKey(tenant=caller.tenant, bank_id=BankId(""))
    )


_start_task = reading(
    StartTask,
    pb.StartTaskRequest,
    _one_input,
    values.check_context,
    of_someone,
    unread=("user",),
    key=_key,
    augment=Within(Augment, {"key": _key}),
    beside=Within(UserMemories, OF_USER),
    context=Within(Context, {"interaction_id": Const(None)}),
    user=lambda _, request: request.user,
    ttl=By(Checks.ttl),
)


def start_task(request: pb.StartTaskRequest, caller: Caller, new_bank_id: NewBankId) -> StartTask:
    command = _start_task(request, caller)
    if request.bank_id:
        return command
    key = caller.bank(new_bank_id(caller.tenant, command.request, caller.binding.bank_prefix))
    return replace(command, key=key, augment=replace(command.augment, key=key))


def _context_unless_failed(check: Checks, request: pb.AdvanceTaskRequest) -> None:
    failed = request.HasField("task") and request.task.status == types_pb2.TASK_STATUS_FAILED
    if not (request.text or request.messages or failed):
        check.wrong("text", "must be given, or messages, unless the task failed")
    if failed and request.result:
        check.wrong("result", "must be empty where the task failed")


advance_task = reading(
    AdvanceTask,
    pb.AdvanceTaskRequest,
    _context_unless_failed,
    values.check_context,
    of_someone,
    unread=("user",),
    augment=Within(Augment),
    beside=Within(UserMemories, OF_USER),
    context=Within(Context),
)


def _something_to_keep(check: Checks, request: pb.MemorizeRequest) -> None:
    if not (request.text or request.messages):
        check.wrong("text", "must be given, or messages")


def _text_to_come(check: Checks, request: pb.MemorizeRequest) -> None:
    for field in ("text", "messages"):
        if getattr(request, field):
            check.wrong(field, "must be empty: the text follows piece by piece")


_header = reading(Memorize, pb.MemorizeRequest, _text_to_come, values.check_context, context=Within(Context))
memorize = reading(
    Memorize, pb.MemorizeRequest, _something_to_keep, values.check_context, context=Within(Context)
)


def memorize_header(request: pb.MemorizeRequest, caller: Caller) -> Memorize:
    """Reads the first message of MemorizeStream: a Memorize whose text is still to come."""
    with checking(caller, request) as check:
        return _header.part(request, check.within("header."))


# ---- conflicts and the insight document ----


def _verdict_type(check: Checks, request: pb.ResolveConflictRequest) -> VerdictType | None:
    type_ = check.choice("verdict_type", request.verdict_type, or_none(VERDICT_TYPES))
    if request.dismiss and type_ is VerdictType.MERGE:
        check.wrong("verdict_type", "must not say MERGE where dismiss is set")
    return VerdictType.DISMISS if request.dismiss else type_


def _verdict(check: Checks, request: pb.ResolveConflictRequest) -> str:
    dismisses = request.dismiss or request.verdict_type == types_pb2.VERDICT_TYPE_DISMISS
    return check.text("verdict", request.verdict, least=0 if dismisses else 1)


resolve_conflict = reading(
    ResolveConflict,
    pb.ResolveConflictRequest,
    unread=("verdict",),
    verdict=_verdict,
    type=_verdict_type,
)
update_insight = reading(UpdateInsight, pb.UpdateInsightRequest, named=("goal", "completed", "pending"))


# ---- records that are taken back ----


def _ids_or_origin(check: Checks, request: pb.RetractInteractionsRequest) -> None:
    written = request.written.HasField("start") or request.written.HasField("end")
    if bool(request.interaction_ids) is bool(request.writer or request.HasField("source") or written):
        check.wrong("interaction_ids", "must name the records, or source, writer or written must, not both")


retract = reading(
    RetractInteractions,
    pb.RetractInteractionsRequest,
    _ids_or_origin,
    since="written.start",
    until="written.end",
)
release = reading(CloseInteractions, pb.ReleaseInteractionsRequest, erases=Const(value=False))
erase = reading(CloseInteractions, pb.EraseInteractionsRequest, erases=Const(value=True))


# ---- streams ----


_upload = reading(UploadAttachment, pb.UploadAttachmentHeader)


def upload_attachment_header(header: pb.UploadAttachmentHeader, caller: Caller) -> UploadAttachment:
    with checking(caller, header) as check:
        return _upload.part(header, check.within("header."))
