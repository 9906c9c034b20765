"""A chore: superseded versions go when no run can need them any longer."""

from dataclasses import replace

from core.instructions.instructions import Instructions
from core.instructions.steps import InstructionsPut
from core.keys import InstructionsKey
from core.ports.aggregates import Draft
from core.usecases.instructions.ports import SourcePorts


async def trim_versions(ports: SourcePorts, key: InstructionsKey) -> None:
    """Does nothing where nothing is due. Raises InstructionsNotFound."""
    now = ports.clock.now()

    def stage(kept: Instructions, _: int) -> Draft[None]:
        drops, following = kept.outlived(now, ports.settings.run_lifetime)
        if not drops and following == kept.record.due_time:
            return Draft(result=None)
        touched = {"record", *(f"source:{drop.path}" for drop in drops)}
        record = replace(kept.record, due_time=following)
        steps = (*drops, InstructionsPut(record=record))
        return Draft(result=None, steps=steps, touches=frozenset(touched), erase=bool(drops))

    await ports.instructions.commit(key, stage)
