"""What happens to reflections when their records go or say something else: they are made anew of what is left."""

from collections.abc import Set
from dataclasses import replace

from core.ids import RecordId
from core.long_term.collection import Collection
from core.long_term.steps import ReflectionDrop, ReflectionPut, Step


def waiting_anew(collection: Collection, changed: Set[RecordId], gone: Set[RecordId]) -> list[Step]:
    """Steps that take the text from every reflection over `changed` records; one over none that stays is dropped."""
    steps: list[Step] = []
    for reflection in collection.reflections.values():
        if not changed.isdisjoint(reflection.record_ids):
            left = tuple(record_id for record_id in reflection.record_ids if record_id not in gone)
            if left:
                steps.append(ReflectionPut(reflection=replace(reflection, text="", record_ids=left)))
            else:
                steps.append(ReflectionDrop(reflection_id=reflection.reflection_id))
    return steps
