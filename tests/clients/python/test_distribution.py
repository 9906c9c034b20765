"""The client as a distribution of its own: built from this checkout, and used where nothing of the server is."""

import os
import shutil
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tests.support.process import running_server

ROOT = Path(__file__).parents[3]
NEEDED = ("grpcio", "protobuf", "googleapis-common-protos", "typing-extensions")
"""What the client's distribution asks for, with what that needs in turn."""

PROGRAM = """
import sys
from memorybank_client import SyncMemoryBankClient

with SyncMemoryBankClient(sys.argv[1]) as client:
    client.create_bank(bank_id="trip")
    client.memorize(bank_id="trip", text="The ferry to Naxos leaves at nine.")
    print(client.search(bank_id="trip", text="when does the ferry leave?").hits[0].node.summary)
print(sorted({"core", "service", "igraph", "numpy"} & set(sys.modules)))
"""


@pytest.mark.slow
def test_the_client_installs_and_works_without_the_server(tmp_path: Path) -> None:
    bare = _installed(_built(tmp_path), tmp_path)

    with running_server() as server:
        done = subprocess.run(
            [sys.executable, "-S", "-c", PROGRAM, server],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(bare)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    assert done.stderr == ""
    assert done.stdout == "The ferry to Naxos leaves at nine.\n[]\n"
    assert {"memorybank/py.typed", "memorybank_client/py.typed", "memorybank/v1/retrieval.proto"} <= {
        str(path.relative_to(bare)) for path in bare.rglob("*") if path.is_file()
    }


def _built(tmp_path: Path) -> Path:
    """A wheel of the client, made in a copy: building leaves folders behind."""
    for folder in ("clients/python", "protos"):
        shutil.copytree(ROOT / folder, tmp_path / "checkout" / folder)
    wheels = tmp_path / "wheels"
    _pip(
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        f"--wheel-dir={wheels}",
        str(tmp_path / "checkout/clients/python"),
    )
    (wheel,) = wheels.glob("agentic_memory_bank_client-*-py3-none-any.whl")
    return wheel


def _installed(wheel: Path, tmp_path: Path) -> Path:
    """A folder that holds the client and what it asks for, and nothing else."""
    bare = tmp_path / "bare"
    _pip("install", "--no-deps", f"--target={bare}", str(wheel))
    for name in NEEDED:
        for file in distribution(name).files or ():
            if ".." not in file.parts:
                copy = bare / file
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file.locate(), copy)
    return bare


def _pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
