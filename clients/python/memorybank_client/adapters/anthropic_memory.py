"""Anthropic's memory tool (`memory_20250818`) over instruction documents: what Claude writes under /memories.

    memory = MemoryBankMemoryTool(client, Owner(user="ada"))
    client.beta.messages.run_tools(model=..., messages=..., tools=[memory]).until_done()

A file is a document of the owner, with every version of it; a passage is replaced where it stands exactly once. What
is wrong comes back to the model as the words of a tool's error.

`pip install anthropic` brings what this module imports: 0.84.0 and 2.12.0 were tried.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError

from memorybank.v1.instructions_pb2 import Owner, Source
from memorybank_client.client import SyncMemoryBankClient
from memorybank_client.errors import (
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    ResourceExhausted,
    StaleRevision,
)

ROOT = "/memories"
PAGE = 1_000
WIDTH = 6  # characters of a line's number


class MemoryBankMemoryTool(BetaAbstractMemoryTool):  # type: ignore[misc]  # typed where the SDK is installed
    """The files of one owner. `update_by` is noted at every version that the model makes."""

    def __init__(self, client: SyncMemoryBankClient, owner: Owner, *, update_by: str = "claude") -> None:
        super().__init__()
        self._client = client
        self._owner = owner
        self._update_by = update_by

    def view(self, command: Any) -> str:
        path = _path(command.path)
        below = list(self._below(path))
        if path == ROOT or (below and below[0].path != path):
            sizes = "\n".join(f"{source.characters}\t{source.path}" for source in below)
            return f"Files below {path}, with their characters:\n{sizes}".rstrip()
        lines = self._source(path).text.split("\n")
        first, last = _range(command.view_range, len(lines))
        return f"{path} with line numbers:\n{_numbered(lines, first, last)}"

    def create(self, command: Any) -> str:
        self._put(command.path, command.file_text, if_version=0, taken=f"{command.path} exists already")
        return f"Created {command.path}"

    def str_replace(self, command: Any) -> str:
        source = self._source(_path(command.path))
        count = source.text.count(command.old_str) if command.old_str else 0
        if count != 1:
            raise ToolError(f"Nothing was replaced: old_str appears {count} times in {command.path}")
        text = source.text.replace(command.old_str, command.new_str or "")
        self._put(command.path, text, if_version=source.version)
        lines, line = text.split("\n"), source.text[: source.text.index(command.old_str)].count("\n") + 1
        return f"Edited {command.path}:\n{_numbered(lines, max(1, line - 2), line + 2)}"

    def insert(self, command: Any) -> str:
        source = self._source(_path(command.path))
        lines = source.text.split("\n")
        if not 0 <= command.insert_line <= len(lines):
            raise ToolError(f"insert_line is 0 to {len(lines)}, not {command.insert_line}")
        lines[command.insert_line : command.insert_line] = command.insert_text.removesuffix("\n").split("\n")
        self._put(command.path, "\n".join(lines), if_version=source.version)
        return f"Edited {command.path}"

    def delete(self, command: Any) -> str:
        path = _path(command.path)
        gone = list(self._below(path))
        if path == ROOT or not gone:
            raise ToolError(f"{path} cannot be deleted" if path == ROOT else f"{path} does not exist")
        for source in gone:
            self._client.delete_source(owner=self._owner, path=source.path)
        return f"Deleted {path}"

    def rename(self, command: Any) -> str:
        """Writes the files under their new names, and then deletes the old ones."""
        old, new = _path(command.old_path), _path(command.new_path)
        moved = list(self._below(old))
        if old == ROOT or not moved:
            raise ToolError(f"{old} does not exist")
        if any(self._below(new)):
            raise ToolError(f"{new} exists already")
        for source in moved:
            text = self._source(source.path).text
            self._put(new + source.path.removeprefix(old), text, if_version=0, taken=f"{new} exists already")
        for source in moved:
            self._client.delete_source(owner=self._owner, path=source.path)
        return f"Renamed {old} to {new}"

    def clear_all_memory(self) -> str:
        for source in self._below(ROOT):
            self._client.delete_source(owner=self._owner, path=source.path)
        return "All memory is cleared"

    # ---- documents ----

    def _source(self, path: str) -> Source:
        try:
            return self._client.get_source(owner=self._owner, path=path).source
        except NotFound:
            raise ToolError(f"{path} does not exist") from None

    def _below(self, path: str) -> Iterator[Source]:
        """Yields the file of that name and all files below it, without their texts."""
        token = ""
        while True:
            page = self._client.list_sources(
                owner=self._owner, path_prefix=path, page_size=PAGE, page_token=token
            )
            yield from (s for s in page.sources if s.path == path or s.path.startswith(f"{path}/"))
            token = page.next_page_token
            if not token:
                return

    def _put(self, path: str, text: str, *, if_version: int, taken: str = "") -> None:
        try:
            self._client.put_source(
                owner=self._owner,
                path=_path(path),
                text=text,
                if_version=if_version,
                update_by=self._update_by,
            )
        except StaleRevision:
            raise ToolError(taken or f"{path} was changed meanwhile: view it again") from None
        except (FailedPrecondition, InvalidArgument, ResourceExhausted) as error:
            raise ToolError(error.message) from error


def _path(given: str) -> str:
    path = given.rstrip("/") or "/"
    if path != ROOT and not path.startswith(f"{ROOT}/") or ".." in path.split("/"):
        raise ToolError(f"a path is below {ROOT}, not {given}")
    return path


def _range(asked: Sequence[int] | None, lines: int) -> tuple[int, int]:
    if not asked:
        return 1, lines
    first, last = asked
    return max(1, first), lines if last == -1 else last


def _numbered(lines: Sequence[str], first: int, last: int) -> str:
    shown = enumerate(lines[first - 1 : last], start=first)
    return "\n".join(f"{number:>{WIDTH}}\t{line}" for number, line in shown)
