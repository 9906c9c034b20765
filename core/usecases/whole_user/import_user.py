"""ImportUser: everything of a user from the files of an export, all of it or none.

Law: everything is read and checked before anything is stored. Then the user's record is founded in the state IMPORTING,
in which no call writes anything for the user; what belongs to the user follows; the record becomes ACTIVE last. An
import cut short is undone by a purge: its own, or that of the process that finds it left for `resume_after`.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from core.aggregate.parts import ItemPut
from core.errors import ImportInvalid, MemoryOff, UserExists
from core.keys import BankKey, UserKey
from core.model.user import UserRecord, UserState
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.ports.store import Require
from core.usecases.bank.exchange.export_records import ExportRecord
from core.usecases.bank.exchange.import_bank import BankImport, ImportBank
from core.usecases.long_term.exchange.export_collection import FilePart
from core.usecases.replays import repeated
from core.usecases.user.permission import SCOPE, new_user
from core.usecases.whole_user.import_lines import Founding, Making, UserLines
from core.usecases.whole_user.ports import PurgePorts, UserImportPorts
from core.usecases.whole_user.purge_user import PurgeUser, purge_user
from core.usecases.whole_user.user_lines import Piece
from core.user.steps import UserPut
from core.user.user import UserAggregate

BANKS = "banks/"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportUser:
    """`dry_run`: nothing is stored. `request` is asked when everything was read: its digest covers the files."""

    key: UserKey
    dry_run: bool = False
    request: Callable[[], RequestKey | None] = lambda: None


@dataclass(frozen=True, slots=True, kw_only=True)
class UserImported:
    """What was made: aggregates by kind, and what they hold by part."""

    aggregates: Mapping[str, int] = field(default_factory=dict)
    rows: Mapping[str, int] = field(default_factory=dict)


async def import_user(
    ports: UserImportPorts, command: ImportUser, pieces: AsyncIterator[Piece]
) -> CommitResult[UserImported]:
    """Makes a user of files. Whatever it raises, nothing remains.

    Raises UserExists, BankExists, ImportInvalid, LimitReached, EmbeddingSpaceMismatch, MemoryOff (purged meanwhile),
    RequestIdReused."""
    importing = _Importing(ports, command, pieces)
    whole = False
    try:
        await importing.read()
        request = command.request()
        if (known := await repeated(ports.users, command.key, request, UserImported)) is not None:
            return known
        await importing.require_free()
        if command.dry_run:
            return CommitResult(result=importing.counted(), revision=0)
        committed = await importing.store(request)
        whole = True
        return committed
    finally:
        if not whole:  # a caller that leaves cancels this too, and once more when its time is up
            await asyncio.shield(asyncio.ensure_future(importing.undo()))


async def abandon(ports: PurgePorts, key: UserKey) -> None:
    """Removes what an import left that was cut short."""
    record = await ports.users.record(key)
    if record is not None and record.state is UserState.IMPORTING and record.due_time <= ports.clock.now():
        await purge_user(ports, PurgeUser(key=key, include_banks=True))


class _Importing:
    """One import: what was read and made so far."""

    def __init__(self, ports: UserImportPorts, command: ImportUser, pieces: AsyncIterator[Piece]) -> None:
        self._ports = ports
        self._key = command.key
        self._pieces = pieces
        self._ahead: Piece | None = None
        self._failure: ImportInvalid | None = None
        self._lines = UserLines(
            Making(
                key=command.key,
                limits=ports.settings.limits,
                now=ports.clock.now(),
                new_id=ports.ids.new,
                resume_after=ports.settings.resume_after,
                kept_for=ports.settings.run_lifetime,
                idle=ports.settings.working.idle,
            )
        )
        self._foundings: list[Founding] = []
        self._banks: list[BankImport] = []
        self._record: UserRecord | None = None
        self._storing: asyncio.Task[CommitResult[UserImported]] | None = None
        self._tell_time = ports.clock.now()
        self._left = False

    # ---- reading ----

    async def read(self) -> None:
        """Reads and checks all pieces; files of banks are kept as they come. Of a user who is there they only count
        for a repetition."""
        if self._key in await self._ports.store.heads([self._key]):
            async for _ in self._pieces:
                pass
            return
        await self._next()
        while (piece := self._ahead) is not None:
            if piece.path.startswith(BANKS):
                await self._read_bank(piece.path)
            else:
                self._lines.take(piece)
                await self._next()
        for founding in self._lines.foundings():
            self._foundings.append(founding)
            await asyncio.sleep(0)  # each may be megabytes
        if not self._foundings and not self._banks and self._lines.user is None:
            raise ImportInvalid(0, "there is nothing of a user: the files are those of ExportUser")

    async def _next(self) -> None:
        self._ahead = await anext(self._pieces, None)

    async def _read_bank(self, path: str) -> None:
        bank = BankImport(
            self._ports,
            ImportBank(tenant=self._key.tenant, user=self._key.user),
            self._records(path),
        )
        self._banks.append(bank)
        try:
            await bank.read()
        except ImportInvalid as invalid:
            if self._failure is None:
                raise ImportInvalid(invalid.line, f"{path}: {invalid.problem}") from None
        if self._failure is not None:  # of the line behind the last one read, which names itself
            raise self._failure

    async def _records(self, path: str) -> AsyncIterator[ExportRecord]:
        """Yields a bank's records; what follows them is read ahead."""
        while (piece := self._ahead) is not None and piece.path == path:
            if isinstance(piece, FilePart):
                raise ImportInvalid(0, "the file of a bank has lines")
            yield piece.value  # type: ignore[misc]  # the lines of a bank's file are read as its records
            try:
                await self._next()
            except ImportInvalid as failure:
                self._failure, self._ahead = failure, None

    async def require_free(self) -> None:
        """Raises UserExists where anything is kept of the user."""
        key = self._key
        kept = await self._ports.store.keys_of_user(key.tenant, key.user, include_banks=True, limit=1)
        if kept or key in await self._ports.store.heads([key]):
            raise UserExists(key.user)

    def counted(self) -> UserImported:
        """Returns what comes."""
        kinds = Counter(founding.key.kind for founding in self._foundings)
        rows = Counter(
            effect.part.name
            for founding in self._foundings
            for step in founding.steps
            for effect in step.effects()
            if isinstance(effect, ItemPut)
        )
        for bank in self._banks:
            kinds[BankKey.kind] += 1
            rows.update(bank.counted())
        return UserImported(aggregates=dict(kinds), rows=dict(rows))

    # ---- storing ----

    async def store(self, request: RequestKey | None) -> CommitResult[UserImported]:
        """Stores everything that was read; goes on to a safe end where its caller leaves."""
        self._storing = asyncio.ensure_future(self._store(request))
        return await asyncio.shield(self._storing)

    async def _store(self, request: RequestKey | None) -> CommitResult[UserImported]:
        users, key = self._ports.users, self._key
        read = self._lines.user
        made = new_user(self._ports, key)
        record = replace(
            made if read is None else replace(read.record, key=key, uid=made.uid, user=key.user),
            enabled=True,
            state=UserState.IMPORTING,
            due_time=self._due_time(),
        )
        draft = Draft(result=None, steps=(UserPut(record=record),))
        await users.found(key, draft, revision=1 if read is None else read.revision)
        self._record = record
        requires = (Require(key=key, uid=record.uid),)
        for founding in self._foundings:
            await self._keep_on()
            draft = Draft(result=None, steps=founding.steps, requires=requires)
            await users.found(founding.key, draft, revision=founding.revision)
        for bank in self._banks:
            await self._keep_on()
            await bank.found()
        return await self._finish(request)

    async def _keep_on(self) -> None:
        """Tells other processes in time that the import is still at work. Raises MemoryOff where its caller left, or
        the user is being purged."""
        if self._left:
            raise MemoryOff(SCOPE)
        if self._ports.clock.now() >= self._tell_time:
            await self._ports.users.commit(self._key, self._put_off)

    def _put_off(self, user: UserAggregate, _revision: int) -> Draft[None]:
        record = replace(self._still(user), due_time=self._due_time())
        return Draft(result=None, steps=(UserPut(record=record),), touches=frozenset({"user"}))

    async def _finish(self, request: RequestKey | None) -> CommitResult[UserImported]:
        read, result = self._lines.user, self.counted()

        def stage(user: UserAggregate, revision: int) -> Draft[UserImported]:
            record = replace(
                self._still(user),
                enabled=read is None or read.record.enabled,
                state=UserState.ACTIVE,
                edited_at=revision,
                due_time=None,
            )
            return Draft(result=result, steps=(UserPut(record=record),), touches=frozenset({"user"}))

        return await self._ports.users.commit(self._key, stage, request, UserImported)

    def _still(self, user: UserAggregate) -> UserRecord:
        """Returns the user's record. Raises MemoryOff where it is not this import's any more."""
        record = user.record
        if self._record is None or record.uid != self._record.uid or record.state is not UserState.IMPORTING:
            raise MemoryOff(SCOPE)
        return record

    def _due_time(self) -> datetime:
        """Returns when the import counts as left, unless it tells of itself before."""
        now, lasts = self._ports.clock.now(), self._ports.settings.resume_after
        self._tell_time = now + lasts / 4
        return now + lasts

    # ---- undoing ----

    async def undo(self) -> None:
        """Removes what was made, once it is known what that is."""
        self._left = True
        if self._storing is not None:
            await asyncio.wait([self._storing])
            self._storing.exception()  # its caller, if there still is one, has heard of it
        for bank in self._banks:
            await bank.undo()
        if self._record is None:
            return
        record = await self._ports.users.record(self._key)
        if record is not None and record.uid == self._record.uid:
            await purge_user(self._ports, PurgeUser(key=self._key, include_banks=True))
