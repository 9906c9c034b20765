"""What can happen to an owner's sources, and to a run."""

from collections.abc import Iterable
from dataclasses import dataclass

from core.aggregate.codec import StepCodec
from core.aggregate.parts import Effect, ItemDrop, ItemPut, Part, numbered
from core.aggregate.step import Step
from core.model.instructions import InstructionsRecord, RunRecord, Source

VERSIONS = Part(name="versions", of=Source)
PARTS = (VERSIONS,)


def item_of(path: str, version: int) -> str:
    """Returns a version's name among the owner's."""
    return f"{path}/{numbered(version)}"


class InstructionsStep(Step):
    """What may happen to an owner's sources."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InstructionsPut(InstructionsStep):
    record: InstructionsRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePut(InstructionsStep):
    """A new version of a source, the newest; or its first."""

    source: Source

    def effects(self) -> Iterable[Effect]:
        yield ItemPut(part=VERSIONS, item=item_of(self.source.path, self.source.version), value=self.source)


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionsDrop(InstructionsStep):
    """Versions of a source go for good; the source goes with its newest."""

    path: str
    versions: tuple[int, ...]

    def effects(self) -> Iterable[Effect]:
        return [ItemDrop(part=VERSIONS, item=item_of(self.path, number)) for number in self.versions]


INSTRUCTIONS_STEPS: StepCodec[InstructionsStep] = StepCodec(InstructionsStep)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPut(Step):
    record: RunRecord


RUN_STEPS: StepCodec[RunPut] = StepCodec(RunPut)
