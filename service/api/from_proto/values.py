"""Values that several requests share."""

import re
from collections.abc import Sequence

from core.caller import Caller
from core.ids import AttachmentId, InteractionId
from core.keys import ConversationKey
from core.model.bank import EmbeddingSpace, RetrievalSettings, SpaceSource
from core.model.interaction import Attachment, TaskReport
from core.usecases.bank.record import Context, Message
from memorybank.v1 import memory_bank_pb2
from memorybank.v1 import types_pb2 as pb
from service.api.enums import SPACE_SOURCES, TASK_STATUSES, or_first
from service.api.from_proto.checks import (
    GOAL,
    MEDIA_TYPE,
    MOST_DIMENSIONS,
    MOST_RESULTS,
    NAME,
    SOURCE,
    URI,
    Checks,
)

MOST_ATTACHMENTS = 100
ATTACHMENT_TYPE = re.compile(r"[a-z][a-z0-9_-]{0,63}")
DEFAULT_TYPE = "document"


ContextRequest = (
    memory_bank_pb2.MemorizeRequest | memory_bank_pb2.StartTaskRequest | memory_bank_pb2.AdvanceTaskRequest
)


def conversation_key(check: Checks, caller: Caller, user: str, conversation_id: str) -> ConversationKey:
    return caller.conversation(
        check.text("user", user, NAME, least=1), check.id("conversation_id", conversation_id)
    )


def context(
    check: Checks,
    request: ContextRequest,
    *,
    path: str = "",
    named: bool = True,
) -> Context:
    """Reads the context as it came; whether there must be one is the caller's to check.

    `named`: the request's interaction_id is that of this context.
    """
    if request.text and request.messages:
        check.wrong(f"{path}messages", "must be empty where text is given")
    if request.text:
        check.text(f"{path}text", request.text, least=1)
    own_id = check.id_or_none(f"{path}interaction_id", request.interaction_id) if named else None
    return Context(
        text=request.text,
        messages=tuple(message(check, f"{path}messages[{i}]", m) for i, m in enumerate(request.messages)),
        task=None if isinstance(request, memory_bank_pb2.StartTaskRequest) else task(check, request, path),
        attachments=attachments(check, f"{path}attachments", request.attachments),
        event_time=check.optional_time(request, "event_time", f"{path}event_time"),
        source=check.text(f"{path}source", request.source, SOURCE),
        labels=check.labels(f"{path}labels", request.labels),
        interaction_id=InteractionId(own_id) if own_id else None,
        writer=check.caller.subject,
    )


def message(check: Checks, path: str, given: pb.Message) -> Message:
    return Message(
        text=check.text(f"{path}.text", given.text, least=1),
        message_id=check.text(f"{path}.message_id", given.message_id, NAME),
        role=check.text(f"{path}.role", given.role, NAME),
        speaker=check.text(f"{path}.speaker", given.speaker, NAME),
        event_time=check.optional_time(given, "event_time", f"{path}.event_time"),
    )


def attachments(check: Checks, path: str, named: Sequence[pb.Attachment]) -> tuple[Attachment, ...]:
    check.amount(path, named, MOST_ATTACHMENTS)
    found = tuple(attachment(check, f"{path}[{i}]", a) for i, a in enumerate(named[:MOST_ATTACHMENTS]))
    if len({a.attachment_id for a in found}) < len(found):
        check.wrong(path, "must not name one twice")
    return found


def attachment(check: Checks, path: str, named: pb.Attachment) -> Attachment:
    return Attachment(
        attachment_id=AttachmentId(check.id(f"{path}.attachment_id", named.attachment_id)),
        type=attachment_type(check, f"{path}.type", named.type),
        uri=check.text(f"{path}.uri", named.uri, URI),
        media_type=check.text(f"{path}.media_type", named.media_type, MEDIA_TYPE),
        size=check.at_least(f"{path}.size", named.size),
    )


def attachment_type(check: Checks, path: str, value: str) -> str:
    if value and not ATTACHMENT_TYPE.fullmatch(value):
        check.wrong(path, "must be a lower-case word of at most 64 characters")
    return value or DEFAULT_TYPE


def task(
    check: Checks, request: memory_bank_pb2.MemorizeRequest | memory_bank_pb2.AdvanceTaskRequest, prefix: str
) -> TaskReport | None:
    return task_report(check, request.task, f"{prefix}task.") if request.HasField("task") else None


def task_report(check: Checks, report: pb.TaskReport, path: str = "task.") -> TaskReport:
    named = check.text(f"{path}type", report.type, NAME)
    if named and not any(map(str.isalpha, named)):
        check.wrong(f"{path}type", "must be a word, as SEARCH")
    return TaskReport(
        type=named,
        description=check.text(f"{path}description", report.description, GOAL),
        status=check.choice(f"{path}status", report.status, or_first(TASK_STATUSES)),
        task_id=check.id_or_none(f"{path}task_id", report.task_id) or "",
        retry_of=check.id_or_none(f"{path}retry_of", report.retry_of) or "",
    )


def space(check: Checks, path: str, asked: pb.EmbeddingSpace) -> EmbeddingSpace:
    """Reads a space. For SERVER an empty name and dimension 0 mean the embedder's; a CLIENT space is described in
    full."""
    source = check.choice(f"{path}.source", asked.source, or_first(SPACE_SOURCES))
    ours = source is SpaceSource.SERVER
    floor = check.finite(f"{path}.cosine_floor", asked.cosine_floor)
    ceiling = (
        check.finite(f"{path}.cosine_ceiling", asked.cosine_ceiling)
        if asked.HasField("cosine_ceiling")
        else 1.0
    )
    if not -1.0 <= floor <= 1.0:
        check.wrong(f"{path}.cosine_floor", "must be -1 to 1")
    if not floor < ceiling <= 1.0:
        check.wrong(f"{path}.cosine_ceiling", "must be above cosine_floor, and at most 1")
    return EmbeddingSpace(
        name=check.text(f"{path}.name", asked.name, NAME, least=0 if ours else 1),
        dimension=check.between(f"{path}.dimension", asked.dimension, 0 if ours else 1, MOST_DIMENSIONS),
        source=source,
        cosine_floor=floor,
        cosine_ceiling=ceiling,
    )


def settings(
    check: Checks, asked: pb.Bank | memory_bank_pb2.CreateBankRequest, path: str = ""
) -> RetrievalSettings:
    top_k = asked.top_k if asked.HasField("top_k") else None
    return RetrievalSettings(
        top_k=None if top_k is None else check.between(f"{path}top_k", top_k, 1, MOST_RESULTS),
        alpha=check.optional_share(asked, "alpha", f"{path}alpha"),
        chunk_ratio=check.chunk_ratio(asked, f"{path}chunk_ratio"),
        validation_floor=check.optional_share(asked, "validation_floor", f"{path}validation_floor"),
        judge_assistants=asked.judge_assistants if asked.HasField("judge_assistants") else None,
    )
