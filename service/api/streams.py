"""Calls whose requests or answers come in many messages.

Law: what is read is checked as it comes; nothing is stored before it is complete. Progress is rare
enough to fit the transport's window: a caller that sends everything before it reads is never stuck.
"""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import replace

from core.caller import Caller
from core.errors import InvalidField, LimitReached
from core.ids import InteractionId
from core.ports.aggregates import CommitResult
from core.usecases.bank.exchange.export_bank import ExportBank, export_bank
from core.usecases.bank.exchange.import_bank import BankImported, import_bank
from core.usecases.bank.ports import AttachmentPorts, ExportPorts, FilePorts, ImportPorts, StructuringPorts
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.bank.verbs.read_attachment import ReadAttachment, read_attachment
from core.usecases.bank.verbs.upload_attachment import AttachmentUploaded, upload_attachment
from core.usecases.bank.verbs.watch_bank import BankGone, WatchBank, watch_bank
from core.usecases.ports import HasBanks, MakingPorts
from core.usecases.whole_user.export_user import ExportUser, export_user
from core.usecases.whole_user.ports import UserExportPorts
from memorybank.v1 import deep_retrieval_pb2, long_term_pb2
from memorybank.v1 import memory_bank_pb2 as pb
from service.api.from_proto.export import Reader, import_options
from service.api.from_proto.memory_bank import memorize_header, upload_attachment_header
from service.api.to_proto import deep_retrieval, events, user_files
from service.api.to_proto import memory_bank as answers
from service.api.to_proto.export import Writer

LARGEST_PIECE = 1_048_576  # bytes, of a text or a file
RECEIVED_STEP = 1_000_000  # code points between two words on what was received

STAGES = {
    "stored": pb.PROGRESS_STAGE_STORED,
    "embedding": pb.PROGRESS_STAGE_EMBEDDING,
    "clustering": pb.PROGRESS_STAGE_CLUSTERING,
    "structuring": pb.PROGRESS_STAGE_STRUCTURING,
}


# ---- MemorizeStream ----


async def memorize_stream(
    ports: StructuringPorts, requests: AsyncIterator[pb.MemorizeStreamRequest], caller: Caller
) -> AsyncGenerator[pb.MemorizeStreamResponse, None]:
    """Takes in the pieces, then memorizes them as one text."""
    first = await anext(requests, None)
    if first is None or first.WhichOneof("part") != "header":
        raise InvalidField("header", "must come first")
    command = memorize_header(first.header, caller)
    text = _Text(ports.settings.limits.context_characters)
    async for request in requests:
        if text.add(request):
            yield _news(pb.PROGRESS_STAGE_RECEIVING, text.length, 0, "receiving")
    command = _completed(ports, command, text.whole())
    async with aclosing(_memorizing(ports, command)) as news:
        async for one in news:
            yield one


class _Text:
    """A text that comes in pieces."""

    def __init__(self, allowed: int) -> None:
        self._allowed = allowed
        self._pieces: list[str] = []
        self._told = 0
        self.length = 0

    def add(self, request: pb.MemorizeStreamRequest) -> bool:
        """Adds a piece; says whether enough has come to be told. Raises InvalidField, LimitReached."""
        if request.WhichOneof("part") != "text":
            raise InvalidField("header", "must come once, and text after it")
        text = request.text  # decoded anew each time it is asked for
        if "\0" in text:
            raise InvalidField("text", "must not hold NUL characters")
        if len(text.encode()) > LARGEST_PIECE:
            raise InvalidField("text", f"must be at most {LARGEST_PIECE:,} bytes to a piece")
        self._pieces.append(text)
        self.length += len(text)
        if self.length > self._allowed:
            raise LimitReached("context_characters", self._allowed, "memorize the text in several parts")
        if self.length - self._told < RECEIVED_STEP:
            return False
        self._told = self.length
        return True

    def whole(self) -> str:
        text = "".join(self._pieces)
        if not text.strip():
            raise InvalidField("text", "must not be empty or blank")
        return text


def _completed(ports: MakingPorts, command: Memorize, text: str) -> Memorize:
    """Completes the command with its text, which is part of its body, and an interaction that progress can name."""
    interaction_id = command.context.interaction_id or InteractionId(ports.ids.new("i"))
    request = command.request
    if request is not None:
        body = hashlib.sha256(text.encode()).hexdigest()
        request = replace(request, digest=f"{request.digest}:{body}")
        if command.context.interaction_id is None:  # a repetition must speak of the same interaction
            named = hashlib.sha256(request.identity.encode()).hexdigest()
            interaction_id = InteractionId(f"i-{named[:32]}")
    context = replace(command.context, text=text, interaction_id=interaction_id)
    return replace(command, context=context, request=request)


async def _memorizing(
    ports: StructuringPorts, command: Memorize
) -> AsyncGenerator[pb.MemorizeStreamResponse, None]:
    """Progress while it is memorized, and the answer."""
    news: asyncio.Queue[tuple[str, int, int] | None] = asyncio.Queue()
    work = asyncio.create_task(
        memorize(ports, command, lambda stage, done, total: news.put_nowait((stage, done, total)))
    )
    work.add_done_callback(lambda _: news.put_nowait(None))
    try:
        while (event := await news.get()) is not None:
            stage, done, total = event
            if stage in STAGES:
                async with ports.banks.reading(command.key) as bank:
                    revision = bank.revision
                update = _news(STAGES[stage], done, total, stage)
                update.progress.interaction_id = command.context.interaction_id or ""
                update.progress.revision = revision
                yield update
        yield pb.MemorizeStreamResponse(result=answers.memorize(await work))
    finally:
        work.cancel()  # stops the waiting; what is stored is structured all the same


def _news(
    stage: pb.ProgressStage.ValueType, done: int, total: int, message: str
) -> pb.MemorizeStreamResponse:
    progress = pb.Progress(stage=stage, done=done, total=total, message=f"{message}: {done:,}")
    if total:
        progress.message += f" of {total:,}"
    return pb.MemorizeStreamResponse(progress=progress)


# ---- attachments ----


async def upload(
    ports: FilePorts, requests: AsyncIterator[pb.UploadAttachmentRequest], caller: Caller
) -> CommitResult[AttachmentUploaded]:
    """Keeps a file that comes in pieces."""
    first = await anext(requests, None)
    if first is None or first.WhichOneof("part") != "header":
        raise InvalidField("header", "must come first")
    command = upload_attachment_header(first.header, caller)
    return await upload_attachment(ports, command, _chunks(requests))


async def _chunks(requests: AsyncIterator[pb.UploadAttachmentRequest]) -> AsyncIterator[bytes]:
    async for request in requests:
        if request.WhichOneof("part") != "chunk":
            raise InvalidField("header", "must come once, and chunks after it")
        if len(request.chunk) > LARGEST_PIECE:
            raise InvalidField("chunk", f"must be at most {LARGEST_PIECE:,} bytes")
        yield request.chunk


async def read_file(
    ports: AttachmentPorts, command: ReadAttachment
) -> AsyncGenerator[deep_retrieval_pb2.ReadAttachmentResponse, None]:
    """Yields a file's bytes as they are read."""
    opened = await read_attachment(ports, command)
    async with aclosing(deep_retrieval.read_attachment(opened, command.offset)) as pieces:
        async for piece in pieces:
            yield piece


# ---- export and import ----


async def write_out(ports: ExportPorts, command: ExportBank) -> AsyncGenerator[pb.ExportBankResponse, None]:
    """Yields a bank's records, and the digest over them."""
    writer = Writer()
    async for record in export_bank(ports, command):
        yield writer.response(record)


def write_user(
    ports: UserExportPorts, command: ExportUser
) -> AsyncGenerator[long_term_pb2.ExportUserResponse, None]:
    """Yields a user's files, part by part."""
    return user_files.parts(export_user(ports, command))


async def read_in(
    ports: ImportPorts, requests: AsyncIterator[pb.ImportBankRequest], caller: Caller
) -> CommitResult[BankImported]:
    """Makes a bank from the records of an export."""
    first = await anext(requests, None)
    if first is None:
        raise InvalidField("record", "must come, to the export's last")
    command = import_options(first.options, caller)
    return await import_bank(ports, command, Reader(caller).records(first, requests))


def is_passed_on(request: pb.ImportBankRequest) -> bool:
    """Whether an import keeps nothing of a record, a file's piece, or no more than the limits allow: vectors."""
    return request.record.WhichOneof("record") in ("file_chunk", "segment_vector")


# ---- following a bank ----


async def watch(ports: HasBanks, command: WatchBank) -> AsyncGenerator[pb.WatchBankResponse, None]:
    """Yields at once the revision that is followed from, then every change, until the bank is gone."""
    watching = await watch_bank(ports, command)
    revision = watching.from_revision
    yield pb.WatchBankResponse(revision=revision)
    async for news in watching.changes:
        if isinstance(news, BankGone):
            yield events.gone(news, revision)
            return
        revision = news.revision
        yield events.change(news)
