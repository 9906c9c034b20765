"""Requests of Instructions: what does not follow from name and type, and what binds several fields."""

from collections.abc import Sequence

from core.errors import PermissionDenied
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
from service.api.from_proto.checks import Checks
from service.api.from_proto.forms import line
from service.api.mapping.lines import By
from service.api.mapping.reading import reading
from service.api.mapping.rules import longest, most_items

LONGEST_NAME = longest(pb.Owner, "user")
MOST_REFS = most_items(pb.LoadSourcesRequest, "refs")


def owner(check: Checks, field: str, given: pb.Owner) -> Owner:
    level = given.WhichOneof("level")
    if level is None:
        check.wrong(field, "must have one of user, agent, project and tenant")
        return Owner(level=Level.TENANT)
    if level == "tenant":
        if not given.tenant:
            check.wrong(f"{field}.tenant", "must be true, or left out")
        return Owner(level=Level.TENANT)
    name = line(check, f"{field}.{level}", getattr(given, level), LONGEST_NAME, least=1)
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


def _by(check: Checks, request: pb.PutSourceRequest | pb.EditSourceRequest) -> str:
    return check.caller.subject or request.update_by


put_source = reading(PutSource, pb.PutSourceRequest, owner=By(written_owner), update_by=_by)
get_source = reading(GetSource, pb.GetSourceRequest, owner=By(owner))
list_sources = reading(ListSources, pb.ListSourcesRequest, owner=By(owner))
list_versions = reading(ListVersions, pb.ListVersionsRequest, owner=By(owner))
delete_source = reading(DeleteSource, pb.DeleteSourceRequest, owner=By(written_owner))


def _other_words(check: Checks, request: pb.EditSourceRequest) -> None:
    if not request.old_text:
        check.wrong("old_text", "must not be empty: it names the passage to replace")
    elif request.old_text == request.new_text:
        check.wrong("new_text", "must differ from old_text")


edit_source = reading(EditSource, pb.EditSourceRequest, _other_words, owner=By(written_owner), update_by=_by)
ref = reading(SourceRef, pb.SourceRef, owner=By(owner))


def refs_differ(check: Checks, refs: Sequence[pb.SourceRef]) -> None:
    for index, each in enumerate(refs):
        if each in refs[:index]:
            check.wrong(f"refs[{index}]", "must not name the same twice")


def references(check: Checks, refs: Sequence[pb.SourceRef]) -> tuple[SourceRef, ...]:
    """Reads what is asked for, in order."""
    check.amount("refs", refs, MOST_REFS, least=1)
    refs_differ(check, refs[:MOST_REFS])
    return tuple(
        ref.part(each, check.within(f"refs[{index}].")) for index, each in enumerate(refs[:MOST_REFS])
    )


def _run_is_refreshed(check: Checks, request: pb.LoadSourcesRequest) -> None:
    if request.refresh and not request.run_id:
        check.wrong("refresh", "is of a run: run_id must be given")


load_sources = reading(
    LoadSources,
    pb.LoadSourcesRequest,
    _run_is_refreshed,
    lambda check, request: refs_differ(check, request.refs[:MOST_REFS]),
)
