"""Commands in the environment of the examples, forked off one process that has imported what they are made of: that is
most of what each takes.

`PYTHON -m tests.support.frameworks MODULE…` imports the modules. Then it reads commands, a line each, and tells how
each ended.
"""

import json
import os
import runpy
import subprocess
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv" / "examples" / "bin" / "python"
IS_THERE = (PYTHON.parents[1] / ".ready").exists()


class Frameworks:
    """Runs commands in the environment of the examples, the model of each its script."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def printed_by(self, *command: str) -> str:
        """What `python COMMAND` prints; it fails the test with what it says."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(command), file=self._process.stdin, flush=True)
        code, out, err = json.loads(self._process.stdout.readline())
        assert code == 0, err
        return str(out)


@contextmanager
def frameworks(*imported: str) -> Iterator[Frameworks]:
    """While this lasts, commands are run beside each other's state: each is a process of its own."""
    environment = {name: value for name, value in os.environ.items() if name != "OPENAI_MODEL"}
    environment["PYTHONPATH"] = ".:protos:clients/python"
    with subprocess.Popen(
        [PYTHON, "-m", "tests.support.frameworks", *imported],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Frameworks(process)


def main(*imported: str) -> None:
    for name in imported:
        import_module(name)
    for line in sys.stdin:
        print(json.dumps(_ended(json.loads(line))), flush=True)


def _ended(command: Sequence[str]) -> tuple[int, str, str]:
    with TemporaryFile() as out, TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            os._exit(_run(command, out.fileno(), err.fileno()))
        _, status = os.waitpid(child, 0)
        out.seek(0)
        err.seek(0)
        return os.waitstatus_to_exitcode(status), out.read().decode(), err.read().decode()


def _run(command: Sequence[str], out: int, err: int) -> int:
    """Its exit code. What it had to do at its very end is left undone."""
    for ours, its in ((os.open(os.devnull, os.O_RDONLY), 0), (out, 1), (err, 2)):
        os.dup2(ours, its)
    way, program, *words = command
    sys.argv = [program if way == "-m" else way, *words]
    try:
        if way == "-m":
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        else:
            exec(program, {"__name__": "__main__"})
    except BaseException:  # noqa: BLE001 - whatever it ends by is told
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


if __name__ == "__main__":
    main(*sys.argv[1:])
