"""The order in which a server starts."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from service.assembly import server
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
