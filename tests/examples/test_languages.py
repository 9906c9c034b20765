"""The examples in other languages, as `make languages` builds them, each against the real service."""

import asyncio
import subprocess
from asyncio.subprocess import PIPE
from collections.abc import Sequence
from pathlib import Path

import pytest

from service.assembly.server import running
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.process import free_port, server_process
from tests.support.scale import scaled
from tests.support.server import settings_for

ROOT = Path(__file__).parents[2]
BUILT = ROOT / ".venv" / "languages"
SHOWN = [
    "found: The ferry to Naxos leaves at nine from pier 3.",
    "followed: Naxos by ferry: 42 euro.",
    "streamed: true",
    "watched: The ferry to Naxos leaves at nine from pier 3.",
]


def command(language: str) -> Sequence[str]:
    if language == "go":
        return [str(BUILT / "go")]
    if language == "typescript":
        return ["node", "dist/main.js"]
    path = (ROOT / "examples/java/target/classpath").read_text(encoding="utf-8")
    return ["java", "-cp", f"target/classes:{path}", "example.Example"]


@pytest.mark.slow
@pytest.mark.parametrize("language", ["go", "typescript", "java"])
async def test_a_program_reads_its_writes_follows_a_merge_streams_and_watches(
    language: str, tmp_path: Path
) -> None:
    if not (BUILT / language).exists():
        pytest.skip(f"`make languages` has not built the example in {language}: its toolchain is missing")

    async with running(settings_for(tmp_path), HashingEmbedder()) as address:
        done = await asyncio.to_thread(
            subprocess.run,
            [*command(language), str(address)],
            cwd=ROOT / "examples" / language,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    assert done.stdout.splitlines() == SHOWN, done.stderr


@pytest.mark.slow  # a server starts twice
async def test_a_go_program_over_a_restart_loses_no_call_and_does_nothing_twice(tmp_path: Path) -> None:
    if scaled(1) == 1:
        pytest.skip("at soak's size: how long the server is away hangs on the machine")
    program = BUILT / "go-steady"
    if not program.exists():
        pytest.skip("`make languages` has not built the example in go: its toolchain is missing")
    address = f"127.0.0.1:{free_port()}"

    async with server_process(tmp_path, listen=address) as server:
        calling = await asyncio.create_subprocess_exec(
            program, address, cwd=ROOT / "examples" / "go", stdin=PIPE, stdout=PIPE
        )
        assert calling.stdin is not None
        assert calling.stdout is not None
        assert await calling.stdout.readline() == b"at work\n"
        assert await server.stop() == 0
    async with server_process(tmp_path, listen=address) as server, server.client() as client:
        assert await calling.stdout.readline() == b"at work\n"
        calling.stdin.close()
        told = (await calling.stdout.read()).decode().splitlines()[-1]
        found: dict[str, int] = {}
        token = ""
        while not found or token:
            page = await client.list_nodes(bank_id="steady", page_size=500, page_token=token)
            found |= {node.node_id: node.revision for node in page.nodes}
            token = page.next_page_token

    print(told)
    assert told == f"written: {len(found)} failed: 0"
    assert sorted(found.values()) == list(range(2, len(found) + 2))
