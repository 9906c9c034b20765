"""A user's files read as they come: the lines of each are messages of the contract, in protobuf's JSON form.

Law: the shape of a line is checked here (its message, ids, times, sizes), what lines say of one another in core. What
cannot be read is named by its file, its line and its field.
"""

import json
import re
from collections.abc import AsyncIterator, Iterator, Set
from typing import Any

from google.protobuf.json_format import Parse, ParseDict, ParseError
from google.protobuf.message import Message

from core.caller import Caller
from core.errors import ImportInvalid, PermissionDenied
from core.index.giving_way import yield_to_loop
from core.keys import UserKey
from core.usecases.long_term.exchange.export_collection import FilePart
from core.usecases.whole_user.user_lines import (
    Piece,
    Read,
    ReadLine,
)
from memorybank.v1 import long_term_pb2 as pb
from memorybank.v1 import memory_bank_pb2
from service.api.errors.transport import InvalidRequest
from service.api.from_proto.checks import NAME, SENTENCE, checking
from service.api.from_proto.export import Reader as BankReader
from service.api.from_proto.user_lines import LINES, WHOLE, Reader

MOST_BYTES = 1 << 28
"""Of all files of one import: read, they take several times as much."""
LONGEST = 16_000_000  # bytes of a line, or of a file that is no lines: what a message may have
BREATH = 64  # lines after which others get their turn

FILES = re.compile(
    r"user\.json|instructions\.jsonl|(conversations|invocations|banks)/[^/]+\.jsonl"
    r"|collections/\d{1,9}/(collection\.json|memory\.json|reflections/[^/]+\.md|(feedback|tombstones)\.jsonl)"
)
"""The paths of ExportUser."""


class UserReader:
    """Turns the parts of files into lines. Raises ImportInvalid, naming file, line and field."""

    def __init__(self, key: UserKey, caller: Caller) -> None:
        self._key, self._caller = key, caller
        self._path, self._seen = "", set[str]()
        self._rest = bytearray()
        self._line = self._size = 0
        self._bank = BankReader(caller)

    async def pieces(self, files: AsyncIterator[pb.ExportUserResponse]) -> AsyncIterator[Piece]:
        """Yields every line, and every file that is none."""
        async for part in files:
            if part.path != self._path or not self._seen:
                for piece in self._ended():
                    yield piece
                self._begin(part.path)
            self._take(part.content)
            for piece in self._whole_lines() if b"\n" in part.content else ():
                yield piece
                if self._line % BREATH == 0:
                    await yield_to_loop()
        for piece in self._ended():
            yield piece

    def _begin(self, path: str) -> None:
        self._path, self._line = path, 0
        if not FILES.fullmatch(path):
            raise ImportInvalid(0, f"{path[:NAME]!r} is no file of an export")
        if path in self._seen:
            raise ImportInvalid(0, f"{path} comes twice: the parts of a file come one after another")
        self._seen.add(path)
        self._bank = BankReader(self._caller)

    def _take(self, content: bytes) -> None:
        self._size += len(content)
        if self._size > MOST_BYTES:
            raise ImportInvalid(0, f"an import has at most {MOST_BYTES:,} bytes: bring banks by ImportBank")
        self._rest += content
        if len(self._rest) > LONGEST + len(content):
            raise ImportInvalid(self._line + 1, f"{self._path}: a line has at most {LONGEST:,} bytes")

    def _whole_lines(self) -> Iterator[Piece]:
        if not self._path.endswith(".jsonl"):
            return
        *lines, rest = self._rest.split(b"\n")
        self._rest = bytearray(rest)
        for line in lines:
            self._line += 1
            if line.strip():
                yield self._read(bytes(line))

    def _ended(self) -> Iterator[Piece]:
        """Yields what is left of the file that ends."""
        rest, self._rest = bytes(self._rest), bytearray()
        if not rest.strip() and not self._path.endswith(".md"):
            return
        if self._path.endswith((".md", "memory.json")):
            yield FilePart(path=self._path, content=self._text(rest))
            return
        self._line += 1
        yield self._read(rest)

    def _text(self, content: bytes) -> str:
        try:
            return content.decode()
        except UnicodeDecodeError as problem:
            raise ImportInvalid(self._line, f"{self._path}: no UTF-8 at byte {problem.start:,}") from None

    def _read(self, line: bytes) -> ReadLine:
        text = self._text(line)
        is_bank = self._path.startswith("banks/")
        return ReadLine(
            path=self._path, line=self._line, value=self._record(text) if is_bank else self._value(text)
        )

    def _record(self, text: str) -> Read:
        record = self._parsed(text, memory_bank_pb2.ExportRecord())
        if record.HasField("header") and not self._caller.binding.admits_bank(record.header.bank_id):
            raise PermissionDenied(f"{self._path}: the API key is bound to other banks")
        try:
            return self._bank.record(record)
        except ImportInvalid as invalid:
            raise self._wrong(invalid.problem) from None

    def _value(self, text: str) -> Read:
        folder, _, name = self._path.partition("/")
        if self._path.endswith(".json"):
            name = name.rpartition("/")[2] or folder
            kind, read = WHOLE[name]
            return self._checked(name.removesuffix(".json"), read, self._parsed(text, kind()))
        known = LINES[folder]
        name, value = self._field(text, known.keys())
        kind, read = known[name]
        return self._checked(name, read, self._parsed(value, kind()))

    def _field(self, text: str, known: Set[str]) -> tuple[str, dict[str, Any]]:
        """Returns the one field of a line: its name and what it holds."""
        try:
            loaded = json.loads(text)
        except (ValueError, RecursionError) as problem:
            raise self._wrong(f"is no JSON: {problem}"[:SENTENCE]) from None
        fields = list(loaded.items()) if isinstance(loaded, dict) else []
        if len(fields) != 1 or fields[0][0] not in known or not isinstance(fields[0][1], dict):
            raise self._wrong(f"must hold one field, an object: {', '.join(sorted(known))}")
        return fields[0][0], fields[0][1]

    def _parsed(self, given: Any, message: Any) -> Any:
        try:
            return Parse(given, message) if isinstance(given, str) else ParseDict(given, message)
        except (ParseError, ValueError, TypeError, AttributeError, RecursionError) as problem:
            said = (str(problem) or type(problem).__name__).splitlines()[0]
            raise self._wrong(said[:SENTENCE]) from None

    def _checked(self, name: str, read: Reader, message: Message) -> Read:
        try:
            with checking(self._caller, message) as check:
                return read(check, message, self._key)
        except InvalidRequest as invalid:
            worst = invalid.violations[0]
            raise self._wrong(f"{name}.{worst.field} {worst.problem}") from None

    def _wrong(self, problem: str) -> ImportInvalid:
        return ImportInvalid(self._line, f"{self._path}: {problem}")
