"""A scrub of one SQLite file: no byte is left in it, or in its log, of what was deleted before.

Law: others go on reading and writing. They wait for a portion at a time, of HOLD_SECONDS and what the disk takes to
sync. To rewrite the file (VACUUM) would hold up all writes for as long as that takes, minutes for some gigabytes.
Where reads overlap without end, as under load, one of them always reads older pages: the longer that goes on, the
longer writes are held up, so that the reads that there are end, and those that begin read the newest pages.
"""

import sqlite3
import time
from pathlib import Path

from core.errors import StoreUnavailable
from service.adapters.store.sqlite_connection import PATIENCE_SECONDS, OutsideErrors, connected, insist
from service.adapters.store.sqlite_traces import Pages

HOLD_SECONDS = 0.005  # that gaps are emptied before other writes come between
PAUSE = 0.002  # seconds before the next check for readers of old pages
HOLD_SHARE = 0.1  # of the time that readers were waited for: so long writes are held up at the next try


def scrub(path: Path, descriptor: int) -> None:
    """Scrubs the file. Raises StoreUnavailable. `descriptor`: of the same file, see `Descriptors`."""
    holder, log = connected(path), connected(path)
    try:
        with OutsideErrors():
            log.execute("PRAGMA busy_timeout = 0")  # a checkpoint that would wait returns at once
            ((newest,),) = holder.execute("SELECT max(id) FROM unscrubbed").fetchall()
            _into_file(log)
            _clear(Pages(descriptor), holder, log)
            _empty(log)
            insist(holder, "BEGIN IMMEDIATE")
            holder.execute("DELETE FROM unscrubbed WHERE id <= ?", (newest,))
            holder.execute("COMMIT")
    finally:
        holder.close()
        log.close()


def _into_file(log: sqlite3.Connection) -> None:
    """Brings what the log holds now into the file. What is written meanwhile may stay in the log."""
    patience = _Patience()
    _, first, done = _checkpoint(log)
    frames = first
    while done < min(first, frames):  # fewer frames than there were: the log has begun anew
        patience.wait()
        _, frames, done = _checkpoint(log)


def _clear(pages: Pages, holder: sqlite3.Connection, log: sqlite3.Connection) -> None:
    found = list(pages.with_traces())
    patience = _Patience()
    while found:
        _checkpoint(log)  # most of the log, and the last portion: synced before others are kept waiting
        done = _clear_some(pages, found, holder, log, patience.hold)
        if done:
            found, patience = found[done:], _Patience()
        else:
            patience.wait()
    pages.sync()


def _clear_some(
    pages: Pages, found: list[int], holder: sqlite3.Connection, log: sqlite3.Connection, hold: float
) -> int:
    """Empties some gaps while nothing else writes to the file. Returns of how many pages. `hold`: seconds that others
    may be held up for readers of older pages to end."""
    insist(holder, "BEGIN IMMEDIATE")
    try:
        if not _is_in_file(log, time.monotonic() + hold):
            return 0
        cleared = pages.clear(found, time.monotonic() + HOLD_SECONDS)
        # A change, so that no connection goes on with pages as it has read them, gaps and all, and writes those.
        ((version,),) = holder.execute("PRAGMA user_version").fetchall()
        holder.execute(f"PRAGMA user_version = {version}")
        holder.execute("COMMIT")
        return cleared
    finally:
        if holder.in_transaction:
            holder.execute("ROLLBACK")


def _is_in_file(log: sqlite3.Connection, until: float) -> bool:
    """Whether all of the log is in the file by then: no connection reads older pages, or brings newer ones in."""
    while True:
        busy, frames, done = _checkpoint(log)
        if not busy and frames == done:
            return True
        if time.monotonic() > until:
            return False
        time.sleep(PAUSE)


def _empty(log: sqlite3.Connection) -> None:
    patience = _Patience()
    _checkpoint(log)
    while insist(log, "PRAGMA wal_checkpoint(TRUNCATE)")[0][0]:
        patience.wait()
        log.execute(
            f"PRAGMA busy_timeout = {round(patience.hold * 1000)}"
        )  # it waits, and writes wait for it


def _checkpoint(log: sqlite3.Connection) -> tuple[int, int, int]:
    """Brings frames into the file that no reader blocks. Returns whether another checkpoint is at work, how many frames
    the log has, and how many of them are in the file."""
    (row,) = log.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
    return row  # type: ignore[no-any-return]


class _Patience:
    def __init__(self) -> None:
        self._began = time.monotonic()

    @property
    def hold(self) -> float:
        """Returns the seconds that writes may be held up for."""
        return max(HOLD_SECONDS, HOLD_SHARE * (time.monotonic() - self._began))

    def wait(self) -> None:
        if time.monotonic() > self._began + PATIENCE_SECONDS:
            raise StoreUnavailable("deleted, but others keep reading: the log still holds it")
        time.sleep(PAUSE)
