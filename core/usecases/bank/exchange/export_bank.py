"""ExportBank: all of a bank as of one revision, as a stream of records. Importing it gives the same bank again."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass

from core.bank.state import BankState
from core.errors import BankNotFound, EmbedderUnavailable, EmbeddingSpaceMismatch
from core.keys import BankKey
from core.model.interaction import Attachment
from core.usecases.bank.exchange.export_records import (
    BREATH,
    FILE_PART,
    ExportHeader,
    ExportRecord,
    ExportTrailer,
    FileChunk,
    records_of,
)
from core.usecases.bank.ports import ExportPorts, FilePorts
from core.usecases.bank.structuring.reworded import embed_noted
from core.usecases.ports import HasBlobs


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportBank:
    """What may be left out is made anew (vectors of segments) or missing (files) after the import."""

    key: BankKey
    omit_files: bool = False
    omit_segment_vectors: bool = False
    min_revision: int = 0


async def export_bank(ports: ExportPorts, command: ExportBank) -> AsyncIterator[ExportRecord]:
    """Yields the records, of one revision however long reading them takes. Raises BankNotFound, RevisionNotReached,
    and from the files BlobCorrupt, AttachmentNotFound."""
    with suppress(EmbedderUnavailable, EmbeddingSpaceMismatch):  # a copy elsewhere would not know what waits
        await embed_noted(ports, command.key)
    async with ports.banks.reading(command.key, command.min_revision):
        # The store's snapshot, not the bank's own: collecting a large bank would hold up every other call.
        state = await ports.store.load(command.key)
    if state is None:
        raise BankNotFound(command.key.bank_id)
    count = 0
    async for record in _records(ports, command, state):
        count += 1
        if count % BREATH == 0:
            await asyncio.sleep(0)
        yield record
    yield ExportTrailer(records=count)


async def _records(ports: FilePorts, command: ExportBank, state: BankState) -> AsyncIterator[ExportRecord]:
    yield ExportHeader(
        bank_id=state.record.key.bank_id,
        uid=state.head.uid,
        revision=state.head.revision,
        time=ports.clock.now(),
    )
    for record in records_of(state, segment_vectors=not command.omit_segment_vectors):
        yield record
    for attachment in () if command.omit_files else state.attachments:
        if attachment.stored:
            async for chunk in _file(ports, state, attachment):
                yield chunk


async def _file(ports: HasBlobs, state: BankState, attachment: Attachment) -> AsyncIterator[FileChunk]:
    offset = 0
    key, uid = state.record.key, state.head.uid
    async for content in ports.blobs.read(key, uid, attachment.uri, 0, None):
        for start in range(0, len(content), FILE_PART):
            piece = content[start : start + FILE_PART]
            yield FileChunk(attachment_id=attachment.attachment_id, offset=offset, content=piece)
            offset += len(piece)
    if offset == 0:
        yield FileChunk(attachment_id=attachment.attachment_id, offset=0, content=b"")
