"""Answers of Instructions."""

from collections.abc import Callable

from core.model.instructions import Level, Owner, Source
from core.usecases.instructions.get_source import SourceSeen
from core.usecases.instructions.list_sources import SourcesListed
from core.usecases.instructions.load_sources import SourcesLoaded
from core.usecases.instructions.writing import WrittenSource
from memorybank.v1 import instructions_pb2 as pb
from service.api.mapping.rendering import UNSET, rendering


def _name_of(level: Level) -> Callable[[Owner], str | None]:
    return lambda value: value.name if value.level is level else None


owner = rendering(
    Owner,
    pb.Owner,
    user=_name_of(Level.USER),
    agent=_name_of(Level.AGENT),
    project=_name_of(Level.PROJECT),
    tenant=lambda value: value.level is Level.TENANT or None,
)
_without_owner = rendering(Source, pb.Source, owner=UNSET)


def source(whose: Owner, value: Source) -> pb.Source:
    made = _without_owner(value)
    made.owner.CopyFrom(owner(whose))
    return made


def _written(done: WrittenSource) -> pb.Source:
    return source(done.owner, done.done.result)


def _listed(listed: SourcesListed) -> list[pb.Source]:
    return [source(listed.owner, each) for each in listed.sources]


put_source = rendering(WrittenSource, pb.PutSourceResponse, source=_written)
edit_source = rendering(WrittenSource, pb.EditSourceResponse, source=_written)
get_source = rendering(SourceSeen, pb.GetSourceResponse, source=lambda seen: source(seen.owner, seen.source))
list_sources = rendering(SourcesListed, pb.ListSourcesResponse, sources=_listed)
list_versions = rendering(SourcesListed, pb.ListVersionsResponse, versions=_listed)
load_sources = rendering(
    SourcesLoaded,
    pb.LoadSourcesResponse,
    sources=lambda loaded: [source(*each) for each in loaded.sources],
)
