"""Requests of Instructions."""

import unicodedata

from core.caller import Caller
from core.errors import PermissionDenied
from core.ids import RunId, User
from core.model.access import Scope
from core.model.instructions import Level, Owner, SourceRef
from core.usecases.instructions.delete_source import DeleteSource
from core.usecases.instructions.edit_source import EditSource
from core.usecases.instructions.get_source import GetSource
from core.usecases.instructions.list_sources import ListSources
from core.usecases.instructions.list_versions import ListVersions
from core.usecases.instructions.load_sources import LoadSources
from core.usecases.instructions.put_source import PutSource
from memorybank.v1 import instructions_pb2 as pb
from memorybank.v1.memory_bank_pb2 import AdvanceTaskRequest, StartTaskRequest
from memorybank.v1.retrieval_pb2 import AssembleContextRequest
from service.api.from_proto.checks import MOST_TOKENS, NAME, SOURCE, Checks, checking

MOST_REFS = 64
MOST_REVISIONS = 128
KEY = 2_048  # code points of a key in a map of revisions: ours are shorter
UNPRINTED = frozenset({"Cc", "Zl", "Zp"})  # control characters, and what breaks a line


def put_source(request: pb.PutSourceRequest, caller: Caller) -> PutSource:
    with checking(caller, request) as check:
        return PutSource(
            tenant=caller.tenant,
            owner=written_owner(check, "owner", request.owner),
            path=path(check, "path", request.path),
            text=check.text("text", request.text),
            if_version=check.revision(request, "if_version"),
            update_by=caller.subject or check.text("update_by", request.update_by, NAME),
            request=check.request(request),
        )


def get_source(request: pb.GetSourceRequest, caller: Caller) -> GetSource:
    with checking(caller, request) as check:
        return GetSource(
            tenant=caller.tenant,
            owner=owner(check, "owner", request.owner),
            path=path(check, "path", request.path),
            version=version(check, request, "version"),
            min_revision=check.min_revision(request),
        )


def list_sources(request: pb.ListSourcesRequest, caller: Caller) -> ListSources:
    with checking(caller, request) as check:
        return ListSources(
            tenant=caller.tenant,
            owner=owner(check, "owner", request.owner),
            path_prefix=printed(check, "path_prefix", request.path_prefix, SOURCE),
            page_size=check.page_size(request.page_size),
            page_token=check.page_token(request.page_token),
            min_revision=check.min_revision(request),
        )


def list_versions(request: pb.ListVersionsRequest, caller: Caller) -> ListVersions:
    with checking(caller, request) as check:
        return ListVersions(
            tenant=caller.tenant,
            owner=owner(check, "owner", request.owner),
            path=path(check, "path", request.path),
            page_size=check.page_size(request.page_size),
            page_token=check.page_token(request.page_token),
            min_revision=check.min_revision(request),
        )


def edit_source(request: pb.EditSourceRequest, caller: Caller) -> EditSource:
    with checking(caller, request) as check:
        if not request.old_text:
            check.wrong("old_text", "must not be empty: it names the passage to replace")
        elif request.old_text == request.new_text:
            check.wrong("new_text", "must differ from old_text")
        return EditSource(
            tenant=caller.tenant,
            owner=written_owner(check, "owner", request.owner),
            path=path(check, "path", request.path),
            old_text=check.text("old_text", request.old_text),
            new_text=check.text("new_text", request.new_text),
            if_version=version(check, request, "if_version"),
            update_by=caller.subject or check.text("update_by", request.update_by, NAME),
            request=check.request(request),
        )


def delete_source(request: pb.DeleteSourceRequest, caller: Caller) -> DeleteSource:
    with checking(caller, request) as check:
        return DeleteSource(
            tenant=caller.tenant,
            owner=written_owner(check, "owner", request.owner),
            path=path(check, "path", request.path),
            if_version=version(check, request, "if_version"),
            request=check.request(request),
        )


def load_sources(request: pb.LoadSourcesRequest, caller: Caller) -> LoadSources:
    with checking(caller, request) as check:
        if request.refresh and not request.run_id:
            check.wrong("refresh", "is of a run: run_id must be given")
        run_id = check.id_or_none("run_id", request.run_id)
        return LoadSources(
            tenant=caller.tenant,
            refs=references(check, request),
            user=User(printed(check, "user", request.user, NAME)) if request.user else None,
            run_id=RunId(run_id) if run_id else None,
            refresh=request.refresh,
            include_text=request.include_text,
            token_budget=check.optional_int(request, "token_budget", 1, MOST_TOKENS),
            min_revisions=least(check, request),
        )


def references(
    check: Checks, request: pb.LoadSourcesRequest | AssembleContextRequest
) -> tuple[SourceRef, ...]:
    """Reads what is asked for, in order."""
    check.amount("refs", request.refs, MOST_REFS, least=1)
    refs = []
    for index, given in enumerate(request.refs[:MOST_REFS]):
        at = check.within(f"refs[{index}].")
        ref = SourceRef(owner=owner(at, "owner", given.owner), path=printed(at, "path", given.path, SOURCE))
        if ref in refs:
            check.wrong(f"refs[{index}]", "must not name the same twice")
        refs.append(ref)
    return tuple(refs)


def least(
    check: Checks,
    request: pb.LoadSourcesRequest | AssembleContextRequest | StartTaskRequest | AdvanceTaskRequest,
) -> dict[str, int]:
    """Reads the least revisions to be seen, by `KIND/NAME`."""
    check.amount("min_revisions", request.min_revisions, MOST_REVISIONS)
    for key, revision in list(request.min_revisions.items())[:MOST_REVISIONS]:
        check.text("min_revisions", key, KEY, least=1)
        check.at_least(f"min_revisions[{key[:NAME]}]", revision)
    return dict(request.min_revisions)


def owner(check: Checks, field: str, given: pb.Owner) -> Owner:
    level = given.WhichOneof("level")
    if level is None:
        check.wrong(field, "must have one of user, agent, project and tenant")
        return Owner(level=Level.TENANT)
    if level == "tenant":
        if not given.tenant:
            check.wrong(f"{field}.tenant", "must be true, or left out")
        return Owner(level=Level.TENANT)
    name = printed(check, f"{field}.{level}", getattr(given, level), NAME, least=1)
    return Owner(level=Level(level), name=name)


def written_owner(check: Checks, field: str, given: pb.Owner) -> Owner:
    """Reads whose documents are to be changed. Raises PermissionDenied for documents that others follow, unless the
    caller has the scope `admin` or their owner is listed in its binding."""
    read, caller = owner(check, field, given), check.caller
    is_listed = caller.binding.owners is not None  # and holds this one, or the field was refused
    if read.level is not Level.USER and not (is_listed or caller.may(Scope.ADMIN)):
        raise PermissionDenied(
            f"{field}: other agents follow these documents; the API key lacks the scope admin"
        )
    return read


def path(check: Checks, field: str, value: str) -> str:
    return printed(check, field, value, SOURCE, least=1)


def printed(check: Checks, field: str, value: str, most: int, least: int = 0) -> str:
    """Checks a name, which stands in one line wherever it is shown."""
    if any(unicodedata.category(character) in UNPRINTED for character in value[: most + 1]):
        check.wrong(field, "must not hold control characters or line breaks")
    return check.text(field, value, most, least)


def version(
    check: Checks,
    request: pb.GetSourceRequest | pb.EditSourceRequest | pb.DeleteSourceRequest,
    field: str,
) -> int | None:
    """Reads an optional version, from 1."""
    return check.at_least(field, getattr(request, field), 1) if request.HasField(field) else None  # type: ignore[arg-type]  # one of two names
