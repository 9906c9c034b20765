"""A completed step stands in prompts with what the agent answered, not with what it read last, over a real channel."""

from collections.abc import AsyncIterator

import pytest

from core.text.tokens import estimate
from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1.types_pb2 import TASK_STATUS_FAILED, CompletedTask, Message, TaskReport
from tests.support.server import Service, refused

LOG = "The harbour log of Naxos says that a crane of 40 tons was hired for 900 euros on 3 May 2024. " * 20
ZH_LOG = "纳克索斯港日志记载：2024年5月3日以九百欧元租用四十吨起重机一台。" * 20
CALLS = "Let me look at the fares.\n[tool fares] {}"
ENDS = {
    "en": (CALLS, LOG, "The ferry ticket costs 42 euros."),
    "zh": ("我先查一下票价。\n[tool fares] {}", ZH_LOG, "渡轮票价为四十二欧元。"),
}


def messages(called: str, read: str, said: str) -> list[Message]:
    """A step in which a long result stands last."""
    return [
        Message(role="assistant", text=called),
        Message(role="tool", speaker="fares", text="42"),
        Message(role="assistant", text=said),
        Message(role="assistant", text="[tool log] {}"),
        Message(role="tool", speaker="log", text=read),
    ]


async def done(service: Service, **fields: object) -> tuple[CompletedTask, str]:
    """The step as it is completed, and the next prompt."""
    await service.bank.StartTask(
        pb.StartTaskRequest(bank_id="t1", goal="What does the ferry cost? 渡轮多少钱？")
    )
    advanced = await service.bank.AdvanceTask(pb.AdvanceTaskRequest(bank_id="t1", **fields))  # type: ignore[arg-type]
    (task,) = advanced.insight.completed
    return task, advanced.prompt


@pytest.mark.parametrize("language", ENDS)
async def test_of_messages_it_is_the_last_of_the_assistant_that_calls_no_tool(
    service: Service, language: str
) -> None:
    task, prompt = await done(service, messages=messages(*ENDS[language]))

    assert task.context == ENDS[language][2]
    assert f"→ {ENDS[language][2]}" in prompt


@pytest.mark.parametrize(
    ("shape", "language"),
    [
        ("Thought: {0}\nObservation: 42\nFinal Answer: {2}\nObservation: {1}", "en"),
        ("Thought: done\nAction: fares[Naxos]\nObservation: 42\nAnswer: {2}\nObservation: {1}", "en"),
        ("assistant: I will look.\ntool fares: 42\nassistant: {2}\ntool log: {1}", "en"),
        ("思考：查票价\n行动：fares[纳克索斯]\n观察：42\n最终答案：{2}\n观察：{1}", "zh"),
        ("assistant: 我来查。\ntool fares: 42\nassistant: {2}\ntool log: {1}", "zh"),
    ],
)
async def test_of_a_transcript_it_is_what_is_marked_as_the_answer(
    service: Service, shape: str, language: str
) -> None:
    task, _ = await done(service, text=shape.format(*ENDS[language]))

    assert task.context == ENDS[language][2]


async def test_where_the_agent_answered_nothing_it_is_what_was_found(service: Service) -> None:
    said = messages(*ENDS["en"])

    task, _ = await done(service, messages=[said[0], said[1], *said[3:]])

    assert "900 euros" in task.context


@pytest.mark.parametrize(
    ("result", "most"),
    [
        ("I read a lot. " * 3 + "The ferry costs 42 euros in May. " + "Then I slept. " * 30, 60),
        ("我读了很多。" * 3 + "五月渡轮票价为四十二欧元。" + "然后我睡了。" * 30, 120),
    ],
)
async def test_of_a_long_answer_it_is_at_most_two_sentences(service: Service, result: str, most: int) -> None:
    task, _ = await done(service, messages=[Message(role="assistant", text=result)])

    assert "42 euros" in task.context or "四十二欧元" in task.context
    assert estimate(task.context) <= most
    assert task.context in result or len(task.context) < 80


async def test_a_result_that_the_caller_states_stands_as_it_is(service: Service) -> None:
    task, prompt = await done(service, messages=messages(*ENDS["en"]), result="Booked\nfor 42 euros.")

    assert task.context == "Booked for 42 euros."
    assert "→ Booked for 42 euros." in prompt


async def test_a_failed_step_has_no_result(service: Service) -> None:
    await service.bank.CreateBank(pb.CreateBankRequest(bank_id="t1", goal="g"))
    report = TaskReport(type="SEARCH", description="look", status=TASK_STATUS_FAILED)

    problem = await refused(
        service.bank.AdvanceTask(pb.AdvanceTaskRequest(bank_id="t1", task=report, result="Nothing."))
    )

    assert problem.fields == ("result",)


async def test_a_result_comes_out_of_an_export_and_in_again(service: Service) -> None:
    await done(service, text="The page says much.", result="Booked for 42 euros.")
    records = [r.record async for r in service.bank.ExportBank(pb.ExportBankRequest(bank_id="t1"))]

    async def given() -> AsyncIterator[pb.ImportBankRequest]:
        yield pb.ImportBankRequest(options=pb.ImportOptions(bank_id="t2"))
        for record in records:
            yield pb.ImportBankRequest(record=record)

    await service.bank.ImportBank(given())
    again = [r.record async for r in service.bank.ExportBank(pb.ExportBankRequest(bank_id="t2"))]

    def results(exported: list[pb.ExportRecord]) -> list[str]:
        return [r.interaction.task.result for r in exported if r.HasField("interaction")]

    assert results(records) == results(again) == ["Booked for 42 euros."]
