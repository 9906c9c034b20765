"""Runs a player, and hears what it tells."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
PLAYERS = Path(__file__).parent
BUILT = ROOT / "build" / "clients" / "players"
LANGUAGES = ("python", "go", "typescript", "java")
LONGEST_LINE = 4 * 1024 * 1024

Json = dict[str, Any]


def is_built(language: str) -> bool:
    """Whether `make languages` has built the player; Python's needs no building."""
    return language == "python" or (BUILT / language).exists()


def command(language: str) -> Sequence[str]:
    if language == "python":
        return [sys.executable, "-m", "tests.clients.players.play"]
    if language == "go":
        return [str(BUILT / "go")]
    if language == "typescript":
        return ["node", str(PLAYERS / "typescript" / "dist" / "main.js")]
    target = PLAYERS / "java" / "target"
    classes = f"{target / 'classes'}:{(target / 'classpath').read_text(encoding='utf-8')}"
    return ["java", "-XX:TieredStopAtLevel=1", "-cp", classes, "player.Player"]


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Returns this process's environment with these settings in the place of its own."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("MEMORYBANK_")}
    return own | {"PYTHONPATH": os.pathsep.join((".", "protos", "clients/python"))} | dict(settings)


async def played(
    language: str,
    address: str,
    transcript: Path,
    variables: Mapping[str, str],
    turn: Callable[[str], Awaitable[None]],
    settings: Mapping[str, str],
) -> list[Json]:
    """Returns what a player tells of each step; where it waits `turn` is awaited."""
    playing = await asyncio.create_subprocess_exec(
        *(*command(language), address, str(transcript), json.dumps(dict(variables))),
        cwd=ROOT,
        env=environment(settings),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=LONGEST_LINE,
    )
    assert playing.stdin is not None
    assert playing.stdout is not None
    told: list[Json] = []
    try:
        while line := await playing.stdout.readline():
            said = json.loads(line)
            if "turn" not in said:
                told.append(said)
                continue
            await turn(said["turn"])
            playing.stdin.write(b"\n")
        assert await playing.wait() == 0, f"the player in {language} ended after {len(told)} steps"
    finally:
        if playing.returncode is None:
            playing.kill()
        await playing.wait()
    return told
