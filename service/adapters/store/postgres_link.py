"""Connections to one PostgreSQL: its address, opening one, pools of them, and what their failures mean.

Law: nothing lives in a session, so a pooler may give every transaction another backend. An address, an error and a
log hold no password.
"""

import math
import select
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import psycopg
from psycopg.types.numeric import Int8Dumper
from psycopg.types.string import StrDumper

from core.errors import StoreUnavailable

T = TypeVar("T")

CONNECT_SECONDS = 2  # at the least: libpq knows no less
GRACE_SECONDS = 1.0  # that the server's own timeout has before the client's
IDLE_SECONDS = 60.0  # after which an idle connection is closed by the next one that becomes idle
AGAIN = (
    "40001",
    "40P01",
    "55P03",
)  # lost a race, a deadlock, or waited too long for a lock: the same once more
TIMED_OUT = "57014"


class Lost(Exception):
    """The connection was lost; what was under way may have been done, or not."""


class Again(Exception):
    """The server undid the transaction: the same may succeed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """The database's address, and how to connect. `password` empty: libpq's own ways (a passfile, PGPASSWORD)."""

    url: str
    password: str = ""
    connections: int = 14
    timeout_seconds: float = 10.0
    pipeline: bool = True
    prepared: bool = True

    def connect(self) -> "Link":
        """Raises StoreUnavailable."""
        beside: dict[str, Any] = {"password": self.password} if self.password else {}
        # As patient as with a statement: on a busy machine a healthy server takes seconds to greet.
        patience = max(CONNECT_SECONDS, math.ceil(self.timeout_seconds))
        beside |= {"connect_timeout": patience, "client_encoding": "utf8"}
        try:
            link = Link.connect(
                self.url,
                autocommit=True,
                prepare_threshold=2 if self.prepared else None,
                application_name="memorybank",
                **beside,
            )
        except psycopg.Error as error:
            raise StoreUnavailable(one_line(error)) from None
        link.adapters.register_dumper(int, Int8Dumper)  # one type of every number: one prepared statement
        link.adapters.register_dumper(str, StrDumper)
        link.patience = self.timeout_seconds + GRACE_SECONDS
        return link


class Link(psycopg.Connection[Any]):
    """A connection that waits at most `patience` seconds for the server's next message."""

    patience = 60.0
    rested = 0.0  # when it was last used

    def wait(self, gen: Any, *args: Any, **kwargs: Any) -> Any:
        return super().wait(self._bounded(gen), *args, **kwargs)

    def _bounded(self, gen: Any) -> Generator[Any, Any, Any]:
        until = time.monotonic() + self.patience
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if not ready and time.monotonic() > until:
                    raise psycopg.OperationalError("the server does not answer")
                wanted = gen.send(ready)
        except StopIteration as stopped:
            return stopped.value

    @property
    def is_silent(self) -> bool:
        """Whether the server has sent nothing since its last answer; over an idle connection it sends only its end."""
        looked = select.poll()
        looked.register(self.fileno(), select.POLLIN)
        return not looked.poll(0)

    @property
    def is_usable(self) -> bool:
        return not self.closed and not self.broken


class ConnectionPool:
    """At most `size` connections with a thread each, opened when needed."""

    def __init__(self, name: str, server: Server, size: int) -> None:
        self.threads = ThreadPoolExecutor(size, thread_name_prefix=f"postgres-{name}")
        self._server = server
        self._lock = threading.Lock()
        self._resting: list[Link] = []
        self.busy = 0

    @property
    def count(self) -> int:
        """How many are open."""
        return self.busy + len(self._resting)

    def use(self, act: Callable[[Link], T]) -> T:
        """Runs `act`; to be called in one of the pool's threads. Raises Lost, Again, StoreUnavailable, and what
        else the server reports."""
        link = self._taken() or self._server.connect()
        self._count(1)
        try:
            return act(link)
        except psycopg.Error as error:
            if failure := _meaning(link, error):
                raise failure from error
            raise
        finally:
            self._count(-1)
            self._rest(link)

    def close(self) -> None:
        self.threads.shutdown()
        for link in self._resting:
            link.close()

    def forget(self) -> None:
        """Closes the idle connections: the server was restarted or replaced."""
        with self._lock:
            resting, self._resting = self._resting, []
        for link in resting:
            link.close()

    def _count(self, more: int) -> None:
        with self._lock:
            self.busy += more

    def _taken(self) -> Link | None:
        """Returns an idle one that the server has not closed meanwhile: what is sent over it is not lost."""
        while True:
            with self._lock:
                if not self._resting:
                    return None
                link = self._resting.pop()
            if link.is_silent:
                return link
            link.close()

    def _rest(self, link: Link) -> None:
        if not left_clean(link):
            link.close()
            return
        link.rested = time.monotonic()
        with self._lock:
            self._resting.append(link)
            longest = self._resting[0]
            if longest is link or longest.rested > link.rested - IDLE_SECONDS:
                return
            self._resting.pop(0)
        longest.close()


def left_clean(link: Link) -> bool:
    """Whether no transaction is open; one that is gets rolled back."""
    if not link.is_usable:
        return False
    try:
        if link.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
            link.rollback()  # the driver then forgets what it prepared within
    except psycopg.Error:
        return False
    return link.is_usable


def one_line(error: BaseException) -> str:
    """Returns the driver's message on one line."""
    return " ".join(str(error).split()) or type(error).__name__


def _meaning(link: Link, error: psycopg.Error) -> Exception | None:
    state = error.sqlstate or ""
    if state in AGAIN:
        return Again(one_line(error))
    if state == TIMED_OUT or state.startswith("53") or state == "25006":  # too slow, too full, a standby
        return StoreUnavailable(one_line(error))
    if state == "40003" or state.startswith(("08", "57P", "58", "XX")) or not link.is_usable:
        link.close()
        return Lost(one_line(error))
    if isinstance(error, psycopg.OperationalError) and not state:  # the driver's own: it gave up
        link.close()
        return Lost(one_line(error))
    return None
