"""Clients and commands with an API key, over TLS and within the machine: what they send, and what they refuse to."""

import asyncio
import os
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from click.testing import CliRunner, Result

from memorybank_client import MemoryBankClient, SyncMemoryBankClient, Unauthenticated, Unavailable
from memorybank_client.credentials import is_within_machine
from service.assembly.minting import credentials_of
from service.assembly.server import require_protection, running
from service.cli import main
from service.cli.certs import NAMES, make
from service.config import ConfigurationError, Settings
from tests.support.api_keys import key_for
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.server import settings_for

pytestmark = pytest.mark.asyncio(loop_scope="module")

LOCAL = [
    "127.0.0.1:7700",
    "localhost:7700",
    "[::1]:7700",
    "unix:/run/memory.sock",
    "dns:///127.0.0.1:1",
    "ipv4:127.0.0.2:1",
]
BEYOND = [
    "10.0.0.1:7700",
    "memory.internal:7700",
    "dns:///memory:443",
    "localhost.evil.example:7700",
    "[::2]:7700",
]


class Place:
    """A server over TLS that asks for API keys, and the files that a client of it has."""

    def __init__(self, folder: Path, address: str, token: str) -> None:
        self.tls, self.address, self.token = folder / "tls", address, token
        self.ca = self.tls / "ca.pem"
        self.key = written(folder / "api.key", token)


def written(file: Path, token: str, mode: int = 0o600) -> Path:
    file.write_text(f"{token}\n", encoding="ascii")
    file.chmod(mode)
    return file


@asynccontextmanager
async def server(folder: Path, **sections: Any) -> AsyncIterator[tuple[Settings, str]]:
    settings = settings_for(folder / "data", **sections)
    async with running(settings, HashingEmbedder()) as address:
        yield settings, str(address)


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def place(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Place]:
    folder = tmp_path_factory.mktemp("access")
    tls = folder / "tls"
    tls.mkdir()
    make(tls, NAMES)
    sections = {
        "tls": {"certificate": tls / "server.pem", "key": tls / "server.key"},
        "auth": {"required": "true"},
    }
    async with server(folder, **sections) as (settings, address), credentials_of(settings) as credentials:
        _, token = await key_for(credentials)
        yield Place(folder, address, token)


async def command(*arguments: str, **environment: str) -> Result:
    return await asyncio.to_thread(CliRunner().invoke, main, arguments, env=environment)


# ---- over TLS ----


async def test_both_clients_call_over_tls_with_the_key_of_a_file(place: Place) -> None:
    async with MemoryBankClient(place.address, key_file=place.key, tls_ca=place.ca) as client:
        await client.create_bank(bank_id="trip", goal="Naxos")

    def asked() -> str:
        with SyncMemoryBankClient(place.address, key_file=place.key, tls_ca=place.ca) as client:
            return client.get_bank(bank_id="trip").bank.goal

    assert await asyncio.to_thread(asked) == "Naxos"


async def test_the_environment_names_the_files_for_clients_and_commands(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"MEMORYBANK_API_KEY_FILE": str(place.key), "MEMORYBANK_TLS_CA": str(place.ca)}
    status = await command("status", "--server", place.address, **files)
    for name, value in files.items():
        monkeypatch.setenv(name, value)

    async with MemoryBankClient(place.address) as client:
        assert (await client.list_banks()).banks is not None
    assert status.exit_code == 0, status.output


async def test_a_command_takes_the_files_as_options(place: Place) -> None:
    options = ("--server", place.address, "--tls-ca", str(place.ca))

    told = await command("remember", "The ferry leaves at nine.", *options, "--key-file", str(place.key))
    refused = await command("remember", "The ferry leaves at nine.", *options)

    assert told.exit_code == 0, told.output
    assert refused.exit_code == 5, refused.output
    assert "API key" in refused.output


async def test_a_server_of_another_authority_is_not_believed(place: Place, tmp_path: Path) -> None:
    make(tmp_path, NAMES)
    once = [("grpc.enable_retries", 0)]
    other = MemoryBankClient(place.address, key_file=place.key, tls_ca=tmp_path / "ca.pem", options=once)
    async with other as client:
        with pytest.raises(Unavailable):
            await client.list_banks()


async def test_without_a_key_a_client_is_told_to_bring_one(place: Place) -> None:
    async with MemoryBankClient(place.address, tls_ca=place.ca) as client:
        with pytest.raises(Unauthenticated, match="authorization: Bearer"):
            await client.list_banks()


async def test_a_certificate_that_was_renewed_is_shown_to_the_next_connection(place: Place) -> None:
    """And one that does not fit its key leaves the last good one in use."""
    before = await shown(place)
    (place.tls / "server.pem").write_text("no certificate")
    assert await shown(place) == before

    renewed = place.tls / "renewed"
    renewed.mkdir()
    make(renewed, NAMES)
    for name in ("server.pem", "server.key", "ca.pem"):
        os.replace(renewed / name, place.tls / name)

    assert await shown(place) != before
    async with MemoryBankClient(place.address, key_file=place.key, tls_ca=place.ca) as client:
        await client.list_banks()


async def shown(place: Place) -> bytes:
    """The certificate that the server shows to a new connection."""
    host, port = place.address.split(":")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    _, writer = await asyncio.open_connection(host, int(port), ssl=context)
    certificate: bytes = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.close()
    return certificate


async def test_no_tls_below_1_2_is_spoken(place: Place) -> None:
    host, port = place.address.split(":")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1

    with pytest.raises((ssl.SSLError, ConnectionError)):
        await asyncio.open_connection(host, int(port), ssl=context)


# ---- what a client refuses ----


@pytest.mark.parametrize("client", [MemoryBankClient, SyncMemoryBankClient])
@pytest.mark.parametrize("target", BEYOND)
async def test_a_key_does_not_leave_the_machine_unencrypted(place: Place, client: Any, target: str) -> None:
    """The plaintext downgrade: an address in the place of the server's, without TLS."""
    bearer = [("authorization", f"Bearer {place.token}")]
    for options in ({"key_file": place.key}, {"metadata": bearer}):
        with pytest.raises(ValueError, match="unencrypted") as refused:
            client(target, **options)
        assert place.token not in str(refused.value)
    with pytest.raises(ValueError, match="unencrypted"):
        client(target).with_key(place.token)

    client(target, key_file=place.key, plaintext_key=True)
    client(target, key_file=place.key, tls_ca=place.ca)


async def test_what_stays_within_the_machine_is_told_by_its_name() -> None:
    assert [target for target in LOCAL if not is_within_machine(target)] == []
    assert [target for target in BEYOND if is_within_machine(target)] == []


async def test_a_file_that_others_can_read_is_refused(place: Place, tmp_path: Path) -> None:
    readable = written(tmp_path / "open.key", place.token, 0o640)

    with pytest.raises(ValueError, match="chmod 600"):
        MemoryBankClient(place.address, key_file=readable)
    told = await command("status", "--server", place.address, "--key-file", str(readable))

    assert told.exit_code == 2
    assert place.token not in told.output


async def test_no_representation_shows_the_key(place: Place) -> None:
    client = MemoryBankClient(place.address, key_file=place.key, tls_ca=place.ca)

    assert place.token not in repr(client.session) + repr(vars(client))


# ---- where a server listens ----


@pytest.mark.parametrize(
    ("sections", "problem"),
    [
        ({}, "auth.required"),
        ({"auth": {"required": "true"}}, "without encryption"),
        ({"auth": {"required": "true"}, "tls": {"certificate": "a.pem", "key": "a.key"}}, ""),
        ({"auth": {"required": "true"}, "grpc": {"plaintext_behind_mesh": True}}, ""),
        ({"tls": {"certificate": "a.pem", "key": "a.key"}}, "auth.required"),
    ],
)
async def test_beyond_the_machine_a_server_asks_for_keys_over_tls_or_does_not_listen(
    tmp_path: Path, sections: dict[str, Any], problem: str
) -> None:
    settings = settings_for(tmp_path, **sections).model_copy(update={"listen": "0.0.0.0:7700"})

    if not problem:
        require_protection(settings)
        return
    with pytest.raises(ConfigurationError, match=problem):
        require_protection(settings)


async def test_a_certificate_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    pair = {"certificate": tmp_path / "a.pem", "key": tmp_path / "a.key"}

    with pytest.raises(ConfigurationError, match=r"a\.pem"):
        async with server(tmp_path, tls=pair):
            pass
