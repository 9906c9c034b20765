"""Exports asked for, and imports read: options first, then the records, whose digest the last one bears."""

import hashlib
from collections.abc import AsyncIterator

from core.caller import Caller
from core.errors import ImportInvalid, InvalidField
from core.usecases.bank.exchange.export_records import (
    ExportRecord,
    ExportTrailer,
)
from core.usecases.bank.exchange.import_bank import ImportBank
from memorybank.v1 import memory_bank_pb2 as pb
from service.api.errors.transport import InvalidRequest
from service.api.from_proto.checks import checking
from service.api.from_proto.export_records import READERS
from service.api.mapping.reading import reading

_options = reading(ImportBank, pb.ImportOptions)


def import_options(options: pb.ImportOptions, caller: Caller) -> ImportBank:
    with checking(caller, options) as check:
        return _options.part(options, check.within("options."))


class Reader:
    """Turns messages into one import's records. Raises ImportInvalid, naming the record."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._digest = hashlib.sha256()
        self._line = 0

    async def records(
        self, first: pb.ImportBankRequest | None, requests: AsyncIterator[pb.ImportBankRequest]
    ) -> AsyncIterator[ExportRecord]:
        """Yields all records: that of `first`, if it has one, then those of the requests."""
        if first is not None and first.WhichOneof("part") == "record":
            yield self.record(first.record)
        async for request in requests:
            if request.WhichOneof("part") != "record":
                raise InvalidField("options", "must come first, and once")
            yield self.record(request.record)

    def record(self, message: pb.ExportRecord) -> ExportRecord:
        """Reads the next record."""
        self._line += 1
        kind = message.WhichOneof("record")
        if kind is None:
            raise ImportInvalid(self._line, "holds nothing that is known here")
        try:
            with checking(self._caller, getattr(message, kind)) as check:
                read = READERS[kind](check, getattr(message, kind), self._caller)
        except InvalidRequest as invalid:
            worst = invalid.violations[0]
            raise ImportInvalid(self._line, f"{kind}.{worst.field} {worst.problem}") from None
        if isinstance(read, ExportTrailer):
            if read.sha256 != self._digest.hexdigest():
                raise ImportInvalid(self._line, "the digest is not that of the records before")
        else:
            self._digest.update(message.SerializeToString(deterministic=True))
        return read
