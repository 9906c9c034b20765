"""A task of very many steps at a small budget: no call fails, every prompt fits, nothing is lost, no step is slower."""

import statistics
from pathlib import Path

import psutil
import pytest

from memorybank.v1 import types_pb2
from memorybank_client import MemoryBankClient
from tests.support.process import served_process
from tests.support.scale import scaled

STEPS = 40 if scaled(1) <= 1 else 1_000
BUDGET = 4_000
GOALS = {
    "en": "Which of the harbours of the Cyclades should the new ferry line call at, and why?",
    "zh": "新的渡轮航线应当停靠基克拉泽斯群岛的哪些港口？理由是什么？",
}
PLACES = ("Naxos", "Paros", "Syros", "Milos", "Tinos", "Andros", "Kea", "Ios", "Sikinos", "Folegandros")


def found(language: str, step: int) -> str:
    """What a step reports: a fact of its own, of a place of its own."""
    place, number = f"{PLACES[step % len(PLACES)]}-{step // len(PLACES)}", 100 + 7 * step
    if language == "zh":
        return f"第{step}步：{place}港口的码头长{number}米，去年有{number * 31}名旅客。"
    return f"Step {step}: the quay of {place} is {number} metres long, and {number * 31} passengers landed last year."


@pytest.mark.slow
@pytest.mark.parametrize("language", GOALS)
async def test_a_task_of_very_many_steps_goes_on_at_a_small_budget(tmp_path: Path, language: str) -> None:
    seconds: list[float] = []
    tokens: list[int] = []
    async with served_process(tmp_path) as server, server.client() as client:
        process = psutil.Process(server.pid)
        await client.start_task(bank_id="b1", goal=GOALS[language], token_budget=BUDGET)
        for step in range(STEPS):
            status = types_pb2.TASK_STATUS_FAILED if step % 25 == 24 else types_pb2.TASK_STATUS_SUCCEEDED
            report = types_pb2.TaskReport(type="SEARCH", description=done(step), status=status)
            begin = sum(process.cpu_times()[:2])
            advanced = await client.advance_task(
                bank_id="b1", text=found(language, step), task=report, token_budget=BUDGET
            )
            seconds.append(sum(process.cpu_times()[:2]) - begin)
            tokens.append(sum(section.tokens for section in advanced.sections))
            assert advanced.insight.pending
            assert advanced.prompt
            assert tokens[-1] <= BUDGET
        record = await whole_record(client)
        augmented = await client.augment(bank_id="b1", token_budget=BUDGET)

    assert [task.description for task in record] == [done(step) for step in range(STEPS)]
    assert ("更早" if language == "zh" else "before these") in augmented.prompt
    part = min(100, STEPS // 4)
    first, last = statistics.mean(seconds[:part]), statistics.mean(seconds[-part:])
    print(
        f"\n{language}: {STEPS} steps, prompts of at most {max(tokens):,} tokens; the server's processor time for one, "
        f"the first {part} and the last {part}: {first * 1000:.1f} and {last * 1000:.1f} ms ({last / first:.2f} times)"
    )


def done(step: int) -> str:
    return f"Look up the quay of place {step}"


async def whole_record(client: MemoryBankClient) -> list[types_pb2.CompletedTask]:
    """All that was done, page by page."""
    record: list[types_pb2.CompletedTask] = []
    token = ""
    while True:
        page = await client.get_insight(bank_id="b1", page_size=50, page_token=token)
        assert page.insight.completed_before == len(record)
        record += page.insight.completed
        token = page.next_page_token
        if not token:
            return record
