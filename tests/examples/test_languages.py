"""The examples in other languages, as `make languages` builds them, each against the real service."""

import asyncio
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from service.server import running
from tests.support.hashing_embedder import HashingEmbedder
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
