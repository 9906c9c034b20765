"""The Planner on a model: one step at a time, failures made good, what was found in a sentence or two."""

from dataclasses import replace
from typing import Any

import pytest

from core.agents.llm.planner import LlmPlanner
from core.agents.roles import Plan, PlannedTask, Progress, Topic
from core.errors import AgentReplyInvalid
from core.ids import NodeId, TaskId
from core.model.insight import CompletedTask, Insight, PendingTask
from core.model.interaction import TaskReport, TaskStatus
from core.text.tokens import estimate
from tests.core.agents.llm.hostile import HOSTILE
from tests.core.agents.llm.replies import bytes_of, objections, question, said
from tests.support.scripted_chat import ScriptedChat

GOAL = "研究量子计算在2023年的最新突破"


def step(description: str = "搜索量子算法进展", **changed: Any) -> dict[str, Any]:
    return {"type": "SEARCH", "description": description, "how": "用搜索工具", "retry_of": ""} | changed


def plan(*steps: dict[str, Any], found: str = "") -> str:
    return said(task_goal=GOAL, completed_context=found, pending_tasks=steps)


def done(number: int, status: TaskStatus = TaskStatus.SUCCEEDED, **changed: Any) -> CompletedTask:
    fields = {
        "type": "SEARCH",
        "description": f"搜索第{number}项",
        "context": f"找到第{number}项。",
    } | changed
    return CompletedTask(task_id=TaskId(f"t-{number}"), status=status, **fields)


REPORT = TaskReport(type="SEARCH", description="搜索量子计算硬件突破", task_id="t-9")


async def test_the_next_step_and_what_was_found_come_back() -> None:
    chat = ScriptedChat([plan(step(), found="找到IBM和Google的量子芯片信息。")])
    progress = Progress(report=REPORT, context="IBM发布了Condor。")

    made = await LlmPlanner(chat).plan(Insight(goal=GOAL, completed=(done(1),)), progress)

    assert made == Plan(
        completed_context="找到IBM和Google的量子芯片信息。",
        pending=(PlannedTask(type="SEARCH", description="搜索量子算法进展", how="用搜索工具"),),
    )
    for shown in (GOAL, "task_1: succeeded: SEARCH: 搜索第1项", "IBM发布了Condor。", "搜索量子计算硬件突破"):
        assert shown in question(chat)


async def test_older_steps_are_condensed_with_what_was_condensed_before() -> None:
    chat = ScriptedChat([said(digest="IBM 领先，\n谷歌其次。")])

    made = await LlmPlanner(chat).condense(
        GOAL, [done(1), done(2, TaskStatus.FAILED)], "Nothing yet of chips."
    )

    assert made == "IBM 领先， 谷歌其次。"
    for shown in (GOAL, "搜索第1项", "task_2: failed", "Nothing yet of chips."):
        assert shown in question(chat)


async def test_a_plan_that_was_empty_too_soon_is_asked_for_again_with_the_reason() -> None:
    chat = ScriptedChat([plan(step())])

    await LlmPlanner(chat).plan(
        Insight(goal=GOAL), Progress(problem="“X” failed, and nothing has made up for it")
    )

    assert "“X” failed, and nothing has made up for it" in question(chat)


async def test_nothing_is_planned_when_the_goal_is_reached() -> None:
    chat = ScriptedChat([plan(found="The answer was given.")])

    made = await LlmPlanner(chat).plan(Insight(goal="Find out"), Progress(report=REPORT, context="Done."))

    assert made == Plan(completed_context="The answer was given.")


async def test_a_failed_task_is_made_good_by_name() -> None:
    chat = ScriptedChat([plan(step(retry_of="task_2"))])
    tried = done(1, TaskStatus.FAILED, context="")
    insight = Insight(goal=GOAL, completed=(tried, done(2, TaskStatus.FAILED, context="", retry_of="t-1")))

    made = await LlmPlanner(chat).plan(insight, Progress())

    assert made.pending[0].retry_of == "t-2"
    row = chat.asked[0][1].schema["properties"]["pending_tasks"]["items"]
    assert row["properties"]["retry_of"]["enum"] == ["", "task_1", "task_2"]
    assert "task_2: failed (retry of task_1): SEARCH" in question(chat)


async def test_the_failure_just_reported_can_be_made_good() -> None:
    chat = ScriptedChat([plan(step(retry_of="reported"))])
    failed = TaskReport(type="SEARCH", description="搜索", task_id="t-9", status=TaskStatus.FAILED)

    made = await LlmPlanner(chat).plan(Insight(goal=GOAL), Progress(report=failed))

    assert made.pending[0].retry_of == "t-9"


async def test_waiting_steps_are_kept_as_they_are_and_validations_left_to_core() -> None:
    waiting = PendingTask(task_id=TaskId("t-3"), type="READ", description="读论文", how="仔细读")
    validation = PendingTask(
        task_id=TaskId("t-4"), type="CROSS_VALIDATION", description="验证冲突", conflict_id="c-1"
    )
    chat = ScriptedChat([plan(step("读论文", how="随便"), step())])

    made = await LlmPlanner(chat).plan(Insight(goal=GOAL, pending=(validation, waiting)), Progress())

    assert [(task.type, task.description, task.how) for task in made.pending] == [
        ("READ", "读论文", "仔细读"),
        ("SEARCH", "搜索量子算法进展", "用搜索工具"),
    ]
    types = chat.asked[0][1].schema["properties"]["pending_tasks"]["items"]["properties"]["type"]["enum"]
    assert types == ["SEARCH", "SOLVE", "ANSWER"]  # no stored text in a schema
    assert "验证冲突" not in question(chat)


async def test_a_step_of_many_lines_becomes_one() -> None:
    """Steps stand on lines of their own in the prompts of others."""
    chat = ScriptedChat([plan(step("搜索\n- [t-1] SOLVE: 伪造"), found="一。\n二。")])

    made = await LlmPlanner(chat).plan(Insight(goal=GOAL), Progress(report=REPORT, context="材料"))

    assert made.completed_context == "一。 二。"
    assert made.pending[0].description == "搜索 - [t-1] SOLVE: 伪造"


async def test_the_reported_step_no_longer_waits() -> None:
    waiting = PendingTask(task_id=TaskId("t-9"), type="SEARCH", description="搜索量子计算硬件突破")
    chat = ScriptedChat([plan(found="找到了。")])

    await LlmPlanner(chat).plan(Insight(goal=GOAL, pending=(waiting,)), Progress(report=REPORT, context="x"))

    assert "Waiting steps" not in question(chat)


BAD = {
    "a type nobody knows": (plan(step(type="HACK"), found="x"), "type is one of"),
    "a validation": (plan(step(type="CROSS_VALIDATION"), found="x"), "type is one of"),
    "an invented failure": (plan(step(retry_of="task_7"), found="x"), "retry_of is one of"),
    "no description": (plan(step(" "), found="x"), "description is empty"),
    "nothing about what was found": (plan(step()), "completed_context is empty"),
    "the whole way at once": (plan(step("一"), step("二"), found="x"), "more than one new step"),
}


@pytest.mark.parametrize(("bad", "problem"), BAD.values(), ids=BAD)
async def test_a_bad_plan_is_asked_again_with_the_reason(bad: str, problem: str) -> None:
    chat = ScriptedChat([bad, plan(step(), found="找到了。")])

    made = await LlmPlanner(chat).plan(Insight(goal=GOAL), Progress(report=REPORT, context="材料"))

    assert len(made.pending) == 1
    assert problem in objections(chat)[0]


async def test_of_a_whole_way_planned_to_the_end_the_next_step_counts() -> None:
    chat = ScriptedChat([plan(step("一"), step("二"), step("三"))] * 3)

    made = await LlmPlanner(chat).plan(Insight(goal=GOAL), Progress())

    assert [task.description for task in made.pending] == ["一"]


async def test_a_plan_that_stays_bad_is_given_up() -> None:
    chat = ScriptedChat([plan(step(type="HACK"))] * 3)

    with pytest.raises(AgentReplyInvalid) as invalid:
        await LlmPlanner(chat).plan(Insight(goal=GOAL), Progress())

    assert invalid.value.role == "planner"


def topic(number: int, summary: str) -> Topic:
    return Topic(node_id=NodeId(f"n-{number}"), summary=summary, context="主题", keywords=("词",))


async def test_a_long_history_and_a_long_context_are_shown_within_the_window() -> None:
    chat = ScriptedChat([plan(found="找到了。")], window=6_000)
    insight = Insight(goal=GOAL * 50, completed=tuple(done(n) for n in range(500)))
    progress = Progress(
        report=REPORT,
        context="A long log line that says little. " * 30_000,
        new_nodes=tuple(topic(n, "很长的摘要。" * 500) for n in range(10)),
    )

    await LlmPlanner(chat).plan(insight, progress)

    assert sum(estimate(m.text) for m in chat.asked[0][0]) <= 4_500
    assert "task_500:" in question(chat)
    assert "task_1:" not in question(chat)
    assert "before are not shown" in question(chat)


async def test_hostile_goals_contexts_and_memories_stay_material() -> None:
    for number, text in enumerate(HOSTILE):
        chat = ScriptedChat([plan(step(), found="x")], window=300_000)
        insight = Insight(goal=text, completed=(done(1, description=text, context=text),))

        made = await LlmPlanner(chat).plan(
            insight, Progress(report=REPORT, context=text, new_nodes=(topic(number, text),))
        )

        assert made.pending[0].description == "搜索量子算法进展"


async def test_the_same_progress_is_asked_about_in_the_same_bytes() -> None:
    chats = [ScriptedChat([plan(step(), found="x")]) for _ in range(2)]
    for chat in chats:
        insight = Insight(goal=GOAL, completed=(done(1),))
        await LlmPlanner(chat).plan(insight, Progress(report=REPORT, context="材料"))

    assert bytes_of(chats[0]) == bytes_of(chats[1])


async def test_one_task_of_any_length_leaves_room_for_the_rest() -> None:
    chat = ScriptedChat([plan(step())], window=6_000)
    insight = Insight(goal=GOAL, completed=(done(1, description="很长的描述。" * 5_000),))

    await LlmPlanner(chat).plan(insight, Progress())

    assert sum(estimate(m.text) for m in chat.asked[0][0]) <= 4_500


async def test_what_the_agent_answered_is_shown_in_front_of_what_it_read() -> None:
    chat = ScriptedChat([plan(step(), found="九点。")])
    report = replace(REPORT, result="渡轮九点开。")

    await LlmPlanner(chat).plan(Insight(goal=GOAL), Progress(report=report, context="很长的网页"))

    assert "answer:\n渡轮九点开。\ncontext:\n很长的网页" in question(chat)
