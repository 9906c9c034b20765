"""The audit stream: who changed, took away or was refused what, a line of JSON each, in a file of its own.

Law: names and codes, never what is remembered, and no key. Ids stand there as checked, other names in ASCII, none
longer than 256 characters. A line is written by a thread of its own; where that falls behind, or the file cannot be
written for a while, lines are dropped, and a line says how many.
"""

import json
import os
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from queue import Empty, Full, Queue
from threading import Lock, Thread
from typing import Any

import structlog

from service.config import ConfigurationError

LONGEST = 256
MOST_WAITING = 10_000  # lines
FLUSH_SECONDS = 1.0  # between two looks at denials, which are told together

log: structlog.stdlib.BoundLogger = structlog.get_logger("memorybank.audit")

Line = dict[str, Any]
Denial = tuple[tuple[str, str], ...]


class Audit:
    """Writes lines to a file that its owner alone can read. Raises ConfigurationError where it cannot be opened."""

    def __init__(self, file: Path) -> None:
        try:
            self._opened = open_private(file)
        except OSError as refused:
            raise ConfigurationError(f"cannot write audit.file {file}: {refused.strerror}") from None
        self._waiting: Queue[Line | None] = Queue(MOST_WAITING)
        self._denials: Counter[Denial] = Counter()
        self._dropped = 0
        self._fails = False  # whether the last line could not be written
        self._lock = Lock()
        self._thread = Thread(target=self._write, name="audit", daemon=True)
        self._thread.start()

    def tell(self, event: str, **named: str) -> None:
        """Writes a line. Never waits."""
        try:
            self._waiting.put_nowait(line(event, **named))
        except Full:
            with self._lock:
                self._dropped += 1

    def deny(self, **named: str) -> None:
        """Counts a refusal; those that are alike are told together, each second."""
        with self._lock:
            self._denials[tuple(sorted(named.items()))] += 1

    def close(self) -> None:
        """Writes what waits, and closes the file."""
        self._waiting.put(None)
        self._thread.join()
        os.close(self._opened)

    def _write(self) -> None:
        while True:
            try:
                each = self._waiting.get(timeout=FLUSH_SECONDS)
            except Empty:
                self._write_counts()
                continue
            if each is None:
                self._write_counts()
                return
            self._put(each, 1)
            if self._waiting.empty():
                self._write_counts()

    def _write_counts(self) -> None:
        with self._lock:
            denials, self._denials = self._denials, Counter()
            dropped, self._dropped = self._dropped, 0
        for named, count in denials.items():
            self._put({**line("denied", **dict(named)), "count": count}, 1)
        if dropped:
            self._put({**line("dropped"), "count": dropped}, dropped)

    def _put(self, each: Line, stands_for: int) -> None:
        """Writes a line. One that cannot be written, as where the disk is full, counts as so many dropped."""
        try:
            write(self._opened, each)
        except OSError as failure:
            if not self._fails:
                log.error("audit not written", error=failure.strerror)
            self._fails = True
            with self._lock:
                self._dropped += stands_for
        else:
            self._fails = False


def line(event: str, **named: str) -> Line:
    """Returns a line of now; what is empty is left out."""
    time = datetime.now(UTC).isoformat(timespec="milliseconds")
    told = {name: value[:LONGEST] for name, value in named.items() if value}
    return {"time": time, "event": event, **told}


def write(opened: int, each: Line) -> None:
    os.write(opened, f"{json.dumps(each, ensure_ascii=True)}\n".encode("ascii"))


def open_private(file: Path) -> int:
    return os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)


def tell_once(file: Path | None, event: str, **named: str) -> None:
    """Writes one line, for a command that is done with it; nothing where there is no audit. Raises OSError."""
    if file is None:
        return
    opened = open_private(file)
    try:
        write(opened, line(event, **named))
    finally:
        os.close(opened)
