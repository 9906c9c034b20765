"""What a language model answered, kept in a file, and answered again without the model.

Law: a line holds the digest of a question (messages and shape) and the reply; never the question, a key or
an address. Equal questions are answered in the order in which their replies were kept. Questions are
equal to the letter, whichever model they were put to, but for what the clock put into them: moments to
the minute or finer, and the fence mark that is made from all the texts.
"""

import hashlib
import json
import os
import re
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from io import FileIO
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from core.internal_errors import ModelUnavailable
from core.ports.chat import ChatMessage, ChatModel, ChatReply, ReplyShape

MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?")
MARKED = re.compile(
    r"Fence mark: ([0-9a-f]{6,64})\n"
)  # how the agents' messages begin (core.agents.llm.fence)


class RecordUnreadable(Exception):
    """The file cannot be read as a record. The message names it, the line and what is wrong."""


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    question: str
    text: str
    cut_off: bool
    input_tokens: int
    output_tokens: int


def digest(messages: Sequence[ChatMessage], shape: ReplyShape) -> str:
    """Returns the key of a question, in hexadecimal."""
    asked = [[[m.role, _lasting(m.text)] for m in messages], shape.name, shape.schema]
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def _lasting(text: str) -> str:
    """Returns the text as it would be at any other time."""
    if marked := MARKED.match(text):
        text = text.replace(marked[1], "mark")
    return MOMENT.sub("moment", text)


class Recorder:
    """The file replies go to, each as soon as it came. One that is there already is continued.

    It may hold what the model said of stored texts, so that only its owner can read it. Raises OSError.
    """

    def __init__(self, path: Path) -> None:
        self._file = FileIO(path, "a", opener=_private)

    def keep(self, question: str, reply: ChatReply) -> None:
        """Raises ModelUnavailable: a run of which a reply is missing cannot be replayed."""
        line = _Line(
            question=question,
            text=reply.text,
            cut_off=reply.cut_off,
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
        )
        try:
            self._file.write(json.dumps(line.model_dump()).encode() + b"\n")
        except OSError as full:
            raise ModelUnavailable(f"its reply could not be recorded: {full.strerror}") from full

    def close(self) -> None:
        self._file.close()


class RecordingChat:
    """Answers as `inner` does, and has each reply kept. That there was none is not kept."""

    def __init__(self, inner: ChatModel, recorder: Recorder) -> None:
        self._inner = inner
        self._recorder = recorder

    @property
    def window(self) -> int:
        return self._inner.window

    async def reply(self, messages: Sequence[ChatMessage], shape: ReplyShape) -> ChatReply:
        reply = await self._inner.reply(messages, shape)
        self._recorder.keep(digest(messages, shape), reply)
        return reply


class Record:
    """The replies of a file, each given once. All that replay it share one. Raises RecordUnreadable."""

    def __init__(self, path: Path) -> None:
        self._replies: defaultdict[str, deque[ChatReply]] = defaultdict(deque)
        for line in _lines(path):
            reply = ChatReply(
                text=line.text,
                cut_off=line.cut_off,
                input_tokens=line.input_tokens,
                output_tokens=line.output_tokens,
            )
            self._replies[line.question].append(reply)

    def next(self, question: str) -> ChatReply:
        """Returns the reply that is due. Raises ModelUnavailable."""
        if question not in self._replies:
            raise ModelUnavailable(f"the record has no reply to this question ({question[:12]})")
        if not self._replies[question]:
            raise ModelUnavailable(f"the record has no further reply to this question ({question[:12]})")
        return self._replies[question].popleft()


class ReplayedChat:
    """Answers from a record. `window` must be what it was, for the same texts to make the same questions."""

    def __init__(self, record: Record, window: int) -> None:
        self._record = record
        self._window = window

    @property
    def window(self) -> int:
        return self._window

    async def reply(self, messages: Sequence[ChatMessage], shape: ReplyShape) -> ChatReply:
        return self._record.next(digest(messages, shape))


def _lines(path: Path) -> Iterator[_Line]:
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                try:
                    yield _Line.model_validate_json(line)
                except ValidationError:
                    raise RecordUnreadable(f"{path}: line {number} is no recorded reply") from None
    except OSError as missing:
        raise RecordUnreadable(f"{path}: {missing.strerror}") from None
    except UnicodeDecodeError:
        raise RecordUnreadable(f"{path}: not UTF-8") from None


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
