"""A Deep Agents backend whose files are instruction documents: that package's MemoryMiddleware and its file tools work
over the service as they are. Needs the extra `deepagents`.

    backend = InstructionsBackend(client, {"/": Owner(user="ada"), "/web/": Owner(project="web")})
    agent = create_deep_agent(model, backend=backend, memory=["/AGENTS.md", "/web/AGENTS.md"])

What the service refuses reaches the model as the words of a tool's error, in Deep Agents' own words where it has some,
and never as a lost edit: a passage is replaced where it stands exactly once, and a file that has changed meanwhile is
not overwritten. Deep Agents' tools make every path absolute: `AGENTS.md` and `/AGENTS.md` are one file here. One that
was stored without the stroke, by another way, is read and edited under its own name.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from deepagents.backends.protocol import (
    FILE_NOT_FOUND,
    INVALID_PATH,
    BackendProtocol,
    DeleteResult,
    EditResult,
    FileData,
    FileDownloadResponse,
    FileInfo,
    FileUploadResponse,
    GlobResult,
    GrepResult,
    LsResult,
    ReadResult,
    WriteResult,
)
from deepagents.backends.utils import (
    InvalidGlobPatternError,
    compile_grep_include_glob,
    grep_matches_from_files,
    perform_string_replacement,
    slice_read_response,
)

from memorybank.v1.instructions_pb2 import Owner, Source, SourceRef
from memorybank_client import ErrorReason
from memorybank_client.client import SyncMemoryBankClient
from memorybank_client.errors import (
    FailedPrecondition,
    InvalidArgument,
    MemoryBankError,
    NotFound,
    ResourceExhausted,
    StaleRevision,
)

EDITS = (ErrorReason.ERROR_REASON_EDIT_NOT_FOUND, ErrorReason.ERROR_REASON_EDIT_AMBIGUOUS)
LOADED_AT_ONCE = 64
PAGE = 1_000
REFUSALS = (FailedPrecondition, InvalidArgument, NotFound, ResourceExhausted, StaleRevision)
"""What a model can do something about; anything else is raised."""


class InstructionsBackend(BackendProtocol):  # type: ignore[misc]  # typed where Deep Agents is installed
    """Files of several owners: the longest prefix of a path in `owners` says whose it is; the whole path is its name.

    `update_by` is noted at every version that an agent makes. With `run_id`, what is loaded before a run is what that
    run loaded first, whichever process asks again; `user` is whose run it is.
    """

    def __init__(
        self,
        client: SyncMemoryBankClient,
        owners: Mapping[str, Owner],
        *,
        update_by: str = "agent",
        run_id: str = "",
        user: str = "",
    ) -> None:
        self.client = client
        self.update_by = update_by
        self.run_id = run_id
        self.user = user
        self._owners = sorted(owners.items(), key=lambda entry: len(entry[0]), reverse=True)

    # ---- what the middleware loads ----

    def download_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        """Reads whole files, by one call for up to 64; a missing one is marked as such, any other failure is raised."""
        known = [path for path in dict.fromkeys(map(_absolute, paths)) if self._owner(path) is not None]
        texts = {path: text for part in _parts(known) for path, text in self._loaded(part)}
        bare = [path.removeprefix("/") for path in known if path not in texts and len(path) > 1]
        texts |= {_absolute(path): text for part in _parts(bare) for path, text in self._loaded(part)}
        return [self._downloaded(path, texts) for path in paths]

    def _loaded(self, paths: Sequence[str]) -> Iterator[tuple[str, str]]:
        refs = [SourceRef(owner=self._owner(_absolute(path)), path=path) for path in paths]
        loaded = self.client.load_sources(refs=refs, user=self.user, run_id=self.run_id, include_text=True)
        return ((source.path, source.text) for source in loaded.sources)

    def _downloaded(self, path: str, texts: Mapping[str, str]) -> FileDownloadResponse:
        name = _absolute(path)
        if name in texts:
            return FileDownloadResponse(path=path, content=texts[name].encode())
        return FileDownloadResponse(
            path=path, error=FILE_NOT_FOUND if self._owner(name) is not None else INVALID_PATH
        )

    # ---- what an agent does with them ----

    def read(self, file_path: str, offset: int = 0, limit: int = 2000) -> ReadResult:
        try:
            return slice_read_response(_file(self._source(file_path)), offset, limit)
        except REFUSALS as error:
            return ReadResult(error=_said(error, file_path))

    def write(self, file_path: str, content: str) -> WriteResult:
        try:
            self.client.put_source(
                owner=self._mine(file_path),
                path=self._stored(file_path),
                text=content,
                update_by=self.update_by,
            )
        except REFUSALS as error:
            return WriteResult(error=_said(error, file_path))
        return WriteResult(path=file_path)

    def edit(
        self,
        file_path: str,
        old_string: str,
        new_string: str,
        replace_all: bool = False,
    ) -> EditResult:
        try:
            if replace_all:
                return self._replaced_all(file_path, old_string, new_string)
            self.client.edit_source(
                owner=self._mine(file_path),
                path=self._stored(file_path),
                old_text=old_string,
                new_text=new_string,
                update_by=self.update_by,
            )
        except REFUSALS as error:
            return EditResult(error=self._miss(file_path, old_string, error))
        return EditResult(path=file_path, occurrences=1)

    def _miss(self, path: str, old: str, error: MemoryBankError) -> str:
        """Returns why nothing was replaced, in Deep Agents' words where the passage is why."""
        if error.reason in EDITS:
            with suppress(*REFUSALS):
                counted = perform_string_replacement(self._source(path).text, old, "")
                if isinstance(counted, str):
                    return counted
        return _said(error, path)

    def _replaced_all(self, path: str, old: str, new: str) -> EditResult:
        """Replaces every place at once, on the version in which they were counted."""
        before = self._source(path)
        replaced = perform_string_replacement(before.text, old, new, replace_all=True)
        if isinstance(replaced, str):
            return EditResult(error=replaced)
        text, occurrences = replaced
        self.client.put_source(
            owner=before.owner,
            path=before.path,
            text=text,
            if_version=before.version,
            update_by=self.update_by,
        )
        return EditResult(path=path, occurrences=occurrences)

    def delete(self, file_path: str) -> DeleteResult:
        """Deletes the file, or all below that path."""
        base = _absolute(file_path).rstrip("/")
        gone = [
            each
            for each in self._all()
            if _absolute(each.path) == base or _absolute(each.path).startswith(f"{base}/")
        ]
        if not gone:
            return DeleteResult(error=_missing(file_path))
        for source in gone:
            self.client.delete_source(owner=source.owner, path=source.path)
        return DeleteResult(path=file_path)

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        return [self._uploaded(path, content) for path, content in files]

    def _uploaded(self, path: str, content: bytes) -> FileUploadResponse:
        try:
            text = content.decode()
        except UnicodeDecodeError:
            return FileUploadResponse(path=path, error="only UTF-8 text is kept here")
        return FileUploadResponse(path=path, error=self.write(path, text).error)

    # ---- finding them ----

    def ls(self, path: str) -> LsResult:
        """Files and folders right below a folder."""
        folder = _absolute(path).rstrip("/") + "/"
        found: dict[str, FileInfo] = {}
        for source in self._all():
            if _absolute(source.path).startswith(folder):
                name, slash, _ = _absolute(source.path)[len(folder) :].partition("/")
                below = folder + name + slash
                found[below] = FileInfo(path=below, is_dir=True) if slash else _info(source)
        return LsResult(entries=[found[name] for name in sorted(found)])

    def glob(self, pattern: str, path: str | None = None) -> GlobResult:
        folder = _absolute(path or "/").rstrip("/") + "/"
        try:
            matches = compile_grep_include_glob(pattern)
        except InvalidGlobPatternError as error:
            return GlobResult(error=str(error))
        below = [each for each in self._all() if _absolute(each.path).startswith(folder)]
        return GlobResult(
            matches=[_info(each) for each in below if matches(_absolute(each.path)[len(folder) :])]
        )

    def grep(
        self,
        pattern: str,
        path: str | None = None,
        glob: str | None = None,
        *,
        max_count: int | None = None,
    ) -> GrepResult:
        files = {_absolute(each.path): _file(self._source(each.path)) for each in self._all()}
        return grep_matches_from_files(files, pattern, path, glob, max_count=max_count)

    # ---- whose they are ----

    def _owner(self, path: str) -> Owner | None:
        return next((owner for prefix, owner in self._owners if path.startswith(prefix)), None)

    def _mine(self, path: str) -> Owner:
        """Returns the path's owner; for a path of none an empty one, which the service refuses."""
        return self._owner(_absolute(path)) or Owner()

    def _source(self, path: str) -> Source:
        name, owner = _absolute(path), self._mine(path)
        try:
            return self.client.get_source(owner=owner, path=name).source
        except NotFound:
            try:
                return self.client.get_source(owner=owner, path=name[1:]).source
            except (NotFound, InvalidArgument):
                pass
            raise

    def _stored(self, path: str) -> str:
        """Returns the name under which the file is stored; of one that is not there the absolute one."""
        try:
            return self._source(path).path
        except NotFound:
            return _absolute(path)

    def _all(self) -> Iterator[Source]:
        """Yields every file, without its text."""
        for prefix, owner in self._owners:
            token = ""
            while True:
                page = self.client.list_sources(owner=owner, page_size=PAGE, page_token=token)
                yield from (
                    source
                    for source in page.sources
                    if _absolute(source.path).startswith(prefix)
                    and self._owner(_absolute(source.path)) == owner
                )
                token = page.next_page_token
                if not token:
                    break


def _parts(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(paths), LOADED_AT_ONCE):
        yield paths[start : start + LOADED_AT_ONCE]


def _said(error: MemoryBankError, path: str) -> str:
    return _missing(path) if isinstance(error, NotFound) else f"Error: {error.message}"


def _missing(path: str) -> str:
    return f"Error: File '{path}' not found"


def _absolute(path: str) -> str:
    return path if path.startswith("/") else f"/{path}"


def _file(source: Source) -> FileData:
    return FileData(
        content=source.text,
        encoding="utf-8",
        created_at=source.create_time.ToJsonString(),
        modified_at=source.update_time.ToJsonString(),
    )


def _info(source: Source) -> FileInfo:
    return FileInfo(
        path=_absolute(source.path),
        is_dir=False,
        size=source.characters,
        modified_at=source.update_time.ToJsonString(),
    )
