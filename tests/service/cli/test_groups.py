"""What a command costs before it does anything."""

import subprocess
import sys
from pathlib import Path

from service.process.collector import MANY
from tests.support.process import CHECKOUT

COLLECTIONS = """
import gc, os, sys

os.environ["MEMORYBANK_EMBEDDER__KIND"] = "light"  # nothing is loaded before the loop
in_sight = []
gc.callbacks.append(lambda phase, _: in_sight.append(len(gc.get_objects())) if phase == "start" else None)

import uvloop

def begin(serving):
    serving.close()
    print(max(in_sight, default=0), gc.isenabled())

uvloop.run = begin
from service.cli import main
main(["serve", "--listen", "127.0.0.1:0", "--data", sys.argv[1]], standalone_mode=False)
"""
"""Starts a server up to its loop; prints how much a collection traversed at the most, and whether they go on."""


def test_no_collection_traverses_what_a_command_imports(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-c", COLLECTIONS, str(tmp_path)],
        check=True,
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
    ).stdout

    most, goes_on = told.split()
    assert int(most) < 2 * MANY  # the command line's own; all that is imported is six times as many
    assert goes_on == "True"
