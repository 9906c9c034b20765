"""An owner's instruction documents, and a run, as kinds of aggregate."""

from collections.abc import Sequence
from datetime import datetime

from core.aggregate.kind import Chore, Kind
from core.instructions.instructions import Instructions
from core.instructions.run import Run
from core.instructions.steps import (
    INSTRUCTIONS_STEPS,
    PARTS,
    RUN_STEPS,
    InstructionsPut,
    InstructionsStep,
    RunPut,
    SourcePut,
)
from core.internal_errors import InstructionsExist, InstructionsNotFound, RunExists, RunNotFound
from core.keys import InstructionsKey, RunKey

TRIM = Chore(name="trim_versions")
"""Superseded versions have been kept long enough."""


def _due(aggregate: Instructions, now: datetime) -> Sequence[Chore]:
    due_time = aggregate.record.due_time
    return (TRIM,) if due_time is not None and due_time <= now else ()


def _text_length(steps: Sequence[InstructionsStep]) -> int:
    return sum(step.source.characters for step in steps if isinstance(step, SourcePut))


INSTRUCTIONS: Kind[Instructions, InstructionsStep] = Kind(
    name=InstructionsKey.kind,
    key_of=InstructionsKey.named,
    steps=INSTRUCTIONS_STEPS,
    puts=InstructionsPut,
    found=Instructions.found,
    load=Instructions.load,
    missing=lambda key: InstructionsNotFound(),
    taken=lambda key: InstructionsExist(),
    text_length=_text_length,
    parts=PARTS,
    due=_due,
)
Instructions.kind = INSTRUCTIONS

RUN: Kind[Run, RunPut] = Kind(
    name=RunKey.kind,
    key_of=RunKey.named,
    steps=RUN_STEPS,
    puts=RunPut,
    found=Run.found,
    load=Run.load,
    missing=lambda key: RunNotFound(),
    taken=lambda key: RunExists(),
)
Run.kind = RUN
