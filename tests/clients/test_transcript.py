"""One transcript, played by the clients of four languages at once, each against two replicas with API keys and TLS, of
which one is restarted in the middle: all of them get the same answers.
"""

import asyncio
import base64
import json
import re
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from core.model.access import EVERY_SCOPE, Scope
from service.assembly.minting import credentials_of
from service.cli.certs import NAMES, make
from tests.clients.players.running import LANGUAGES, Json, is_built, played
from tests.support.api_keys import key_for
from tests.support.forwarding import Forwarder, forwarding
from tests.support.postgres import empty_database
from tests.support.process import Server, free_port, modelless_process
from tests.support.scale import scaled
from tests.support.server import settings_for

TRANSCRIPT = Path(__file__).parent / "transcript.json"
LARGEST = 1_048_576  # bytes of a message that these servers take
LONGEST = 180  # seconds, for all of it on a busy machine
OF_THE_RUN = re.compile(r"[0-9a-z]{26}|[0-9a-f]{32,}|\d{4}-\d\d-\d\dT[0-9:.]+Z")
TIMED_OUT = 4  # gRPC's code: whether the client says so or the service, is a race
UNLIKE = {"usage", "uri"}  # fields that no two runs share


class Replicas:
    """Two servers over one store: at a turn a player is led to the other, and once they all meet, one is restarted."""

    def __init__(self, folder: Path, settings: dict[str, str], players: int) -> None:
        self._folder = folder  # shared, as SQLite's are
        self._settings = settings
        self.ports = (free_port(), free_port())
        self._servers: dict[int, Server] = {}
        self._closing = AsyncExitStack()
        self._meeting = asyncio.Barrier(players)

    async def __aenter__(self) -> "Replicas":
        await asyncio.gather(*map(self._start, self.ports))
        return self

    async def __aexit__(self, *ended: object) -> None:
        await self._closing.aclose()

    async def _start(self, port: int) -> None:
        serving = modelless_process(self._folder, self._settings, listen=f"127.0.0.1:{port}")
        self._servers[port] = await self._closing.enter_async_context(serving)

    async def turn(self, forwarder: Forwarder, kind: str) -> None:
        if kind == "other":
            await forwarder.turn()
            return
        place = await self._meeting.wait()
        if kind == "restart":
            if place == 0:
                assert await self._servers[self.ports[0]].stop() == 0
                await self._start(self.ports[0])
            await forwarder.closed()
            forwarder.refusals = (
                1  # as long as its start may last: a call that comes too early is tried again
            )
            await self._meeting.wait()


@pytest.mark.slow
async def test_four_languages_get_the_same_answers_over_two_replicas_with_keys_and_tls(
    tmp_path: Path,
) -> None:
    languages = [language for language in LANGUAGES if is_built(language)]
    if len(languages) == 1:
        pytest.skip("`make languages` has built no player: the toolchains of Go, Node and Java are missing")
    settings, environment, reader = await guarded(tmp_path)
    told: dict[str, list[Json]] = {}

    async def play(replicas: Replicas, language: str) -> None:
        async with forwarding(*replicas.ports) as forwarder:
            variables = {"p": f"by-{language}", "reader": reader, "large": "x" * (LARGEST // 10)}
            turn = partial(replicas.turn, forwarder)
            address = f"localhost:{forwarder.port}"
            told[language] = await played(language, address, TRANSCRIPT, variables, turn, environment)

    async with (
        asyncio.timeout(LONGEST),
        Replicas(tmp_path, settings, len(languages)) as replicas,
        asyncio.TaskGroup() as playing,
    ):
        for language in languages:
            playing.create_task(play(replicas, language))

    expected = [normal(each, "python") for each in told["python"]]
    assert [(each["step"], reason(each)) for each in expected] == stated()
    for language in languages[1:]:
        for each, other in zip(expected, told[language], strict=True):
            assert normal(other, language) == each, language


@pytest.mark.slow
@pytest.mark.skipif(scaled(1) == 1, reason="`make soak` streams 20 MB")
@pytest.mark.parametrize("language", LANGUAGES)
async def test_twenty_megabytes_go_up_and_down(language: str, tmp_path: Path) -> None:
    if not is_built(language):
        pytest.skip(f"`make languages` has not built the player in {language}: its toolchain is missing")
    chunk = base64.b64encode(bytes(range(256)) * 4_096).decode()
    trip = {"bankId": "trip", "attachmentId": "a-film"}
    header = {"header": {**trip, "mediaType": "video/mp4", "type": "video"}}
    steps: list[Json] = [
        {"step": "bank", "call": "MemoryBank/CreateBank", "request": {"bankId": "trip"}},
        {"step": "up", "call": "MemoryBank/UploadAttachment", "requests": [header, *[{"chunk": chunk}] * 20]},
        {"step": "down", "call": "DeepRetrieval/ReadAttachment", "request": trip, "show": ["sha256"]},
    ]
    (tmp_path / "steps.json").write_text(json.dumps(steps), encoding="utf-8")

    async def turn(_: str) -> None:
        raise AssertionError("it takes no turns")

    async with modelless_process(tmp_path / "data") as server:
        told = await played(language, server.address, tmp_path / "steps.json", {}, turn, {})

    _, up, down = told
    assert up["answers"][0]["attachment"]["size"] == str(20 * 1024 * 1024)
    assert "error" not in down
    assert len(down["answers"]) > 1


async def guarded(folder: Path) -> tuple[dict[str, str], dict[str, str], str]:
    """Returns the settings of servers with keys and TLS, a player's environment, and a key that may only read."""
    tls, key = folder / "tls", folder / "key"
    tls.mkdir()
    make(tls, NAMES)
    settings = {
        "tls.certificate": str(tls / "server.pem"),
        "tls.key": str(tls / "server.key"),
        "grpc.max_message_bytes": str(LARGEST),
    }
    store: dict[str, Any] = {}
    if scaled(1) > 1:
        store["url"] = settings["store.url"] = empty_database().url
    async with credentials_of(settings_for(folder, store=store)) as credentials:
        _, every = await key_for(credentials, scopes=EVERY_SCOPE)
        _, reader = await key_for(credentials, scopes=frozenset({Scope.READ}))
    key.touch(mode=0o600)
    key.write_text(every, encoding="ascii")
    environment = {"MEMORYBANK_API_KEY_FILE": str(key), "MEMORYBANK_TLS_CA": str(tls / "ca.pem")}
    return settings, environment, reader


def stated() -> list[tuple[str, str]]:
    """Returns the steps of the transcript, and the reason that each is to be refused for."""
    steps = json.loads(TRANSCRIPT.read_text(encoding="utf-8"))
    return [(step["step"], step.get("error", "")) for step in steps]


def reason(told: Json) -> str:
    return str(told.get("error", {}).get("reason", ""))


def normal(told: Json, language: str) -> Json:
    """Returns what was told without what differs between any two runs: ids, times, the player's name."""
    if told.get("error", {}).get("code") == TIMED_OUT:
        told["error"] |= {"reason": "DEADLINE_EXCEEDED", "metadata": {}, "retry": False}
        told["answers"] = []  # what came in time is the machine's affair
    text = json.dumps(_without(told)).replace(f"by-{language}", "…")
    normalized: Json = json.loads(OF_THE_RUN.sub("…", text))
    return normalized


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without(held) for name, held in value.items() if name not in UNLIKE}
    return [_without(each) for each in value] if isinstance(value, list) else value
