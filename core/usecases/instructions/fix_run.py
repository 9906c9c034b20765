"""Fixing what a run of an agent sees: once, on whichever replica comes first."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.errors import RevisionNotReached, RunExpired
from core.instructions.instructions import Instructions
from core.instructions.run import Run, pinned
from core.instructions.steps import RunPut
from core.internal_errors import RunExists, RunNotFound
from core.keys import RunKey
from core.model.instructions import Owner, Pin, RunRecord, SourceRef
from core.ports.aggregates import Draft
from core.ports.store import Require
from core.usecases.instructions.ports import RunPorts
from core.usecases.user.permission import Permissions
from core.usecases.user.ports import UserPorts
from core.usecases.user.quotas import require_room


@dataclass(frozen=True, slots=True, kw_only=True)
class FixRun:
    """`refresh`: the references are fixed anew. `least`: the run's revision to be seen."""

    key: RunKey
    refs: tuple[SourceRef, ...]
    refresh: bool = False
    least: int = 0


async def fix_run(
    ports: RunPorts, command: FixRun, now: Mapping[Owner, Instructions | None], users: Permissions
) -> tuple[RunRecord, int]:
    """Fixes every reference in the run; returns the run, and its revision; `now`: the owners' sources as they are.

    Raises RunExpired, RevisionNotReached, LimitReached, MemoryOff (the run's user is being purged).
    """
    fixing = _Fixing(ports, command, now)
    while True:
        try:
            async with ports.runs.reading(command.key, command.least) as run:
                if fixing.of(run.record) is run.record:
                    return run.record, run.revision
            await fixing.require(users)
            committed = await ports.runs.commit(command.key, fixing.stage)
        except RunNotFound:
            if command.least:
                raise RevisionNotReached(command.least, 0) from None
            await fixing.require(users)
            if command.key.user:
                await require_room(ports, await users.to_write(command.key), command.key.kind)
            try:
                committed = await ports.runs.found(command.key, fixing.founding())
            except RunExists:  # another load was first
                continue
        return committed.result, committed.revision


async def foreseen(
    ports: RunPorts, command: FixRun, now: Mapping[Owner, Instructions | None]
) -> tuple[Pin, ...]:
    """Returns the run as it would be, without fixing anything. Raises RunExpired, RevisionNotReached, LimitReached."""
    fixing = _Fixing(ports, command, now)
    try:
        async with ports.runs.reading(command.key, command.least) as run:
            return fixing.of(run.record).pins
    except RunNotFound:
        if command.least:
            raise RevisionNotReached(command.least, 0) from None
        return fixing.founded().pins


class _Fixing:
    """How a run comes to have every reference fixed: pure but for `require`, which comes before what is written."""

    def __init__(self, ports: UserPorts, command: FixRun, now: Mapping[Owner, Instructions | None]) -> None:
        self._time = ports.clock.now()
        self._lifetime = ports.settings.run_lifetime
        self._uid = ports.ids.new("u")
        self._command = command
        self._now = now
        self._limits = ports.settings.limits
        self._requires: tuple[Require, ...] = ()

    async def require(self, users: Permissions) -> None:
        """Requires of a user's run that the user is there: it is the user's to purge. It holds nothing about the
        user, so memory may be switched off."""
        key = self._command.key
        if key.user:
            self._requires = ((await users.to_write(key)).keeper(),)

    def of(self, record: RunRecord) -> RunRecord:
        """Returns the record with the references fixed; itself where they are already. Raises RunExpired."""
        asked = self._command.refs
        if self._command.refresh:
            kept = tuple(pin for pin in record.pins if pin.ref.owner not in {ref.owner for ref in asked})
            return self._fixed(record, kept)
        if record.expire_time <= self._time:
            raise RunExpired(self._command.key.run_id)
        known = {pin.ref for pin in record.pins}
        missing = [ref for ref in asked if ref not in known]
        return replace(record, pins=self._pins(record.pins, missing)) if missing else record

    def stage(self, run: Run, _: int) -> Draft[RunRecord]:
        record = self.of(run.record)
        if record is run.record:
            return Draft(result=record)
        steps = (RunPut(record=record),)
        return Draft(result=record, steps=steps, touches=frozenset({"run"}), requires=self._requires)

    def founding(self) -> Draft[RunRecord]:
        record = self.founded()
        return Draft(result=record, steps=(RunPut(record=record),), requires=self._requires)

    def founded(self) -> RunRecord:
        """Returns the run as it begins."""
        empty = RunRecord(
            key=self._command.key,
            uid=self._uid,
            create_time=self._time,
            user=self._command.key.user,
            run_time=self._time,
            expire_time=self._time,
            purge_time=self._time,
        )
        return self._fixed(empty, ())

    def _fixed(self, record: RunRecord, kept: tuple[Pin, ...]) -> RunRecord:
        """Fixes the references now, and begins the run's life anew: it is forgotten after twice as long as it lives,
        so that a checkpoint that comes too late gets the reason."""
        return replace(
            record,
            run_time=self._time,
            expire_time=self._time + self._lifetime,
            purge_time=self._time + 2 * self._lifetime,
            pins=self._pins(kept, self._command.refs),
        )

    def _pins(self, kept: tuple[Pin, ...], refs: tuple[SourceRef, ...] | list[SourceRef]) -> tuple[Pin, ...]:
        pins = list(kept)
        for ref in refs:
            pins.append(pinned(ref, self._now[ref.owner], pins))
        self._limits.check_references(len(pins))
        return tuple(pins)
