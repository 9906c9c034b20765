"""Removes files that no bank names: a process died after one was there, and before its bank said so.

Law: conservative. Only files that have been unclaimed for a day are looked at, and only those go that their own bank,
read now, does not name.
"""

from datetime import timedelta

from core.errors import AttachmentNotFound, BankNotFound
from core.ids import AttachmentId
from core.keys import BankKey
from core.ports.blobs import UnclaimedFile
from core.usecases.bank.ports import SweepPorts
from core.usecases.bank.verbs.read_attachment import find_attachment

UNCLAIMED_FOR = timedelta(days=1)


async def sweep_files(ports: SweepPorts) -> int:
    """Removes files that no bank names; returns how many."""

    async def is_named(file: UnclaimedFile) -> bool:
        key = BankKey.named(file.tenant, file.name)
        try:
            async with ports.banks.reading(key) as bank:
                if bank.uid != file.uid:
                    return False
                return find_attachment(bank, AttachmentId(file.attachment_id)).uri == file.uri
        except (BankNotFound, AttachmentNotFound):
            return False

    return await ports.blobs.sweep(ports.time.now() - UNCLAIMED_FOR, is_named)
