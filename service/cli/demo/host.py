"""Hosts a server for a program that may be killed: `python host.py FOLDER COMMAND...`.

Law: standard library alone, and a process of its own, which outlives the program. It sees the program's end as the
end of its standard input: it stops the server then, and removes the folder, unless the program has said that it does so
itself.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

LOG = "log"
PATIENCE = 30.0  # seconds for a clean stop


def main(folder: str, command: Sequence[str]) -> int:
    """Runs the command until standard input ends, its log in the folder; returns its exit code. What came in by then
    says that the folder is still in use."""
    with Path(folder, LOG).open("wb") as log:
        # Its standard input ends with this process, should that be killed, too.
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=log)  # noqa: S603  our own program
    os.close(sys.stdout.fileno())  # the server's alone from now on: a reader sees when it ends
    said = sys.stdin.buffer.read()
    server.terminate()
    try:
        code = server.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        server.kill()
        code = server.wait()
    if not said:
        shutil.rmtree(folder, ignore_errors=True)
    return abs(code)


if __name__ == "__main__":
    code = main(sys.argv[1], sys.argv[2:])
    os._exit(code)  # standard output is closed: the interpreter would complain
