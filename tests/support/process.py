"""The real server in a process of its own: started, killed, started again over the same data.

Law: a process started here ends with its context. What it logs is kept beside its data, for whoever
looks into a failure.
"""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

import numpy as np

from memorybank.v1.types_pb2 import SPACE_SOURCE_CLIENT, EmbeddingSpace, Vector
from memorybank_client import MemoryBankClient
from service.cli.demo import server as demo
from tests.support.forking import Forked, forked
from tests.support.scale import scaled

CHECKOUT = Path(__file__).parents[2]
LOOPBACK = "127.0.0.1:0"
DIMENSION = 8
CLIENT_SPACE = EmbeddingSpace(name="of-the-test", dimension=DIMENSION, source=SPACE_SOURCE_CLIENT)

Settings = dict[str, str]
"""Settings by their name in the configuration (`banks.upkeep_seconds`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A process that has said that it listens."""

    address: str
    process: asyncio.subprocess.Process | Forked

    @property
    def pid(self) -> int:
        return self.process.pid

    async def kill(self) -> None:
        """End it at once, as a power cut would; nothing of it runs when this returns."""
        self.process.kill()
        await self.process.wait()

    async def stop(self) -> int:
        """Ask it to stop, and wait; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return await self.process.wait()

    def client(self, *, retries: bool = True) -> MemoryBankClient:
        """A client that gives a call three minutes. Without `retries` it tells of every failure at once."""
        options = () if retries else (("grpc.enable_retries", 0),)
        return MemoryBankClient(self.address, options=options).within(180)


@asynccontextmanager
async def server_process(
    folder: Path,
    settings: Settings | None = None,
    before: Sequence[str] = (),
    program: Sequence[str] = ("-m", "service"),
    listen: str = LOOPBACK,
) -> AsyncIterator[Server]:
    """`memorybank serve` over a folder; `before` is a command that runs it (a tracer, say)."""
    with _log(folder) as log:
        process = await asyncio.create_subprocess_exec(
            *before,
            *(sys.executable, *program, *_serve(listen, folder)),
            cwd=CHECKOUT,
            env=_environment(settings or {}),
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
        )
    assert process.stdout is not None
    async with _ending(process, folder):
        yield _server((await process.stdout.readline()).decode(), process, folder)


def served_process(
    folder: Path, settings: Settings | None = None, listen: str = LOOPBACK, module: str = "service"
) -> AbstractAsyncContextManager[Server]:
    """A server for tests that claim nothing of how the program starts: forked, but at soak's size the program."""
    if scaled(1) > 1:
        return server_process(folder, settings, listen=listen)
    return forked_process(module, folder, settings, listen)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """How a start ended that was refused."""

    code: int
    out: str
    err: str


async def refused_start(folder: Path, *words: str, settings: Settings | None = None) -> Refused:
    """How `memorybank serve …` ends that is not to start: forked, but at soak's size the program."""
    environment = _environment(settings or {})
    if scaled(1) > 1:
        program = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "service", "serve", *words),
            cwd=CHECKOUT,
            env=environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await program.communicate()
        assert program.returncode is not None
        return Refused(code=program.returncode, out=out.decode(), err=err.decode())
    _log(folder).close()
    process = forked("service", ["serve", *words], environment, folder / "log")
    said = await process.rest()
    await process.communicate()
    assert process.returncode is not None
    return Refused(code=process.returncode, out=said, err=(folder / "log").read_text())


modelless_process = partial(served_process, module="tests.support.hashing_server")
"""A server for tests that claim nothing of how texts are embedded either."""


def slow_process(
    folder: Path, seconds: float, settings: Settings | None = None
) -> AbstractAsyncContextManager[Server]:
    """A server whose Structurer takes so long once: forked, but at soak's size a program."""
    module, words = "tests.support.slow_server", [str(seconds)]
    if scaled(1) > 1:
        return server_process(folder, settings, program=("-m", module, *words))
    return forked_process(module, folder, settings, words=words)


@asynccontextmanager
async def forked_process(
    module: str,
    folder: Path,
    settings: Settings | None = None,
    listen: str = LOOPBACK,
    words: Sequence[str] = (),
) -> AsyncIterator[Server]:
    """A server whose start takes next to nothing: `python -m MODULE WORDS serve …`, forked off a process that imported
    it."""
    _log(folder).close()
    command = [*words, *_serve(listen, folder)]
    process = forked(module, command, _environment(settings or {}), folder / "log")
    async with _ending(process, folder):
        yield _server(await process.line(), process, folder)


@contextmanager
def running_server() -> Iterator[str]:
    """The address of a server over a folder that goes with it, forked like `served_process`."""
    if scaled(1) > 1:
        with demo.running_server() as address:
            yield address
        return
    with TemporaryDirectory(prefix="memorybank-server-") as name:
        folder = Path(name)
        process = forked("service", _serve(LOOPBACK, folder / "data"), _environment({}), folder / "log")
        try:
            yield _server(process.next_line(), process, folder).address
        finally:
            assert process.end() == 0, (folder / "log").read_text(errors="replace")


@asynccontextmanager
async def model_process(rule: str = "tests.support.chat_rule:sensible") -> AsyncIterator[str]:
    """The address of a language model's endpoint in a process of its own, which answers by the rule."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.support.chat_endpoint", "--rule", rule),
        cwd=CHECKOUT,
        env=_environment({}),
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        said = (await process.stdout.readline()).decode().strip()
        assert said.startswith("listening on "), "the endpoint is not ready"
        yield said.removeprefix("listening on ")
    finally:
        process.terminate()
        await process.communicate()


def free_port() -> int:
    """A port of this machine that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def vector(seed: int) -> Vector:
    """A vector of CLIENT_SPACE, another one for each seed."""
    return Vector(f32=np.random.default_rng(seed).normal(size=DIMENSION).astype("<f4").tobytes())


def _serve(listen: str, folder: Path) -> list[str]:
    return ["serve", "--listen", listen, "--data", str(folder)]


def _server(said: str, process: asyncio.subprocess.Process | Forked, folder: Path) -> Server:
    assert said.startswith("listening on "), f"not ready; see {folder / 'log'}"
    return Server(address=said.removeprefix("listening on ").strip(), process=process)


@asynccontextmanager
async def _ending(process: asyncio.subprocess.Process | Forked, folder: Path) -> AsyncIterator[None]:
    try:
        yield
    except BaseException:
        _tell_defects(folder)
        raise
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


def _log(folder: Path) -> BinaryIO:
    folder.mkdir(parents=True, exist_ok=True)
    return (folder / "log").open("ab")


def _tell_defects(folder: Path) -> None:
    """What the server's log says of them, as the folder may go, and the log with it."""
    for line in (folder / "log").read_text(errors="replace").splitlines():
        if '"event": "defect"' in line:
            print(line, file=sys.stderr)


def _environment(settings: Settings) -> dict[str, str]:
    """This process's environment without its own settings, and with these."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("MEMORYBANK_")}
    own["PYTHONPATH"] = os.pathsep.join((".", "protos", "clients/python"))
    given = {f"MEMORYBANK_{name.replace('.', '__').upper()}": value for name, value in settings.items()}
    return own | given
