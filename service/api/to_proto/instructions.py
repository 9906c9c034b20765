"""Answers of Instructions."""

from core.model.instructions import Level, Owner, Source, SourceRef
from core.ports.aggregates import CommitResult
from core.usecases.instructions.delete_source import SourceDeleted
from core.usecases.instructions.get_source import SourceSeen
from core.usecases.instructions.list_sources import SourcesListed
from core.usecases.instructions.load_sources import MissingSource, SourcesLoaded
from core.usecases.instructions.writing import WrittenSource
from memorybank.v1 import instructions_pb2 as pb
from service.api.enums import MISSING_REASONS, numbers
from service.api.to_proto.values import time, time_or_none

_MISSING_REASONS = numbers(MISSING_REASONS)


def put_source(written: WrittenSource) -> pb.PutSourceResponse:
    return pb.PutSourceResponse(
        source=source(written.owner, written.done.result),
        revision=written.done.revision,
        replayed=written.done.replayed,
    )


def get_source(seen: SourceSeen) -> pb.GetSourceResponse:
    return pb.GetSourceResponse(source=source(seen.owner, seen.source), revision=seen.revision)


def list_sources(listed: SourcesListed) -> pb.ListSourcesResponse:
    return pb.ListSourcesResponse(
        sources=[source(listed.owner, each) for each in listed.sources],
        next_page_token=listed.next_page_token,
        revision=listed.revision,
    )


def list_versions(listed: SourcesListed) -> pb.ListVersionsResponse:
    return pb.ListVersionsResponse(
        versions=[source(listed.owner, each) for each in listed.sources],
        next_page_token=listed.next_page_token,
        revision=listed.revision,
    )


def edit_source(written: WrittenSource) -> pb.EditSourceResponse:
    return pb.EditSourceResponse(
        source=source(written.owner, written.done.result),
        revision=written.done.revision,
        replayed=written.done.replayed,
    )


def delete_source(done: CommitResult[SourceDeleted]) -> pb.DeleteSourceResponse:
    return pb.DeleteSourceResponse(
        versions=done.result.versions, revision=done.revision, replayed=done.replayed
    )


def load_sources(loaded: SourcesLoaded) -> pb.LoadSourcesResponse:
    return pb.LoadSourcesResponse(
        block=loaded.block,
        sources=[source(owner, each) for owner, each in loaded.sources],
        missing=map(missing, loaded.missing),
        tokens=loaded.tokens,
        run_time=time_or_none(loaded.run_time),
        revisions=loaded.revisions,
    )


def missing(value: MissingSource) -> pb.MissingSource:
    return pb.MissingSource(ref=reference(value.ref), reason=_MISSING_REASONS[value.reason])


def reference(value: SourceRef) -> pb.SourceRef:
    return pb.SourceRef(owner=owner(value.owner), path=value.path)


def source(whose: Owner, value: Source) -> pb.Source:
    return pb.Source(
        owner=owner(whose),
        path=value.path,
        text=value.text,
        version=value.version,
        characters=value.characters,
        tokens=value.tokens,
        create_time=time(value.create_time),
        update_time=time(value.update_time),
        update_by=value.update_by,
    )


def owner(value: Owner) -> pb.Owner:
    match value.level:
        case Level.USER:
            return pb.Owner(user=value.name)
        case Level.AGENT:
            return pb.Owner(agent=value.name)
        case Level.PROJECT:
            return pb.Owner(project=value.name)
        case Level.TENANT:
            return pb.Owner(tenant=True)
