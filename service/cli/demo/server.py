"""The real server as a process of its own, over a directory that goes with it, however this one ends."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from service.cli.demo import host
from service.cli.exits import Failure
from service.cli.interrupts import closed_on_signals
from service.config import NESTING, PREFIX

READY = "listening on "
STORE = f"{PREFIX}STORE{NESTING}"  # and the store, if its address is given
STORE_URL = f"{STORE}URL"
MODEL = f"{PREFIX}LLM{NESTING}"  # of the caller's own settings, the demo takes those of a language model
LAST_LINES = 10  # of the log, when the server did not start


@contextmanager
def running_server(given: Mapping[str, str] | None = None) -> Iterator[str]:
    """Runs a server with the packaged settings, the caller's model and store, and `given` variables over all; yields
    its HOST:PORT.

    Raises Failure if it does not start, or not stop cleanly.
    """
    with closed_on_signals(), TemporaryDirectory(prefix="memorybank-demo-") as folder:
        log = Path(folder) / host.LOG
        with _started(Path(folder), given or {}) as server:
            assert server.stdout is not None
            line = server.stdout.readline().strip()
            if not line.startswith(READY):
                raise Failure(f"the server did not start:\n{_tail(log)}")
            try:
                yield line.removeprefix(READY)
            finally:
                server.communicate("the folder is removed here")
                if server.returncode != 0:
                    raise Failure(f"the server did not stop cleanly:\n{_tail(log)}")


def where_kept() -> str:
    """Returns the store that the server will use, in words."""
    return "the database of store.url" if os.environ.get(STORE_URL) else "SQLite in a temporary directory"


def who_thinks() -> str:
    """Returns the agents that the server will use, in words."""
    model = os.environ.get(f"{MODEL}MODEL", "")
    return f"agents on {model}" if model else "offline agents"


def _started(folder: Path, given: Mapping[str, str]) -> subprocess.Popen[str]:
    hosted = [sys.executable, host.__file__, str(folder)]
    serve = [
        sys.executable,
        "-m",
        "service",
        "serve",
        "--until-eof",
        "--listen",
        "127.0.0.1:0",
        "--data",
        str(folder / "data"),
    ]
    # the caller's other settings (an embedder, limits) are not the demo's; Ctrl-C is ours to pass on
    taken = (MODEL, STORE) if os.environ.get(STORE_URL) else (MODEL,)
    environment = {
        name: value
        for name, value in os.environ.items()
        if name.startswith(taken) or not name.startswith(PREFIX)
    }
    return subprocess.Popen(  # noqa: S603  our own program
        [*hosted, *serve],
        env={**environment, **given},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _tail(log: Path) -> str:
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-LAST_LINES:])
