"""`memorybank probe`, against real servers: two processes on one store, and one that is not there."""

import json
from pathlib import Path

from memorybank_client import SyncMemoryBankClient
from tests.support.process import free_port, modelless_process
from tests.support.shell import Shell

TRIED = ["write", "read", "read", "delete"] * 2


async def test_a_write_is_read_back_at_every_endpoint_and_nothing_is_left_behind(tmp_path: Path) -> None:
    async with modelless_process(tmp_path) as one, modelless_process(tmp_path) as other:
        ended = Shell(server=one.address)("probe", one.address, other.address, "--json")
        with SyncMemoryBankClient(one.address) as client:
            left = client.list_banks().banks

    steps = json.loads(ended.out)["steps"]
    assert ended.exit_code == 0
    assert [step["what"].split()[0] for step in steps] == TRIED
    assert {step["endpoint"] for step in steps} == {one.address, other.address}
    assert not any(step["problem"] for step in steps)
    assert all(step["milliseconds"] > 0 for step in steps)
    assert not left


async def test_an_endpoint_that_does_not_answer_fails_the_probe_and_is_named(tmp_path: Path) -> None:
    nobody = f"127.0.0.1:{free_port()}"
    async with modelless_process(tmp_path) as one:
        some = Shell(server=one.address)("probe", one.address, nobody, "--timeout", "1")
        none = Shell(server=nobody)("probe", nobody, "--timeout", "1")

    assert some.exit_code == 1
    assert f"read what {one.address} wrote" in some.out
    assert nobody in some.err
    assert none.exit_code == 3
