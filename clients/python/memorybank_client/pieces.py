"""What follows the header of a streamed request, cut to the size that the contract allows: 1 MiB a message.

Nothing is held beyond one piece; what comes in small pieces by itself goes out as it comes. A function has the name of
its verb.
"""

from collections.abc import AsyncIterable, Iterable, Iterator
from typing import Any, Protocol, runtime_checkable

from memorybank.v1.long_term_pb2 import (
    ExportCollectionResponse,
    ExportUserResponse,
    ImportCollectionRequest,
    ImportUserRequest,
)
from memorybank.v1.memory_bank_pb2 import (
    ExportRecord,
    ImportBankRequest,
    MemorizeStreamRequest,
    UploadAttachmentRequest,
)

BYTES = 1024 * 1024
CHARACTERS = BYTES // 4
"""So many code points take at most 1 MiB of UTF-8."""

Content = bytes | bytearray | memoryview


@runtime_checkable
class Readable(Protocol):
    """An open file. Its lines would make a message each, so it is read in larger pieces."""

    def read(self, size: int, /) -> Any: ...


def memorize_stream(text: str) -> Iterator[MemorizeStreamRequest]:
    if not isinstance(text, str | bytes):
        raise TypeError(f"a piece of a text is a str, not {_shown(text)}")
    for start in range(0, len(text), CHARACTERS):
        yield MemorizeStreamRequest(text=text[start : start + CHARACTERS])


def upload_attachment(content: Content) -> Iterator[UploadAttachmentRequest]:
    if not isinstance(content, Content):
        raise TypeError(f"a piece of a file is bytes, not {_shown(content)}: open files with 'rb'")
    for start in range(0, len(content), BYTES):
        yield UploadAttachmentRequest(chunk=bytes(content[start : start + BYTES]))


def import_bank(record: ExportRecord) -> Iterator[ImportBankRequest]:
    yield ImportBankRequest(record=record)


def import_collection(part: ExportCollectionResponse) -> Iterator[ImportCollectionRequest]:
    yield ImportCollectionRequest(file=part)


def import_user(part: ExportUserResponse) -> Iterator[ImportUserRequest]:
    yield ImportUserRequest(file=part)


def parts_of(source: Any) -> Iterable[Any] | AsyncIterable[Any]:
    """Returns the parts of a whole text or file, of an open file, or as they are. Raises TypeError."""
    if isinstance(source, str | Content):
        return (source,)
    if isinstance(source, Readable):
        return _read(source)
    if not isinstance(source, Iterable | AsyncIterable):
        raise TypeError(f"what is streamed is whole, in pieces, or an open file, and not {_shown(source)}")
    return source


def _read(file: Readable) -> Iterator[Any]:
    while piece := file.read(CHARACTERS):
        yield piece


def _shown(value: object) -> str:
    return f"{repr(value)[:40]}, a {type(value).__name__}"
