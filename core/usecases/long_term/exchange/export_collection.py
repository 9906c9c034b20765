"""ExportCollection: a collection as files, part by part."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace

from core.keys import CollectionKey
from core.usecases.long_term.exchange.files import Contents, files_of
from core.usecases.long_term.ports import CollectionPorts
from core.usecases.long_term.reading import looking
from core.usecases.long_term.record_metadata import whole

PART = 262_144  # code points of a part: 1 MiB at most


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportCollection:
    key: CollectionKey
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePart:
    path: str
    content: str


async def export_collection(
    ports: CollectionPorts, command: ExportCollection
) -> AsyncGenerator[FilePart, None]:
    """Yields every file, all of one revision. Raises CollectionNotFound, RevisionNotReached."""
    async with looking(ports, command.key, command.min_revision) as opened:
        collection = opened.collection
        kept = sorted(filter(opened.lasts, collection.records.values()), key=lambda r: r.record_id)
        waiting = [one for key, one in sorted(collection.proposals.items()) if opened.lasts(one.record)]
        uid = collection.uid
        contents = Contents(
            records=tuple(kept),
            uses=dict(collection.uses),
            reflections=tuple(
                collection.reflections[key]
                for key in sorted(collection.reflections)
                if collection.reflections[key].text
            ),
            proposals=tuple(waiting),
        )
    contents = replace(contents, records=tuple(await whole(ports, command.key, uid, contents.records)))
    for path, text in files_of(contents):
        for start in range(0, len(text), PART):
            yield FilePart(path=path, content=text[start : start + PART])
