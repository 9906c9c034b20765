"""Streams of revoked keys end as soon as the store answers."""

import asyncio
from contextlib import suppress
from typing import Any

from core.errors import StoreUnavailable
from service.assembly.server import _watching


class Keys:
    """A keyring in which a key is revoked at the first look."""

    version = 1

    async def confirm(self) -> None:
        self.version = 2


class Streams:
    """A gate whose store is away when it is first asked whether keys are valid."""

    def __init__(self) -> None:
        self.asked = 0
        self.ended = asyncio.Event()

    async def end_revoked(self) -> None:
        self.asked += 1
        if self.asked == 1:
            raise StoreUnavailable("away")
        self.ended.set()


async def test_a_look_that_the_store_cut_short_is_made_again_at_once() -> None:
    keys: Any = Keys()
    streams: Any = Streams()
    watching = asyncio.create_task(_watching(keys, streams, max_staleness=0.002))

    with suppress(TimeoutError):
        await asyncio.wait_for(streams.ended.wait(), 20.0)
    watching.cancel()

    assert streams.ended.is_set()
