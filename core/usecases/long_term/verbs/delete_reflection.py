"""DeleteReflection: the text goes, its records stay. One whose text waits to be made anew goes, too."""

from dataclasses import dataclass, replace

from core.errors import ReflectionNotFound
from core.ids import ReflectionId
from core.keys import CollectionKey
from core.long_term.collection import Collection
from core.long_term.steps import RecordPut, ReflectionDrop, Step
from core.model.record import NO_REFLECTION
from core.ports.aggregates import CommitResult, RequestKey
from core.usecases.long_term.ports import EditPorts
from core.usecases.long_term.writing import Edit, edit


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteReflection:
    key: CollectionKey
    reflection_id: ReflectionId
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectionDeleted:
    """Nothing more is to be said of it."""


async def delete_reflection(ports: EditPorts, command: DeleteReflection) -> CommitResult[ReflectionDeleted]:
    """Deletes a reflection, also where memory is off. Raises ReflectionNotFound, CollectionNotFound,
    RequestIdReused."""

    def compose(collection: Collection, _revision: int) -> Edit[ReflectionDeleted]:
        reflection = collection.reflections.get(command.reflection_id)
        if reflection is None:
            raise ReflectionNotFound(command.reflection_id)
        steps: list[Step] = [ReflectionDrop(reflection_id=reflection.reflection_id)]
        for record_id in reflection.record_ids:
            record = collection.records.get(record_id)
            if record is not None and record.reflection_id == reflection.reflection_id:
                cleared = replace(record, reflection_id=NO_REFLECTION)
                steps.append(RecordPut(record=cleared))
        return Edit(result=ReflectionDeleted(), steps=tuple(steps), sees_all=True, erase=True)

    return await edit(ports, command.key, compose, command.request, ReflectionDeleted, None)
