"""Answers are what they were: refusals of every field's values, and calls recorded in one process.

For who moves code and means to change no answer. A change that means to writes the digests anew:
`python -m tests.oracles.write`. Recorded calls have the likelihoods of models in them, which a processor rounds as it
will, so `make check` leaves them out.
"""

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.oracles.answering import digests
from tests.oracles.calls import ELSEWHERE, recorded
from tests.oracles.refusals import refusals
from tests.service.api.every_violation import METHODS
from tests.support.scale import scaled

HERE = Path(__file__).parent


def changed(file: str, answers: Iterable[tuple[str, str]]) -> list[str]:
    """Returns the lines that are others now."""
    was, now = (HERE / file).read_text(encoding="utf-8").splitlines(), digests(answers).splitlines()
    return sorted(set(was) ^ set(now)) if set(was) != set(now) else [] if was == now else ["their order"]


@pytest.mark.slow
async def test_every_field_s_values_are_refused_and_accepted_as_before() -> None:
    assert changed("refusals.txt", await refusals()) == []


@pytest.mark.skipif(scaled(1) == 1, reason="for `make soak`, and for who moves code")
async def test_recorded_calls_are_answered_as_before() -> None:
    answers = await recorded()

    assert changed("calls.txt", answers) == []
    assert {asked.split()[1] for asked, _ in answers} == set(METHODS) - set(ELSEWHERE)
