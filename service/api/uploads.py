"""Reading an import of a collection or of a user as it comes: options first, then files part by part."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from hashlib import sha256

from core.caller import Caller
from core.errors import ImportInvalid, InvalidField
from core.ids import RequestId
from core.ports.aggregates import CommitResult, RequestKey
from core.usecases.long_term.exchange.import_collection import (
    CollectionImported,
    ImportCollection,
    import_collection,
)
from core.usecases.long_term.ports import WritingPorts
from core.usecases.whole_user.import_user import ImportUser, UserImported, import_user
from core.usecases.whole_user.ports import UserImportPorts
from memorybank.v1 import long_term_pb2 as pb
from service.api.from_proto.checks import Checks, checking, digest, digest_for
from service.api.from_proto.user_files import UserReader
from service.api.mapping.lines import Const
from service.api.mapping.reading import reading

MOST_BYTES = 64 * 1024 * 1024
"""Of one import: what a collection at its limits takes, with room."""

_options = reading(ImportCollection, pb.ImportCollectionOptions, files=Const({}), request=Const(None))


async def collection_import(
    ports: WritingPorts, requests: AsyncIterator[pb.ImportCollectionRequest], caller: Caller
) -> CommitResult[CollectionImported]:
    """Raises InvalidField for parts out of order, ImportInvalid, and what ImportCollection raises."""
    options: pb.ImportCollectionOptions | None = None
    files: dict[str, bytearray] = {}
    size = 0
    async for request in requests:
        part = request.WhichOneof("part")
        if (part == "options") is (options is not None) or part is None:
            raise InvalidField("part", "must be options first, and files after them")
        if part == "options":
            options = request.options
            continue
        size += len(request.file.content)
        if size > MOST_BYTES:
            raise ImportInvalid(0, f"an import has at most {MOST_BYTES:,} bytes")
        files.setdefault(request.file.path, bytearray()).extend(request.file.content)
    if options is None:
        raise InvalidField("part", "must be options first, and files after them")
    with checking(caller, options) as check:
        command = replace(
            _options.part(options, check.within("options.")),
            files={path: _text(path, content) for path, content in files.items()},
            request=_request(check, options, files),
        )
    return await import_collection(ports, command)


def _request(
    check: Checks, options: pb.ImportCollectionOptions, files: Mapping[str, bytearray]
) -> RequestKey | None:
    if not options.request_id:
        return None
    body = sha256(digest(options).encode())
    for path in sorted(files):
        body.update(f"\n{path}\n{len(files[path])}\n".encode() + files[path])
    request_id = RequestId(check.id("options.request_id", options.request_id))
    subject = check.caller.subject
    return RequestKey(
        request_id=request_id,
        verb="ImportCollection",
        digest=digest_for(subject, body.hexdigest()),
        subject=subject,
    )


def _text(path: str, content: bytearray) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise ImportInvalid(0, f"{path[:128]} is not UTF-8") from None


# ---- users ----


_user_options = reading(ImportUser, pb.ImportUserOptions, request=Const(lambda: None))


async def user_import(
    ports: UserImportPorts, requests: AsyncIterator[pb.ImportUserRequest], caller: Caller
) -> CommitResult[UserImported]:
    """Raises InvalidField for parts out of order, ImportInvalid, and what ImportUser raises."""
    first = await anext(requests, None)
    if first is None or first.WhichOneof("part") != "options":
        raise InvalidField("part", "must be options first, and files after them")
    options, body = first.options, sha256()
    with checking(caller, options) as check:
        command = _user_options.part(options, check.within("options."))
        request = check.request(options, "dry_run", path="options.request_id")

    async def files() -> AsyncIterator[pb.ExportUserResponse]:
        async for each in requests:
            if each.WhichOneof("part") != "file":
                raise InvalidField("part", "must be options first, and files after them")
            body.update(f"\n{each.file.path}\n{len(each.file.content)}\n".encode() + each.file.content)
            yield each.file

    def identity() -> RequestKey | None:
        return request and replace(request, digest=f"{request.digest}:{body.hexdigest()}")

    lines = UserReader(command.key, caller).pieces(files())
    return await import_user(ports, replace(command, request=identity), lines)
