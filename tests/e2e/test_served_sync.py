"""System calls of the real server: an answer leaves it only when what it acknowledges has been synced to the disk."""

import re
import shutil
from pathlib import Path

import psutil
import pytest

from memorybank.v1.types_pb2 import WAIT_STORED
from service.assembly.stores import DATABASE
from tests.support.process import CLIENT_SPACE, server_process, vector

BANK = "traced"
WRITES = 10

CALL = re.compile(
    r"^(?P<thread>\d+)\s+(?:<\.\.\. (?P<resumed>\w+) resumed>|(?P<name>\w+)\((?P<arguments>.*))"
)
LOG = f"{DATABASE}-wal>"
SOCKET = re.compile(r"\d+<(socket|TCP)")


async def traced(folder: Path) -> list[str]:
    """The lines of strace for a server that is asked for one write after another, each with a mark of its own."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    trace, calls = folder / "trace", "trace=fsync,fdatasync,pwrite64,sendmsg,sendto,write,writev"
    strace = ["strace", "-f", "-y", "-s", "20000", "-e", calls, "-o", str(trace)]
    async with server_process(folder / "bank", before=strace) as server, server.client() as client:
        await client.create_bank(bank_id=BANK, embedding_space=CLIENT_SPACE)
        await client.create_bank(bank_id=f"{BANK}-too")
        for number in range(WRITES):
            mark = f"mark-{number}."
            await client.add_node(bank_id=BANK, node_id=f"{mark}n", summary="s", embedding=vector(number))
            await client.memorize(
                bank_id=f"{BANK}-too", text="Noted.", interaction_id=f"{mark}i", wait=WAIT_STORED
            )
        (traced_one,) = psutil.Process(server.pid).children()  # the process started is strace
        traced_one.terminate()
        await server.process.wait()
    return trace.read_text(errors="replace").splitlines()


async def test_the_log_is_synced_before_every_answer_to_a_write(tmp_path: Path) -> None:
    try:
        lines = await traced(tmp_path)
    except AssertionError:
        if "ptrace" in (tmp_path / "bank" / "log").read_text():
            pytest.skip("strace may not trace here")
        raise
    awaited = [f"mark-{number}.{what}" for number in range(WRITES) for what in "ni"]

    written: set[str] = set()  # marks in the log, not synced yet
    durable: set[str] = set()
    syncing: dict[str, set[str] | None] = {}  # by thread: what the sync it is in covers
    answered = []
    for line in lines:
        call = CALL.match(line)
        if call is None:
            continue
        arguments, name = call["arguments"] or "", call["name"] or call["resumed"]
        if call["name"] == "pwrite64":
            found = {mark for mark in awaited if mark in arguments}
            assert not found or DATABASE in arguments, f"memory written beside the data: {line[:200]}"
            written |= found if LOG in arguments else set()
        elif call["name"] in ("fsync", "fdatasync"):
            syncing[call["thread"]] = set(written) if LOG in arguments else None
        elif call["name"] in ("sendmsg", "sendto", "write", "writev") and SOCKET.match(arguments):
            for mark in awaited:
                if mark in arguments and mark not in answered:
                    assert mark in durable, f"answered before the sync: {mark}"
                    answered.append(mark)
        if name in ("fsync", "fdatasync") and line.endswith("= 0"):
            durable |= syncing.get(call["thread"]) or set()
    assert answered == awaited
    print(f"{len(answered)} writes answered, each after its sync; {len(lines):,} system calls traced")
