"""ReadAttachment: the bytes of a file that the service keeps, from any offset."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from core.bank.bank import Bank
from core.errors import AttachmentNotFound, AttachmentUnreadable, InvalidField
from core.ids import AttachmentId
from core.keys import BankKey
from core.model.interaction import Attachment
from core.usecases.bank.ports import AttachmentPorts


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAttachment:
    """`offset` and `limit` in bytes; no `limit`: to the end."""

    key: BankKey
    attachment_id: AttachmentId
    offset: int = 0
    limit: int | None = None
    min_revision: int = 0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OpenedAttachment:
    """The file, and its bytes as they are read (BlobCorrupt comes from there)."""

    attachment: Attachment
    chunks: AsyncIterator[bytes]
    revision: int


async def read_attachment(ports: AttachmentPorts, command: ReadAttachment) -> OpenedAttachment:
    """Raises AttachmentNotFound, AttachmentUnreadable, InvalidField (offset), BankNotFound, RevisionNotReached."""
    async with ports.banks.reading(command.key, command.min_revision) as bank:
        attachment = find_attachment(bank, command.attachment_id)
        uid, revision = bank.uid, bank.revision
    if not attachment.stored:
        raise AttachmentUnreadable(attachment.attachment_id, attachment.uri)
    if command.offset > attachment.size:
        raise InvalidField("offset", f"must be at most the file's size, {attachment.size} bytes")
    chunks = ports.blobs.read(command.key, uid, attachment.uri, command.offset, command.limit)
    return OpenedAttachment(attachment=attachment, chunks=chunks, revision=revision)


def find_attachment(bank: Bank, attachment_id: AttachmentId) -> Attachment:
    """Returns an uploaded file, or one that an interaction names. Raises AttachmentNotFound."""
    if attachment_id in bank.attachments:
        return bank.attachments[attachment_id]
    for interaction in bank.tree.interactions.values():
        for attachment in interaction.attachments:
            if attachment.attachment_id == attachment_id:
                return attachment
    raise AttachmentNotFound(attachment_id)
