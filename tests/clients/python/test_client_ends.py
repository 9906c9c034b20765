"""Calls that cannot begin, or whose time is odd: of a closed client, with no time left, with endless time."""

import math
from datetime import timedelta
from typing import Any

import pytest

from memorybank_client import Cancelled, DeadlineExceeded, SyncMemoryBankClient
from tests.clients.python.scripted import Script, asking, scripted


@pytest.mark.parametrize("used", [True, False])
async def test_of_a_closed_client_no_call_begins(kind: str, used: bool) -> None:
    script = Script()

    async with scripted(script) as target:
        async with asking(kind, target) as ask:
            if used:
                await ask("get_bank", bank_id="trip")
        for verb, source in (("get_bank", ()), ("export_bank", ()), ("upload_attachment", (b"a",))):
            with pytest.raises(Cancelled, match="the client was closed"):
                await ask.within(9)(verb, *source, bank_id="trip")

    assert sum(map(len, script.asked.values())) == used


@pytest.mark.parametrize("seconds", [0, -1.5])
async def test_a_call_without_time_left_is_not_sent(kind: str, seconds: float) -> None:
    script = Script()

    async with scripted(script) as target, asking(kind, target, timeouts={"create_bank": seconds}) as ask:
        with pytest.raises(DeadlineExceeded, match=rf"not sent: the call was given {seconds:g} s"):
            await ask.within(seconds)("get_bank", bank_id="trip")
        with pytest.raises(DeadlineExceeded) as caught:
            await ask("create_bank", bank_id="trip", request_id="r1")

    assert caught.value.request_id == "r1"
    assert script.asked == {}


@pytest.mark.parametrize("seconds", [math.inf, 1e18, 10**400])
async def test_a_deadline_however_far_away_has_not_passed(kind: str, seconds: float) -> None:
    script = Script()

    async with scripted(script) as target, asking(kind, target) as ask:
        await ask.within(seconds)("get_bank", bank_id="trip")

    assert (script.asked["GetBank"][0].seconds or 0) > 30_000_000


@pytest.mark.parametrize("seconds", [math.nan, "2", timedelta(seconds=2)])
async def test_a_deadline_that_is_no_number_is_refused_at_once(seconds: Any) -> None:
    with (
        SyncMemoryBankClient("127.0.0.1:1") as client,
        pytest.raises((TypeError, ValueError), match="number"),
    ):
        client.within(seconds)
