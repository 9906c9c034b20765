"""ImportBank: a bank from the records of an export, all or none."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace

from core.bank.bank import SEGMENTS
from core.bank.state import BankState, steps_of
from core.bank.steps import BankPut, InsightPut
from core.errors import BankExists, ImportInvalid, InvalidField, LimitReached, StoreUnavailable
from core.ids import AttachmentId, BankId, Tenant, is_id
from core.keys import BankKey
from core.model.bank import BankRecord, SpaceSource
from core.model.interaction import Attachment
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.bank.exchange.export_records import BREATH, ExportRecord, FileChunk
from core.usecases.bank.exchange.import_records import ExportRecords
from core.usecases.bank.ports import ImportPorts
from core.usecases.bank.structuring.embed_segments import embed_later
from core.usecases.bank.verbs.create_bank import space_for
from core.usecases.bank.verbs.get_bank import BankCounts, counts_of

BATCH = 1_000  # segment vectors to one write


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportBank:
    """No `bank_id`: the one it had. `user`: whose task memory it becomes; None: as it is written. The request's digest
    is the options'; the trailer's is added to it here."""

    tenant: Tenant
    bank_id: BankId | None = None
    user: str | None = None
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BankImported:
    record: BankRecord
    counts: BankCounts


async def import_bank(
    ports: ImportPorts, command: ImportBank, records: AsyncIterator[ExportRecord]
) -> CommitResult[BankImported]:
    """Takes in all records, then founds the bank at the revision it was exported at; it gets a uid of its own, and if
    it had finished, it finishes now.

    Raises ImportInvalid, BankExists, EmbeddingSpaceMismatch, LimitReached, InvalidField, RequestIdReused.
    Whatever it raises, nothing remains.
    """
    importing = BankImport(ports, command, records)
    whole = False
    try:
        await importing.read()
        committed = await importing.found()
        whole = not committed.replayed
        return committed
    finally:
        if not whole:  # a caller that leaves cancels this too, and once more when its time is up
            await asyncio.shield(asyncio.ensure_future(importing.undo()))


class BankImport:
    """One import: what was read and made so far. First `read`, then `found`; `undo` where either failed."""

    def __init__(self, ports: ImportPorts, command: ImportBank, records: AsyncIterator[ExportRecord]) -> None:
        self._ports = ports
        self._command = command
        self._records = records
        self._gathered = ExportRecords(ports.settings.limits)
        self._ahead: ExportRecord | None = None
        self._kept: dict[AttachmentId, Attachment] = {}
        self._uid = ports.ids.new("u")
        self._key: BankKey | None = None
        self._founding: asyncio.Future[CommitResult[BankRecord]] | None = None

    async def found(self) -> CommitResult[BankImported]:
        """Makes the bank of what was read."""
        key = await self._place()
        state = self._state(key)
        rows = await asyncio.to_thread(steps_of, state)  # of a large bank a great many
        steps = (BankPut(record=state.record), InsightPut(insight=state.insight), *rows)
        draft = Draft(result=state.record, steps=steps)
        committed = await self._found(key, draft, state.head.revision)
        if not committed.replayed:
            for attachment in self._kept.values():
                await self._ports.blobs.claim(attachment.uri)
            await self._keep_vectors(key, state)
        async with self._ports.banks.reading(key) as bank:
            imported = BankImported(record=committed.result, counts=counts_of(bank))
            unfinished = {structuring.interaction_id for structuring in bank.tree.unfinished()}
            wanting = dict.fromkeys(ref.interaction_id for ref in bank.verbatim.wanting)
        if not committed.replayed:
            for interaction_id in wanting.keys() - unfinished:  # structuring embeds its own
                embed_later(self._ports, key, interaction_id)
        return CommitResult(result=imported, revision=committed.revision, replayed=committed.replayed)

    async def _found(self, key: BankKey, draft: Draft[BankRecord], revision: int) -> CommitResult[BankRecord]:
        self._founding = asyncio.ensure_future(self._ports.banks.found(key, draft, self._request(), revision))
        return await asyncio.shield(self._founding)

    def counted(self) -> Mapping[str, int]:
        """Returns how much was read, by part."""
        return self._gathered.counted()

    async def undo(self) -> None:
        """Removes what was made, once it is known what that is. The uid is this import's own: no other bank of the id
        is touched. The files of a bank that may be there, though the store could not say, stay: if none names them,
        they are swept."""
        if self._key is None:
            return
        founded = False
        if self._founding is not None:
            await asyncio.wait([self._founding])
            failure = self._founding.exception()
            if isinstance(failure, StoreUnavailable):
                return
            founded = failure is None and not self._founding.result().replayed
        if founded:
            await self._ports.banks.delete(self._key, self._uid)
        else:
            await self._ports.blobs.delete_all(self._key, self._uid)

    # ---- reading ----

    async def _next(self) -> ExportRecord | None:
        """Returns the next record, checked; None at the end."""
        record, self._ahead = self._ahead, None
        if record is None:
            if self._gathered.line % BREATH == 0:
                await asyncio.sleep(0)
            record = await anext(self._records, None)
            if record is not None:
                self._gathered.take(record)
        return record

    async def read(self) -> None:
        """Takes in all records, and keeps the files among them."""
        while (record := await self._next()) is not None:
            if isinstance(record, FileChunk):
                await self._keep_file(record)
        if self._gathered.trailer is None:
            raise ImportInvalid(self._gathered.line, "the export ends before its trailer")
        await self._place()

    async def _keep_file(self, first: FileChunk) -> None:
        attachment_id = first.attachment_id
        if attachment_id in self._kept:
            raise ImportInvalid(self._gathered.line, f"the bytes of {attachment_id} come twice")
        key = await self._place()
        uri, size = await self._ports.blobs.put(key, self._uid, attachment_id, self._bytes(first))
        attachment = self._gathered.attachments[attachment_id]
        if size != attachment.size:
            raise ImportInvalid(
                self._gathered.line, f"{attachment_id} has {size} bytes, not {attachment.size}"
            )
        self._kept[attachment_id] = replace(attachment, uri=uri)

    async def _bytes(self, first: FileChunk) -> AsyncIterator[bytes]:
        """Yields the pieces of one file, from the first on; what follows them is read ahead."""
        chunk, offset, allowed = first, 0, self._ports.settings.limits.attachment_bytes
        while True:
            if chunk.offset != offset:
                raise ImportInvalid(self._gathered.line, f"a piece at byte {chunk.offset}, not {offset}")
            offset += len(chunk.content)
            if offset > allowed:
                raise LimitReached("attachment_bytes", allowed, "export without files, or raise the limit")
            yield chunk.content
            following = await self._next()
            if not isinstance(following, FileChunk) or following.attachment_id != first.attachment_id:
                self._ahead = following
                return
            chunk = following

    # ---- where it goes ----

    async def _place(self) -> BankKey:
        """Returns the new bank's key, once it is known to be free. Raises BankExists, InvalidField."""
        if self._key is not None:
            return self._key
        assert self._gathered.header is not None
        bank_id = self._command.bank_id or BankId(self._gathered.header.bank_id)
        if not is_id(bank_id):
            raise InvalidField("options.bank_id", "is no id")
        key = BankKey(tenant=self._command.tenant, bank_id=bank_id)
        request = self._command.request
        known = request and await self._ports.store.requests(key, [request.request_id])
        if not known and key in await self._ports.store.heads([key]):
            raise BankExists(bank_id)
        self._key = key
        return key

    def _state(self, key: BankKey) -> BankState:
        record = self._gathered.record
        assert record is not None
        if record.space.source is SpaceSource.SERVER:
            space_for(self._ports, record.space)
        finish_time = record.finish_time and self._ports.clock.now()  # its time begins anew, here
        user = record.user if self._command.user is None else self._command.user
        record = replace(record, key=key, uid=self._uid, user=user, finish_time=finish_time)
        return self._gathered.state(record, self._kept)

    def _request(self) -> RequestKey | None:
        request, trailer = self._command.request, self._gathered.trailer
        if request is None or trailer is None:
            return None
        return replace(request, digest=f"{request.digest}:{trailer.sha256}")

    async def _keep_vectors(self, key: BankKey, state: BankState) -> None:
        vectors = list((state.segment_vectors or {}).items())
        for start in range(0, len(vectors), BATCH):
            batch = dict(vectors[start : start + BATCH])
            await self._ports.banks.keep_vectors(key, self._uid, SEGMENTS, batch)
