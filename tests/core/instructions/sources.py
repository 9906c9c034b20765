"""Instruction documents for tests."""

from datetime import UTC, datetime, timedelta

from core.aggregate.aggregate import Tuning
from core.aggregate.change import Change
from core.ids import ChangeId, Tenant
from core.instructions.instructions import Instructions
from core.instructions.kind import INSTRUCTIONS
from core.instructions.steps import InstructionsPut, InstructionsStep, SourcePut
from core.model.instructions import InstructionsRecord, Level, Owner, Source
from core.text.tokens import estimate

START = datetime(2024, 5, 1, 9, 0, tzinfo=UTC)
ADA = Owner(level=Level.USER, name="ada")
WEB = Owner(level=Level.PROJECT, name="web")


def source(path: str, text: str, version: int = 1, first_version: int = 1, day: int = 0) -> Source:
    return Source(
        path=path,
        text=text,
        version=version,
        first_version=first_version,
        characters=len(text),
        tokens=estimate(text),
        create_time=START,
        update_time=START + timedelta(days=day),
    )


def instructions(owner: Owner, *sources: Source, uid: str = "u-1") -> Instructions:
    """The owner's documents as one change put them."""
    record = InstructionsRecord(key=owner.key(Tenant("acme")), uid=uid, create_time=START)
    steps: list[InstructionsStep] = [InstructionsPut(record=record)]
    steps += [SourcePut(source=each) for each in sources]
    return INSTRUCTIONS.found(change(tuple(steps)), uid, Tuning())


def change(steps: tuple[InstructionsStep, ...], revision: int = 1) -> Change[InstructionsStep]:
    parent = ChangeId(f"c-{revision - 1}") if revision > 1 else None
    return Change(
        change_id=ChangeId(f"c-{revision}"), parent=parent, revision=revision, time=START, steps=steps
    )
