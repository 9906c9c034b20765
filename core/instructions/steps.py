"""What can happen to an owner's sources, and to a run."""

from dataclasses import dataclass

from core.aggregate.codec import StepCodec
from core.model.instructions import InstructionsRecord, RunRecord, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class InstructionsPut:
    record: InstructionsRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePut:
    """A new version of a source, the newest; or its first."""

    source: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionsDrop:
    """Versions of a source go for good; the source goes with its newest."""

    path: str
    versions: tuple[int, ...]


InstructionsStep = InstructionsPut | SourcePut | VersionsDrop
INSTRUCTIONS_STEPS: StepCodec[InstructionsStep] = StepCodec(InstructionsStep)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPut:
    record: RunRecord


RUN_STEPS: StepCodec[RunPut] = StepCodec(RunPut)
