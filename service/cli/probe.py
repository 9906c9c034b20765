"""`memorybank probe`: a canary. A write at one endpoint is seen by the next read that names its revision, at each."""

import json
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial

import click
from rich.table import Table

from memorybank.v1 import types_pb2 as types
from memorybank_client import MemoryBankError, SyncMemoryBankClient
from memorybank_client.values import vector
from service.cli import drawing
from service.cli.errand import DEFAULT_SERVER, JSON, TIMEOUT, access, client_of, ending
from service.cli.exits import Exit, Failure

SPACE = types.EmbeddingSpace(name="probe", dimension=2, source=types.SPACE_SOURCE_CLIENT)
"""Of the caller: a probe measures the service, not its embedder."""
SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What was tried at an endpoint, how long it took, and what went wrong; empty: nothing."""

    endpoint: str
    what: str
    milliseconds: float
    problem: str = ""


@click.command()
@click.argument("endpoints", metavar="[HOST:PORT...]", nargs=-1, envvar="MEMORYBANK_SERVER")
@access
@JSON
@TIMEOUT
def probe(endpoints: tuple[str, ...], as_json: bool, timeout: float | None) -> None:
    """Write at each endpoint and read it back at its revision from every endpoint; print how long each took.

    For a check each minute: what it writes is a bank of its own, which it deletes. Ends with 1 where a write was not
    seen or failed, with 3 where an endpoint does not answer. Name every replica, or the proxy before them.

    \b
    Examples:
      memorybank probe
      memorybank probe 10.0.0.1:7700 10.0.0.2:7700 10.0.0.3:7700 --timeout 2
    """
    named = endpoints or (DEFAULT_SERVER,)
    with ending(as_json), ExitStack() as stack:
        clients = {
            each: stack.enter_context(client_of(SyncMemoryBankClient, each)).within(timeout or SECONDS)
            for each in dict.fromkeys(named)
        }
        steps = list(_steps(clients))
        _tell(steps, as_json)
        failed = [step for step in steps if step.problem]
        if failed:
            raise Failure(
                f"{failed[0].what} at {failed[0].endpoint}: {failed[0].problem}",
                exit_code=Exit.UNREACHABLE if len(failed) == len(steps) else Exit.FAILED,
            )


def _steps(clients: dict[str, SyncMemoryBankClient]) -> Iterator[Step]:
    """Yields what was tried: at each endpoint a write, then its reading at all of them."""
    for writer, client in clients.items():
        bank_id = f"probe-{uuid.uuid4().hex}"
        wrote, revision = _timed(writer, "write", partial(_write, client, bank_id))
        yield wrote
        if wrote.problem:
            continue
        for reader, other in clients.items():
            what = "read" if reader == writer else f"read what {writer} wrote"
            yield _timed(reader, what, partial(_read, other, bank_id, revision))[0]
        yield _timed(writer, "delete", partial(_delete, client, bank_id))[0]


def _timed(endpoint: str, what: str, act: Callable[[], int]) -> tuple[Step, int]:
    """Returns what became of an act, and the revision it came to."""
    start = time.perf_counter()
    problem, revision = "", 0
    try:
        revision = act()
    except MemoryBankError as error:
        problem = str(error)
    taken = (time.perf_counter() - start) * 1_000
    return Step(endpoint=endpoint, what=what, milliseconds=taken, problem=problem), revision


def _write(client: SyncMemoryBankClient, bank_id: str) -> int:
    """Makes a bank with one node; one that is left behind is purged with its task's end."""
    client.create_bank(bank_id=bank_id, embedding_space=SPACE, labels={"probe": "true"})
    added = client.add_node(bank_id=bank_id, node_id="canary", summary="canary", embedding=vector([1.0, 0.0]))
    return added.revision


def _read(client: SyncMemoryBankClient, bank_id: str, revision: int) -> int:
    return client.get_node(bank_id=bank_id, node_id="canary", min_revision=revision).revision


def _delete(client: SyncMemoryBankClient, bank_id: str) -> int:
    client.delete_bank(bank_id=bank_id, allow_missing=True)
    return 0


def _tell(steps: Sequence[Step], as_json: bool) -> None:
    """Prints what was tried, in order."""
    if as_json:
        click.echo(json.dumps({"steps": [asdict(step) for step in steps]}, ensure_ascii=False, indent=2))
        return
    table = Table.grid(padding=(0, 2, 0, 0))
    for step in steps:
        taken = f"{step.milliseconds:.1f} ms"
        table.add_row(step.endpoint, step.what, drawing.words(step.problem or taken))
    drawing.console().print(table)
