"""An owner's instruction documents, and a run, as kinds of aggregate."""

from collections.abc import Sequence
from datetime import datetime

from core.aggregate.kind import Chore, Kind
from core.errors import InstructionsExist, InstructionsNotFound, RunExists, RunNotFound
from core.instructions import instructions, run
from core.instructions.instructions import Instructions
from core.instructions.run import Run
from core.instructions.steps import INSTRUCTIONS_STEPS, RUN_STEPS, InstructionsStep, RunPut, SourcePut
from core.keys import InstructionsKey, RunKey
from core.model.instructions import InstructionsRecord, RunRecord

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
    record=InstructionsRecord,
    steps=INSTRUCTIONS_STEPS,
    record_of=instructions.record_of,
    found=Instructions.found,
    load=Instructions.load,
    missing=lambda key: InstructionsNotFound(),
    taken=lambda key: InstructionsExist(),
    text_length=_text_length,
    parts=instructions.PARTS,
    effects=instructions.effects,
    due=_due,
)
Instructions.kind = INSTRUCTIONS

RUN: Kind[Run, RunPut] = Kind(
    name=RunKey.kind,
    key_of=RunKey.named,
    record=RunRecord,
    steps=RUN_STEPS,
    record_of=run.record_of,
    found=Run.found,
    load=Run.load,
    missing=lambda key: RunNotFound(),
    taken=lambda key: RunExists(),
)
Run.kind = RUN
