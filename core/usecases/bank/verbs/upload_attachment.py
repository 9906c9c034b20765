"""UploadAttachment: a file the service keeps for a bank, to be named by an interaction later."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from hashlib import sha256

from core.bank.bank import Bank
from core.bank.steps import AttachmentPut
from core.errors import AttachmentNotFound, BankNotFound, InvalidField, LimitReached, StoreUnavailable
from core.ids import AttachmentId
from core.keys import BankKey
from core.model.interaction import Attachment, AttachmentType
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.bank.ports import FilePorts
from core.usecases.bank.verbs.read_attachment import find_attachment
from core.usecases.ports import HasSettings, HasStore


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadAttachment:
    """No `attachment_id`: one is made. The request's digest is the header's; the bytes are added to it here."""

    key: BankKey
    attachment_id: AttachmentId | None = None
    type: str = AttachmentType.DOCUMENT
    media_type: str = ""
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachmentUploaded:
    """The file's record, and the SHA-256 of its bytes in hexadecimal."""

    attachment: Attachment
    sha256: str


async def upload_attachment(
    ports: FilePorts, command: UploadAttachment, chunks: AsyncIterator[bytes]
) -> CommitResult[AttachmentUploaded]:
    """Takes in all chunks, then makes the file known. Nothing remains of one that is refused on the way.

    Raises InvalidField for an id that is taken, LimitReached, BankNotFound, RequestIdReused.
    """
    attachment_id = command.attachment_id or AttachmentId(ports.ids.new("a"))
    counted = _BoundedStream(ports, chunks)
    uri = uid = ""
    if await _is_repeated(ports, command):
        await counted.drain()  # its answer is known; its bytes only prove that it is the same request
    else:
        async with ports.banks.reading(command.key) as bank:
            _require_new(bank, attachment_id)
            uid = bank.uid
        uri, _ = await ports.blobs.put(command.key, uid, attachment_id, counted.chunks())
    uploaded = AttachmentUploaded(
        attachment=Attachment(
            attachment_id=attachment_id,
            type=command.type,
            uri=uri,
            media_type=command.media_type,
            size=counted.size,
            stored=True,
        ),
        sha256=counted.digest,
    )

    def stage(bank: Bank, _revision: int) -> Draft[AttachmentUploaded]:
        if uid and bank.uid != uid:
            raise BankNotFound(command.key.bank_id)  # purged meanwhile; another one bears its id
        if not uri:
            raise StoreUnavailable("the first answer to this request was forgotten while it was repeated")
        _require_new(bank, attachment_id)
        step = AttachmentPut(attachment=uploaded.attachment)
        return Draft(result=uploaded, steps=(step,), touches=frozenset({f"attachment:{attachment_id}"}))

    request = command.request
    if request is not None:
        request = replace(request, digest=f"{request.digest}:{counted.digest}")
    try:
        committed = await ports.banks.commit(command.key, stage, request, AttachmentUploaded)
    except BankNotFound:
        if uid:
            await ports.blobs.delete_all(command.key, uid)  # the purge was over before this file was there
        raise
    if uri == committed.result.attachment.uri:  # else another call of the same request was first
        await ports.blobs.claim(uri)
    return committed


async def _is_repeated(ports: HasStore, command: UploadAttachment) -> bool:
    if command.request is None:
        return False
    return bool(await ports.store.requests(command.key, [command.request.request_id]))


def _require_new(bank: Bank, attachment_id: AttachmentId) -> None:
    try:
        find_attachment(bank, attachment_id)
    except AttachmentNotFound:
        return
    raise InvalidField("header.attachment_id", "names a file of this bank already")


class _BoundedStream:
    """Chunks on their way: their size and digest, and the bound they must keep."""

    def __init__(self, ports: HasSettings, chunks: AsyncIterator[bytes]) -> None:
        self._allowed = ports.settings.limits.attachment_bytes
        self._chunks = chunks
        self._hash = sha256()
        self.size = 0

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()

    async def chunks(self) -> AsyncIterator[bytes]:
        async for chunk in self._chunks:
            self.size += len(chunk)
            if self.size > self._allowed:
                raise LimitReached(
                    "attachment_bytes", self._allowed, "keep the file elsewhere and name it by its URI"
                )
            self._hash.update(chunk)
            yield chunk

    async def drain(self) -> None:
        async for _ in self.chunks():
            pass
