"""Tools that others call the service with, by TLS and an API key: the lines of docs/access.md as they stand there."""

import asyncio
import os
import re
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from core.ids import User
from core.model.access import Binding
from memorybank_client import MemoryBankClient
from service.assembly.minting import credentials_of
from service.assembly.server import running
from service.cli.certs import NAMES, make
from tests.support.api_keys import key_for
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.process import CHECKOUT, free_port
from tests.support.server import settings_for

DOCUMENTED = (CHECKOUT / "docs" / "access.md").read_text(encoding="utf-8")
TOOLS = CHECKOUT / ".venv" / "callers"  # `make callers` builds them
PATH = os.pathsep.join((str(TOOLS), os.environ["PATH"]))
ANSWERS = {
    "grpcurl": "Ada sails. 艾达会航海。",
    "ghz": "[OK]            20 responses",
    "grpc-health-probe": "status: SERVING",
}

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(
        not any(shutil.which(tool, path=PATH) for tool in ANSWERS), reason="none is here: `make callers`"
    ),
]


def lines() -> list[str]:
    """The commands, each on one line, without what is said of them."""
    (block,) = (each for each in re.findall(r"```sh\n(.*?)```", DOCUMENTED, re.DOTALL) if "grpcurl" in each)
    return [re.sub(r"\s+#.*", "", command) for command in block.replace("\\\n", " ").splitlines()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A folder with `ada.key` and `tls`, and where the server listens, and its health."""

    folder: Path
    port: int
    health_port: int


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def place(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Place]:
    folder, health = tmp_path_factory.mktemp("tools"), free_port()
    (tls := folder / "tls").mkdir()
    make(tls, NAMES)
    settings = settings_for(
        folder / "data",
        tls={"certificate": tls / "server.pem", "key": tls / "server.key"},
        auth={"required": "true"},
        health={"listen": f"127.0.0.1:{health}"},
    )
    async with running(settings, HashingEmbedder()) as address, credentials_of(settings) as credentials:
        _, token = await key_for(credentials, binding=Binding(user=User("ada")))
        (folder / "ada.key").touch(0o600)
        (folder / "ada.key").write_text(token)
        async with MemoryBankClient(
            str(address), key_file=folder / "ada.key", tls_ca=tls / "ca.pem"
        ) as client:
            await client.store_fact(user="ada", content="Ada sails. 艾达会航海。", wait=True)
        (folder / "protos").symlink_to(CHECKOUT / "protos")
        yield Place(folder=folder, port=address.port, health_port=health)


@pytest.mark.parametrize("line", lines())
async def test_a_documented_line_is_answered_with_a_key_and_tls(line: str, place: Place) -> None:
    tool = line.split(maxsplit=1)[0]
    if shutil.which(tool, path=PATH) is None:
        pytest.skip(f"{tool} is not here: `make callers`")
    line = line.replace(":7700", f":{place.port}").replace(":7701", f":{place.health_port}")

    process = await asyncio.create_subprocess_shell(
        line,
        cwd=place.folder,
        env={**os.environ, "PATH": PATH},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said = (await process.communicate())[0].decode()

    assert process.returncode == 0, said
    assert re.sub(r"\s+", " ", ANSWERS[tool]) in re.sub(r"\s+", " ", said)
