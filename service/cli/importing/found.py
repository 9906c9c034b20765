"""What a file of another system holds, in this system's terms."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,99}", re.ASCII)
LONGEST_TEXT = 65_536
LONGEST_SAYING = 100_000


class FileDamaged(Exception):
    """A file that cannot be read: `field` is the path of what is wrong, `line` the one on which its item begins."""

    def __init__(self, field: str, problem: str, *, line: int | None = None) -> None:
        super().__init__(problem)
        self.field = field
        self.problem = problem
        self.line = line


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A statement about a user. `user` is empty where the file does not say whose it is."""

    id: str
    text: str
    user: str = ""
    time: datetime | None = None
    update_time: datetime | None = None
    valid_until: datetime | None = None
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """One message of a conversation."""

    id: str
    is_reply: bool
    text: str
    time: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """A conversation, its messages in order."""

    id: str
    sayings: tuple[Saying, ...]
    title: str = ""
    user: str = ""


@dataclass(kw_only=True)
class FileContents:
    """All that a file holds; `left_out` says what of it has no place here, and how often."""

    facts: list[Fact] = field(default_factory=list)
    talks: list[Talk] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)

    def leave_out(self, what: str, times: int = 1) -> None:
        if times:
            self.left_out[what] = self.left_out.get(what, 0) + times


def id_of(source: str, there: str) -> str:
    """Returns the id here of what had an id there, or of a text that had none."""
    if ID.fullmatch(there):
        return f"{source}-{there}"
    return f"{source}-{hashlib.sha256(there.encode()).hexdigest()[:32]}"


def pieces(text: str) -> Iterator[str]:
    """Yields a text in pieces that a turn can hold."""
    for start in range(0, len(text), LONGEST_SAYING):
        yield text[start : start + LONGEST_SAYING]
