"""Installs the wheels of a folder as a user would who has Python and no compiler, and uses what they hold.

    python -m tools.try_wheels [dist]

The server's wheel goes into an environment of its own and serves there; the client's goes into another and calls it.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

CALLS = """
import sys
from memorybank_client import SyncMemoryBankClient

with SyncMemoryBankClient(sys.argv[1]) as client:
    client.create_bank(bank_id="trip")
    client.memorize(bank_id="trip", text="The ferry to Naxos leaves at nine.")
    print(client.search(bank_id="trip", text="when does the ferry leave?").hits[0].node.summary)
"""
ANSWER = "The ferry to Naxos leaves at nine."


def main(arguments: list[str]) -> int:
    """Returns 1 if the client's answer is not what it had stored."""
    folder = Path(arguments[0] if arguments else "dist")
    with TemporaryDirectory() as name:
        server = _installed(folder, "agentic_memory_bank-*.whl", Path(name) / "server")
        client = _installed(folder, "agentic_memory_bank_client-*.whl", Path(name) / "client")
        started = time.monotonic()
        with _serving(server, Path(name) / "data") as target:
            called = [str(client / "python"), "-c", CALLS, target]
            answer: str = subprocess.run(
                called, env={}, capture_output=True, text=True, check=True
            ).stdout.strip()
            print(f"from its start to the first answer: {time.monotonic() - started:.1f} s ({answer!r})")
    return answer != ANSWER


def _installed(folder: Path, pattern: str, environment: Path) -> Path:
    """Installs the newest such wheel into a new environment, building nothing; returns its folder of programs."""
    wheel = max(folder.glob(pattern), key=lambda path: path.stat().st_mtime)
    started = time.monotonic()
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    pip = [str(environment / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
    # Without PYTHONPATH, by which pip would find the checkout and take it for the wheel's distribution.
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([*pip, str(wheel)], env={**clean, "CC": "false", "CXX": "false"}, check=True)
    print(
        f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, installed in {time.monotonic() - started:.0f} s"
    )
    return environment / "bin"


@contextmanager
def _serving(programs: Path, data: Path) -> Iterator[str]:
    """Serves on a free port; yields the target."""
    command = [str(programs / "memorybank"), "serve", "--listen", "127.0.0.1:0", "--data", str(data)]
    with subprocess.Popen(
        command, env={}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().removeprefix("listening on ").strip()
        finally:
            server.terminate()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
