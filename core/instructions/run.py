"""What a run of an agent has fixed, and how references are fixed.

Law: pure. What a run has fixed, it keeps: a reference that comes later gets the versions that the run has already fixed
of the same sources, and the newest of others.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from core.aggregate.parts import PartsAggregate
from core.errors import RunExpired
from core.instructions.instructions import Instructions
from core.instructions.steps import RunPut
from core.model.instructions import Owner, Pin, RunRecord, Source, SourceRef


class Run(PartsAggregate[RunRecord, RunPut]):
    """One run: its record is all of it."""

    kind: ClassVar[object]

    @property
    def size(self) -> int:
        return super().size + sum(200 + 100 * len(pin.versions) for pin in self.record.pins)


def pinned(ref: SourceRef, instructions: Instructions | None, before: Sequence[Pin]) -> Pin:
    """Returns what the reference stands for: as the run has fixed it `before`, else as the owner's sources are now."""
    known = next((pin for pin in before if pin.ref.owner == ref.owner and pin.uid), None)
    if instructions is not None and known is not None and instructions.uid != known.uid:
        instructions = None  # what the run knew is gone; its like came later
    whole = any(pin.ref == SourceRef(owner=ref.owner) for pin in before)
    newest = {} if instructions is None or whole else _newest(ref, instructions)
    fixed = fixed_versions(ref.owner, before)
    asked = [ref.path] if ref.path else sorted({*newest, *fixed})
    versions = {path: version for path in asked if (version := fixed.get(path, newest.get(path, 0)))}
    if instructions is not None:
        return Pin(ref=ref, uid=instructions.uid, revision=instructions.revision, versions=versions)
    if known is not None:
        return Pin(ref=ref, uid=known.uid, revision=known.revision, versions=versions)
    return Pin(ref=ref, uid="", revision=0, versions={})


def fixed_versions(owner: Owner, pins: Sequence[Pin]) -> Mapping[str, int]:
    """Returns what a run has fixed of an owner's sources; 0 for one that was missing."""
    fixed: dict[str, int] = {}
    for pin in pins:
        if pin.ref.owner == owner:
            fixed |= pin.versions if pin.versions or not pin.ref.path else {pin.ref.path: 0}
    return fixed


def fixed_source(pin: Pin, path: str, instructions: Instructions | None, run_id: str) -> Source | None:
    """Returns the version that is fixed; None for one whose source was deleted since.

    Raises RunExpired where the source goes on, and the version is kept no longer.
    """
    if instructions is None or instructions.uid != pin.uid:
        return None
    version = pin.versions[path]
    source = instructions.find(path, version)
    newest = instructions.find(path)
    if source is None and newest is not None and newest.first_version <= version:
        raise RunExpired(run_id)
    return source


def _newest(ref: SourceRef, instructions: Instructions) -> Mapping[str, int]:
    paths = [ref.path] if ref.path else instructions.paths
    found = (instructions.find(path) for path in paths)
    return {source.path: source.version for source in found if source is not None}
