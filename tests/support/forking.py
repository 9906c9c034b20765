"""Servers forked off one process that has imported all that they are made of, which is most of what a start takes.

Law: a process made here is one of its own, killed, stopped and waited for like any other. Only its modules and the
local model were read before: what a test claims of how a program starts, it claims of the program itself
(`server_process`).
"""

import asyncio
import multiprocessing
import os
import runpy
import sys
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import IO

IMPORTED = ["service.cli.serve", "tests.support.hashing_server", "tests.support.prepared"]
"""By the process that others are forked off, when the first of them is: all of the server but what its settings
choose."""

_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(IMPORTED)


class Forked:
    """A process, with as much of `asyncio.subprocess.Process` as tests ask of one."""

    def __init__(self, process: ForkServerProcess, said: IO[str]) -> None:
        self._process = process
        self._said = said

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def next_line(self) -> str:
        """The next line that it prints; empty if it ended."""
        return self._said.readline()

    async def line(self) -> str:
        """The same, while others go on."""
        return await asyncio.to_thread(self.next_line)

    async def rest(self) -> str:
        """All that it prints from here to its end."""
        return await asyncio.to_thread(self._said.read)

    def kill(self) -> None:
        self._process.kill()

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def end(self) -> int:
        """Ask it to stop, and wait; its exit code."""
        self._process.terminate()
        self._process.join()
        self._said.close()
        assert self._process.exitcode is not None
        return self._process.exitcode

    async def wait(self) -> int:
        await asyncio.to_thread(self._process.join)
        assert self._process.exitcode is not None
        return self._process.exitcode

    async def communicate(self) -> None:
        """Wait for its end; nothing more is read of it."""
        await self.wait()
        self._said.close()


def forked(module: str, words: Sequence[str], environment: Mapping[str, str], log: Path) -> Forked:
    """A process that does what `python -m module words` would; what it writes to stderr is appended to `log`."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = _forks.Process(target=_become, args=(module, words, dict(environment), log, there), daemon=True)
    process.start()
    there.close()
    with here:
        return Forked(process, os.fdopen(os.dup(here.fileno())))


def _become(
    module: str, words: Sequence[str], environment: Mapping[str, str], log: Path, said: Connection
) -> None:
    os.dup2(said.fileno(), 1)
    os.dup2(os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT), 2)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [module, *words]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
