"""What `memorybank serve` says of a database that it cannot start on: one line, the way out, and never a password."""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.postgres import cluster, empty_database
from tests.support.process import CHECKOUT

SECRET = "secret-word"


def refusing(folder: Path, url: str) -> "subprocess.Popen[str]":
    given = {
        "MEMORYBANK_STORE__URL": url,
        "MEMORYBANK_STORE__PASSWORD": SECRET,
        "PYTHONPATH": os.pathsep.join((".", "protos", "clients/python")),
    }
    command = [sys.executable, "-m", "service", "serve", "--listen", "127.0.0.1:0", "--data", str(folder)]
    return subprocess.Popen(
        command,
        cwd=CHECKOUT,
        env={**os.environ, **given},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_database_that_cannot_be_had_ends_the_start_in_one_line_without_the_password(
    tmp_path: Path,
) -> None:
    here = cluster().over_tcp(empty_database()).url
    problems = {
        here: "password authentication failed",
        here.replace("127.0.0.1", "no-such-host.invalid"): "no-such-host.invalid",
    }
    starting = {url: refusing(tmp_path, url) for url in problems}

    for url, process in starting.items():
        out, err = process.communicate(timeout=60)

        assert (process.returncode, out) == (1, "")
        *_, last = err.splitlines()
        assert last.startswith("memorybank: ")
        assert problems[url] in last
        assert "Traceback" not in err
        assert SECRET not in err
