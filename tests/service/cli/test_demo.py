"""The demo, as `make demo` runs it."""

import json
import os
import resource
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from service.cli.demo import host
from tests.support.chat_endpoint import serving
from tests.support.chat_rule import sensible
from tests.support.scale import scaled

BOUND = 60.0  # seconds of a processor that the demo may take
IN_SOAK = pytest.mark.skipif(scaled(1) == 1, reason="in soak: it ends as a demo that is terminated does")


@pytest.mark.slow
def test_the_demo_does_what_it_shows_and_leaves_nothing(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "TMPDIR": str(tmp_path),
        "MEMORYBANK_EMBEDDER__KIND": "openai",
    }  # not the demo's
    before = spent_by_children()

    ended = subprocess.run(
        [sys.executable, "-m", "service", "demo", "--json", "--check", "examples/expect.yaml"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = spent_by_children() - before

    told = json.loads(ended.stdout)
    assert ended.returncode == 0, ended.stderr
    assert told["ok"]
    assert len(told["claims"]) >= 10
    assert all(told["claims"].values())
    assert list(tmp_path.iterdir()) == []
    print(f"demo: {seconds:.1f} s, {len(told['claims'])} claims")
    assert seconds < BOUND


def spent_by_children() -> float:
    """Processor seconds of the processes that ended: however busy the machine is, a program takes as many."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.slow  # the server starts
@pytest.mark.parametrize(
    ("number", "code"),
    [
        pytest.param(signal.SIGTERM, 143, id="terminated"),
        pytest.param(signal.SIGINT, 130, id="interrupted", marks=IN_SOAK),
        pytest.param(signal.SIGKILL, -9, id="killed"),
    ],
)
def test_a_demo_that_is_ended_midway_leaves_no_folder_and_no_server(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "service", "demo"],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as demo:
        assert demo.stdout is not None
        address = demo.stdout.readline().split()[3].rstrip(":")

        demo.send_signal(number)
        demo.communicate(timeout=300)  # standard error ends with the last process that has it

    assert demo.returncode == code
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(address.partition(":")[2])))


@pytest.mark.slow  # the server starts
def test_a_server_whose_host_is_killed_ends(tmp_path: Path) -> None:
    serve = ["-m", "service", "serve", "--until-eof", "--listen", "127.0.0.1:0", "--data", str(tmp_path)]
    with subprocess.Popen(
        [sys.executable, host.__file__, str(tmp_path), sys.executable, *serve],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as hosting:
        assert hosting.stdout is not None
        ready = hosting.stdout.readline()

        hosting.kill()
        hosting.stdout.read()  # ends with the server, which alone has it

    assert ready.startswith("listening on ")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(ready.rpartition(":")[2])))


@pytest.mark.slow
def test_the_demo_runs_on_the_callers_model_and_says_what_did_not_come_out() -> None:
    with serving(sensible) as endpoint:
        ended = subprocess.run(
            [sys.executable, "-m", "service", "demo"],
            env={
                **os.environ,
                "MEMORYBANK_LLM__BASE_URL": endpoint.url,
                "MEMORYBANK_LLM__API_KEY": "k",
                "MEMORYBANK_LLM__MODEL": "dull",
            },
            capture_output=True,
            text=True,
            check=False,
        )

    assert "agents on dull" in " ".join(ended.stdout.split())
    assert {body["model"] for body in endpoint.requests} == {"dull"}
    assert ended.returncode == 1  # it finds no contradiction
    assert ended.stderr.startswith("memorybank: the demo did not come out as it should: ")
