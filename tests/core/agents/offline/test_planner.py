from core.agents.offline.planner import OfflinePlanner, found_by, questions
from core.agents.roles import PlannedTask, Progress
from core.ids import TaskId
from core.model.insight import CompletedTask, Insight, PendingTask, TaskType
from core.model.interaction import TaskReport, TaskStatus

GOAL = "研究量子计算在2023年的最新突破"


def done(
    task_id: str, kind: str, status: TaskStatus = TaskStatus.SUCCEEDED, retry_of: str = ""
) -> CompletedTask:
    return CompletedTask(
        task_id=TaskId(task_id), type=kind, description=f"do {kind}", status=status, retry_of=retry_of
    )


async def planned(
    insight: Insight, report: TaskReport | None = None, *, knows_of_goal: bool = True
) -> list[PlannedTask]:
    progress = Progress(report=report, knows_of_goal=knows_of_goal)
    return list((await OfflinePlanner().plan(insight, progress)).pending)


async def test_a_goal_is_solved_then_answered_then_done_in_its_language() -> None:
    (solve,) = await planned(Insight(goal=GOAL))
    (answer,) = await planned(Insight(goal=GOAL, completed=(done("1", "SOLVE"),)))
    end = await planned(Insight(goal=GOAL, completed=(done("1", "SOLVE"), done("2", "ANSWER"))))

    assert (solve.type, solve.description) == (TaskType.SOLVE, f"根据已知信息得出：{GOAL}")
    assert (answer.type, answer.description) == (TaskType.ANSWER, f"给出最终答案：{GOAL}")
    assert end == []


async def test_the_report_counts_as_done_before_it_is_written_down() -> None:
    insight = Insight(
        goal="Find X", pending=(PendingTask(task_id=TaskId("t1"), type="SOLVE", description="Work it out"),)
    )

    (answer,) = await planned(insight, TaskReport(type="SOLVE", task_id="t1"))

    assert (answer.type, answer.description) == (TaskType.ANSWER, "Give the final answer: Find X")


async def test_what_failed_is_tried_again_before_anything_else() -> None:
    report = TaskReport(type="SEARCH", description="Search chips", status=TaskStatus.FAILED, task_id="t9")

    (retry,) = await planned(Insight(goal="Find X"), report)

    assert (retry.type, retry.description, retry.retry_of) == ("SEARCH", "Search chips", "t9")


async def test_a_retry_that_succeeds_makes_its_whole_chain_good() -> None:
    failed = TaskStatus.FAILED
    chain = (done("1", "SEARCH", failed), done("2", "SEARCH", failed, "1"), done("3", "SEARCH", retry_of="2"))

    (solve,) = await planned(Insight(goal="Find X", completed=chain))

    assert solve.type == TaskType.SOLVE


async def test_what_keeps_failing_is_gone_around_and_in_the_end_left() -> None:
    insight, kinds = Insight(goal="Find X", completed=(done("0", "SEARCH", TaskStatus.FAILED),)), []
    while pending := await planned(insight):
        (task,) = pending
        kinds.append(task.type)
        attempt = CompletedTask(
            task_id=TaskId(str(len(kinds))),
            type=task.type,
            description=task.description,
            status=TaskStatus.FAILED,
            retry_of=task.retry_of,
        )
        insight = Insight(goal="Find X", completed=(*insight.completed, attempt))

    assert kinds == ["SEARCH", "SEARCH", "SOLVE", "SOLVE"]  # after the first attempt


async def test_steps_that_others_planned_stay_and_validations_are_left_to_core() -> None:
    own = PendingTask(task_id=TaskId("t1"), type="SEARCH", description="Search chips", how="web")
    validation = PendingTask(task_id=TaskId("t2"), type="CROSS_VALIDATION", description="?", conflict_id="c1")

    found = await planned(Insight(goal="Find X", pending=(validation, own)))

    assert found == [PlannedTask(type="SEARCH", description="Search chips", how="web")]


async def test_without_a_goal_the_goal_is_to_be_found_and_nothing_after_it() -> None:
    (find,) = await planned(Insight())

    assert (find.type, find.description) == ("SEARCH", "Find out what this task is to achieve")
    assert await planned(Insight(), TaskReport(type="SEARCH")) == []


async def test_where_nothing_is_known_of_the_goal_its_questions_are_looked_up_first() -> None:
    goal = "We are a small firm. Which pump should we buy? What does it cost? Be brief."

    (search,) = await planned(Insight(goal=goal), knows_of_goal=False)
    (solve,) = await planned(Insight(goal=goal, completed=(done("1", "SEARCH"),)), knows_of_goal=False)

    assert search.type == TaskType.SEARCH
    assert search.description == "Find sources that answer this: Which pump should we buy? What does it cost?"
    assert solve.type == TaskType.SOLVE


async def test_a_search_by_any_other_name_is_the_search_that_was_planned() -> None:
    (search,) = await planned(Insight(goal=GOAL), knows_of_goal=False)
    pending = PendingTask(
        task_id=TaskId("t1"), type=search.type, description=search.description, how=search.how
    )

    failing = TaskReport(type="SEARCH", description="看公司网站", status=TaskStatus.FAILED)
    kept = await planned(Insight(goal=GOAL, pending=(pending,)), failing, knows_of_goal=False)
    found = TaskReport(type="SEARCH", description="看公司网站", status=TaskStatus.SUCCEEDED)
    (solve,) = await planned(Insight(goal=GOAL, pending=(pending,)), found)

    assert search in kept
    assert solve.type == TaskType.SOLVE


async def test_a_failed_step_is_tried_again_before_what_waits_for_it() -> None:
    waiting = PendingTask(task_id=TaskId("t1"), type="SOLVE", description="Compare the offers")
    report = TaskReport(type="SEARCH", description="Find the offers", status=TaskStatus.FAILED, task_id="t9")

    steps = await planned(Insight(goal="Find X", pending=(waiting,)), report)

    assert [(step.type, step.retry_of) for step in steps] == [("SEARCH", "t9"), ("SOLVE", "")]


async def test_what_was_done_for_an_earlier_goal_counts_for_no_other() -> None:
    (solve,) = await planned(Insight(goal="Find Y", completed=(done("1", "ANSWER"),), earlier_tasks=1))

    assert solve.type == TaskType.SOLVE


def test_a_long_goal_is_named_by_its_questions_or_by_its_end() -> None:
    filler = "It was a long day, and much was said of the sea. " * 20

    assert questions(f"{filler}Who paid? {filler}") == "Who paid?"
    assert questions(f"{filler}Write a report on the harbour.") == "Write a report on the harbour."
    assert len(questions("很长" * 5_000)) <= 240


def test_what_a_task_found_is_said_in_one_or_two_of_its_sentences_and_failure_says_nothing() -> None:
    text = "Let me see. IBM announced Condor with 1,121 qubits on 4 December 2023. It was an event. 你好吗？"
    report = TaskReport(type="SEARCH", description="Search IBM qubits")

    found = found_by(Progress(report=report, context=text), "chips")
    failed = found_by(Progress(report=TaskReport(status=TaskStatus.FAILED), context=text), "chips")

    assert "IBM announced Condor with 1,121 qubits on 4 December 2023." in found
    assert "你好吗" not in found
    assert failed == ""
