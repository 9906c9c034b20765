"""LoadSources: what an agent is to follow, as one block; a run sees the same versions every time."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from core.context.block import Block, block
from core.errors import BudgetTooSmall, RevisionNotReached
from core.ids import RunId, Tenant, User
from core.instructions.instructions import Instructions
from core.instructions.run import fixed_source, pinned
from core.keys import Key, RunKey, UserKey
from core.model.instructions import Owner, Pin, Source, SourceRef
from core.usecases.instructions.fix_run import FixRun, fix_run, foreseen
from core.usecases.instructions.opening import opened
from core.usecases.instructions.ports import RunPorts
from core.usecases.instructions.writing import without_text
from core.usecases.ports import HasInstructions
from core.usecases.user.permission import Permissions

Opened = Mapping[Owner, Instructions | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadSources:
    """`min_revisions` by the names of keys (`instructions/user/ada`). Without a `run_id` nothing is fixed."""

    tenant: Tenant
    refs: tuple[SourceRef, ...]
    user: User | None = None
    run_id: RunId | None = None
    refresh: bool = False
    include_text: bool = False
    token_budget: int | None = None
    min_revisions: Mapping[str, int] = field(default_factory=dict)

    def least(self, key: Key) -> int:
        return self.min_revisions.get(named(key), 0)


class MissingReason(StrEnum):
    NOT_FOUND = "not_found"
    MEMORY_OFF = "memory_off"


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingSource:
    ref: SourceRef
    reason: MissingReason


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesLoaded:
    """In the order asked for. `run_time`: when the run was last fixed; None without a run."""

    block: str
    tokens: int
    sources: tuple[tuple[Owner, Source], ...]
    missing: tuple[MissingSource, ...]
    revisions: Mapping[str, int]
    run_time: datetime | None


def named(key: Key) -> str:
    """Returns the key in maps of revisions."""
    return f"{key.kind}/{key.name}"


async def load_sources(ports: RunPorts, command: LoadSources) -> SourcesLoaded:
    """Raises RunExpired, BudgetTooSmall, RevisionNotReached, LimitReached, MemoryOff (the run's user is purged)."""
    return await load_with(ports, command, Permissions(ports))


async def load_with(ports: RunPorts, command: LoadSources, users: Permissions) -> SourcesLoaded:
    """Loads them for a call that reads other things, too."""
    async with AsyncExitStack() as open_:
        off = await _switched_off(command, users)
        refs = tuple(ref for ref in command.refs if ref.owner not in off)
        least = {owner: command.least(owner.key(command.tenant)) for owner in _owners(refs)}
        now: Opened = await _opened(ports, command.tenant, open_, least)
        revisions: dict[str, int] = {}
        run_time = None
        if command.run_id is None:
            pins = [pinned(ref, now[ref.owner], ()) for ref in refs]
        else:
            key = RunKey(tenant=command.tenant, user=command.user or User(""), run_id=command.run_id)
            fixing = FixRun(key=key, refs=refs, refresh=command.refresh, least=command.least(key))
            if command.token_budget is not None:  # what is refused fixes nothing
                pins = _of(refs, await foreseen(ports, fixing, now))
                then = await _opened_as_fixed(ports, command, open_, now, pins)
                _within_budget(command, _read(command, pins, then, off)[0])
            run, revision = await fix_run(ports, fixing, now, users)
            pins = _of(refs, run.pins)
            run_time, revisions[named(key)] = run.run_time, revision
            now = await _opened_as_fixed(ports, command, open_, now, pins)
        found, missing = _read(command, pins, now, off)
        revisions |= {named(owner.key(command.tenant)): kept.revision for owner, kept in now.items() if kept}
        return _answered(command, found, missing, revisions, run_time)


def _answered(
    command: LoadSources,
    found: Sequence[tuple[Owner, Source]],
    missing: Sequence[MissingSource],
    revisions: Mapping[str, int],
    run_time: datetime | None,
) -> SourcesLoaded:
    made = _within_budget(command, found)
    return SourcesLoaded(
        block=made.text,
        tokens=made.tokens,
        sources=tuple(
            (owner, source if command.include_text else without_text(source)) for owner, source in found
        ),
        missing=tuple(missing),
        revisions=revisions,
        run_time=run_time,
    )


def _within_budget(command: LoadSources, found: Sequence[tuple[Owner, Source]]) -> Block:
    """Raises BudgetTooSmall."""
    made = block(found)
    if command.token_budget is not None and made.tokens > command.token_budget:
        raise BudgetTooSmall("token_budget", made.tokens, command.token_budget)
    return made


def _of(refs: Iterable[SourceRef], pins: Iterable[Pin]) -> list[Pin]:
    by_ref = {pin.ref: pin for pin in pins}
    return [by_ref[ref] for ref in refs]


def _read(
    command: LoadSources, pins: Iterable[Pin], now: Opened, off: frozenset[Owner]
) -> tuple[list[tuple[Owner, Source]], list[MissingSource]]:
    """Returns the sources that the pins name, each once, and what is not there, both in the order asked for."""
    by_ref = {pin.ref: pin for pin in pins}
    found: dict[tuple[Owner, str], Source] = {}
    missing: list[MissingSource] = []
    for ref in command.refs:
        if ref.owner in off:
            missing.append(MissingSource(ref=ref, reason=MissingReason.MEMORY_OFF))
            continue
        pin = by_ref[ref]
        if not pin.versions:
            missing.append(MissingSource(ref=ref, reason=MissingReason.NOT_FOUND))
        for path in pin.versions:
            source = fixed_source(pin, path, now[ref.owner], command.run_id or "")
            if source is None:
                gone = SourceRef(owner=ref.owner, path=path)
                missing.append(MissingSource(ref=gone, reason=MissingReason.NOT_FOUND))
            else:
                found.setdefault((ref.owner, path), source)
    return [(owner, source) for (owner, _), source in found.items()], missing


async def _switched_off(command: LoadSources, users: Permissions) -> frozenset[Owner]:
    """Returns the users among the owners whose memory is switched off: nothing of theirs is loaded."""
    named = {ref.owner: ref.owner.user for ref in command.refs}
    keys = {owner: UserKey(tenant=command.tenant, user=user) for owner, user in named.items() if user}
    return frozenset([owner for owner, key in keys.items() if not (await users.of(key)).is_on])


async def _opened(
    ports: HasInstructions, tenant: Tenant, open_: AsyncExitStack, least: Mapping[Owner, int]
) -> dict[Owner, Instructions | None]:
    return {
        owner: await open_.enter_async_context(opened(ports, owner.key(tenant), revision))
        for owner, revision in least.items()
    }


async def _opened_as_fixed(
    ports: HasInstructions, command: LoadSources, open_: AsyncExitStack, now: Opened, pins: Sequence[Pin]
) -> Opened:
    """Opens those again whose versions were fixed on another replica, at a revision not seen here yet."""
    again: dict[Owner, Instructions | None] = {}
    for pin in pins:
        kept = now[pin.ref.owner]
        if pin.uid and (kept is None or (kept.uid == pin.uid and kept.revision < pin.revision)):
            try:
                again |= await _opened(ports, command.tenant, open_, {pin.ref.owner: pin.revision})
            except RevisionNotReached:  # purged since: what was fixed is missing
                again[pin.ref.owner] = None
    return {**now, **again}


def _owners(refs: Iterable[SourceRef]) -> list[Owner]:
    return list(dict.fromkeys(ref.owner for ref in refs))
