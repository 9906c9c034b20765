"""The order in which a server starts."""

import asyncio
import os
import signal
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from service.assembly import server
from service.assembly.bootstrap import open_house
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.server import settings_for


async def test_what_all_calls_would_wait_for_is_done_before_one_is_let_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    let_in = server._let_in

    @contextmanager
    def loaded() -> Iterator[None]:
        order.append("loaded")
        yield
        order.append("done")

    async def letting_in(*given: Any) -> None:
        order.append("let in")
        await let_in(*given)

    monkeypatch.setattr(server, "_let_in", letting_in)
    async with server.running(settings_for(tmp_path), HashingEmbedder(), loaded=loaded):
        order.append("answers")

    assert order == ["loaded", "let in", "answers", "done"]


async def test_languages_are_prepared_beside_the_rest_and_before_a_call_is_let_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, opened, prepared = asyncio.Event(), threading.Event(), threading.Event()
    loop, let_in = asyncio.get_running_loop(), server._let_in

    class Slow:
        def prepare(self) -> None:
            loop.call_soon_threadsafe(begun.set)
            opened.wait(60)
            prepared.set()

    @asynccontextmanager
    async def opening(*given: Any) -> AsyncIterator[Any]:
        await asyncio.wait_for(begun.wait(), 60)
        async with open_house(*given) as house:
            opened.set()
            yield house

    async def letting_in(*given: Any) -> None:
        assert prepared.is_set()
        await let_in(*given)

    monkeypatch.setattr(server, "LANGUAGES", (Slow(),))
    monkeypatch.setattr(server, "open_house", opening)
    monkeypatch.setattr(server, "_let_in", letting_in)

    async with server.running(settings_for(tmp_path), HashingEmbedder()):
        assert prepared.is_set()


async def test_what_loading_took_and_left_goes_back_to_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    def announce(line: str) -> None:
        told.append(line.split(maxsplit=1)[0])
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(server, "give_back", lambda: told.append("given back"))

    await server.serve(settings_for(tmp_path), announce, embedder=HashingEmbedder())

    assert told == ["listening", "given back"]
