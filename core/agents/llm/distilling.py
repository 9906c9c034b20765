"""What a run of an agent teaches, in a language model's words.

Law: a reply is read with core's own checks, so that a model is told what is wrong and asked again. Items that find no
room are shortened, none is left out.
"""

from core.agents.faithful import problem_of_distilled
from core.agents.llm import shapes, windows
from core.agents.llm.asking import Asking
from core.agents.llm.fence import FENCE_TOKENS, Enclosure, message
from core.agents.memory_roles import (
    FEWEST_CALLS,
    LESSON_CHARACTERS,
    MOST_EPISODE_STEPS,
    MOST_STRATEGIES,
    Distillation,
    Execution,
    Lesson,
)
from core.agents.parsing import Fields, MalformedReply
from core.model.invocation import Item, ItemType
from core.model.record import Episode
from core.ports.chat import ReplyShape
from core.text.tokens import estimate

NUMBERS = {"type": "array", "items": {"type": "integer"}}
RUN = ReplyShape(
    name="lessons",
    schema=shapes.fields(
        strategies=shapes.rows(items=NUMBERS, content=shapes.TEXT, detail=shapes.TEXT),
        failure=shapes.TEXT,
        failure_items=NUMBERS,
        steps=shapes.TEXTS,
        outcome=shapes.TEXT,
        lessons=shapes.TEXT,
    ),
)
GOAL, OUTCOME, LESSONS, DETAIL = 4_096, 400, 4_000, 4_000  # code points at most
MOST_ITEMS = 120  # that are shown; of more the latest


async def distil(asking: Asking, execution: Execution) -> Distillation:
    """Returns what a run teaches; of fewer than two calls of tools nothing, without asking. Raises AgentUnavailable,
    AgentReplyInvalid, BudgetSpent."""
    if sum(item.type is ItemType.ACTION for item in execution.items) < FEWEST_CALLS:
        return Distillation()
    items = execution.items[-MOST_ITEMS:]
    texts = [execution.query, execution.result, *map(told_of, items)]
    room = max(asking.room - 200 - len(texts) * (FENCE_TOKENS + 16), len(texts))
    granted = windows.shares([estimate(text) for text in texts], room)
    query, result, *said = [
        windows.shortened(text, max(size, 1)) for text, size in zip(texts, granted, strict=True)
    ]
    shown = [Enclosure(name=name_of(item), text=text) for item, text in zip(items, said, strict=True)]
    end = "The agent says that it succeeded." if execution.succeeded else "The agent says that it failed."
    asked = message(
        [
            "What was asked:",
            Enclosure(name="query", text=query),
            "What was done:",
            *shown,
            "What was answered:",
            Enclosure(name="result", text=result or "(nothing)"),
            end,
        ]
    )

    def read(reply: Fields) -> Distillation:
        distilled = _read(reply, execution)
        if problem := problem_of_distilled(distilled, execution):
            raise MalformedReply(problem)
        return distilled

    return await asking.ask(asked, RUN, read)


def _read(reply: Fields, execution: Execution) -> Distillation:
    end = 1 + max(item.number for item in execution.items)
    lessons = [
        Lesson(
            content=row.line("content"),
            detail=row.text_or_nothing("detail")[:DETAIL],
            items=tuple(dict.fromkeys(row.numbers("items", end))),
        )
        for row in reply.rows("strategies")
    ]
    failure = reply.line_or_nothing("failure")
    cited = tuple(dict.fromkeys(reply.numbers("failure_items", end)))
    steps = tuple(reply.lines("steps"))
    if len(lessons) > MOST_STRATEGIES or len(steps) > MOST_EPISODE_STEPS:
        raise MalformedReply(f"at most {MOST_STRATEGIES} strategies and {MOST_EPISODE_STEPS} steps")
    return Distillation(
        strategies=tuple(lessons),
        failure=Lesson(content=failure[:LESSON_CHARACTERS], items=cited) if failure else None,
        episode=Episode(
            goal=execution.query.strip()[:GOAL],
            steps=steps,
            outcome=reply.line_or_nothing("outcome")[:OUTCOME],
            lessons=reply.text_or_nothing("lessons")[:LESSONS],
        ),
    )


def name_of(item: Item) -> str:
    failed = ", failed" if item.failed else ""
    return f"item {item.number}, step {item.step}, {item.type}{failed}"


def told_of(item: Item) -> str:
    parts = (item.tool, item.arguments_json, item.error_type, item.content)
    return "\n".join(part for part in parts if part.strip()) or "-"
