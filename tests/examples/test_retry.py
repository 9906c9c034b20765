"""An agent learns from a failed tool in one process, and another process has learned it, too."""

import asyncio
import os
import random
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memorybank.v1 import long_term_pb2 as pb
from memorybank_client import ChatMemory, SyncMemoryBankClient
from memorybank_client.adapters.retry import Failure, LearningTools, patched
from service.assembly.server import running
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.server import settings_for

ROOT = Path(__file__).parents[2]


def run(address: str) -> list[str]:
    environment = {**os.environ, "PYTHONPATH": ".:protos:clients/python", "OPENAI_MODEL": ""}
    done = subprocess.run(
        [sys.executable, "-m", "examples.retry_agent", address],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


async def test_a_run_through_another_server_uses_the_fix_of_the_first_at_its_first_failure(
    tmp_path: Path,
) -> None:
    async with (
        running(settings_for(tmp_path), HashingEmbedder()) as address,
        running(settings_for(tmp_path), HashingEmbedder()) as other,
    ):
        first = await asyncio.to_thread(run, str(address))
        second = await asyncio.to_thread(run, str(other))

    assert first[:3] == [
        "thinking about: currency USD is not accepted here, only EUR",
        "booked from pier 3, 63 EUR",
        "booked from pier 4, 63 EUR",
    ]
    assert second[:2] == ["booked from pier 3, 63 EUR", "booked from pier 4, 63 EUR"]
    assert first[3:] == ["confidence 0.730, 1 recovery"]
    assert second[2:] == ["confidence 0.781, 1 recovery"]


def search(to: str, day: str) -> str:
    if "-" not in day:
        raise ValueError("the day must be YYYY-MM-DD")
    return f"Ferry 7 to {to} leaves at 9:00 on {day}."


def recover(address: str) -> None:
    """A run whose agent finds better arguments by itself."""
    with SyncMemoryBankClient(address) as client:
        memory = ChatMemory(client, user="ada", conversation="first")
        with memory.run("Which ferry goes to Naxos on 5 May?") as run:
            with pytest.raises(ValueError, match="YYYY"):
                run.call("search", {"to": "Naxos", "day": "5 May"}, search)
            run.answer(run.call("search", {"to": "Naxos", "day": "2024-05-05"}, search))


def meet_it_again(address: str) -> tuple[str, float]:
    """The answer of a run that has no idea of its own, and how sure the mending is then."""
    with SyncMemoryBankClient(address) as client:
        tools = LearningTools(client, "ada", {"search": search})
        memory = ChatMemory(client, user="ada", conversation="second")
        with memory.run("And once more to Naxos?") as run:
            asked = {"to": "Naxos", "day": "5 May"}
            told = run.call("search", asked, lambda **given: str(tools.call("search", given)))
            run.answer(told)
        (mending,) = (r for r in client.list_records(user="ada").records if r.HasField("recovery"))
        return told, mending.confidence


async def test_what_a_run_recovered_from_another_one_elsewhere_mends_at_its_first_failure(
    tmp_path: Path,
) -> None:
    async with (
        running(settings_for(tmp_path), HashingEmbedder()) as address,
        running(settings_for(tmp_path), HashingEmbedder()) as other,
    ):
        await asyncio.to_thread(recover, str(address))
        answer, confidence = await asyncio.to_thread(meet_it_again, str(other))

    assert answer == "Ferry 7 to Naxos leaves at 9:00 on 2024-05-05."
    assert confidence == pytest.approx(0.73)  # 0.7 as it was found, and surer by what came of it


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"a": 1, "b": 2, "gone": 0}, {"a": 3, "b": 2}),
        ({"a": 3, "gone": 0}, None),  # right already
        ({"a": 2, "gone": 0}, None),  # another value than the one that failed
        ({"a": 1, "gone": 1}, None),
        ({"a": 5, "b": 2}, {"a": 6, "b": 2}),  # as an example was mended
    ],
)
def test_a_mending_changes_what_it_changed_before_and_nothing_else(
    arguments: dict[str, int], expected: dict[str, int] | None
) -> None:
    example = pb.RecoveryExample(original_json='{"a": 5}', fixed_json='{"a": 6}')
    recovery = pb.Recovery(original_json='{"a": 1, "gone": 0}', fixed_json='{"a": 3}', examples=[example])

    assert patched(arguments, recovery) == expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"to": "Ios", "n": 2}, {"destination": "Ios", "n": 2}),
        ({"to": "Ios", "destination": "Paros"}, None),
        ({"destination": "Paros"}, None),
    ],
)
def test_a_renamed_field_keeps_its_value(
    arguments: dict[str, object], expected: dict[str, object] | None
) -> None:
    recovery = pb.Recovery(
        original_json='{"to": "Naxos", "n": 1}', fixed_json='{"destination": "Naxos", "n": 1}'
    )

    assert patched(arguments, recovery) == expected


def test_a_right_argument_is_never_replaced() -> None:
    """Of a field that was added or set then, whatever a call holds otherwise."""
    chosen = random.Random(7)
    recovery = pb.Recovery(original_json='{"a": 1, "b": "x"}', fixed_json='{"a": 2, "b": "x", "c": 9}')
    for _ in range(200):
        arguments = {name: chosen.choice([1, 2, 3, "x", "y"]) for name in chosen.sample("abcd", 3)}
        made = patched(arguments, recovery)
        if made is not None:
            assert arguments == {"a": 1, "b": "x"}


async def test_what_is_not_tried_is_shown_to_the_agent(tmp_path: Path) -> None:
    shown: list[Failure] = []

    def book(day: str) -> str:
        if day != "2024-05-05":
            raise ValueError("the day must be YYYY-MM-DD")
        return "booked"

    def fix(failure: Failure) -> dict[str, str]:
        shown.append(failure)
        return {"day": "2024-05-05"}

    def call(address: str) -> None:
        with SyncMemoryBankClient(address) as client:
            tools = LearningTools(client, "ada", {"book": book}, fix=fix)
            for day in ("5 May", "fifth of May", "5 May"):
                assert tools.call("book", {"day": day}) == "booked"

    async with running(settings_for(tmp_path), HashingEmbedder()) as address:
        await asyncio.to_thread(call, str(address))

    assert [len(failure.known) for failure in shown] == [0, 1]  # the third was mended as the first one was
    assert shown[1].known[0].original_json == '{"day": "5 May"}'


@pytest.mark.parametrize(
    "mended",
    [datetime(2024, 5, 5, tzinfo=UTC), "\udc80", "password=hunter2hunter2"],
    ids=["no JSON", "half a character", "a credential"],
)
async def test_what_a_mended_call_brought_is_returned_where_memory_does_not_take_its_arguments(
    tmp_path: Path, mended: object
) -> None:
    asked: list[object] = []

    def book(day: object) -> str:
        asked.append(day)
        if day == "5 May":
            raise ValueError("no day: 5 May\0\udc80")
        return "booked"

    def call(address: str) -> str:
        with SyncMemoryBankClient(address) as client:
            tools = LearningTools(client, "ada", {"book": book}, fix=lambda _: {"day": mended})
            return str(tools.call("book", {"day": "5 May"}))

    async with running(settings_for(tmp_path), HashingEmbedder()) as address:
        answer = await asyncio.to_thread(call, str(address))

    assert answer == "booked"
    assert asked == ["5 May", mended]
