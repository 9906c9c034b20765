"""The augmented prompt of source document 000 §3.3.1: deep-retrieval tool, insight document, memories.

Law: pure, and speaks the language of the goal. Stored text stands in it as data: on the line that
names what it is, or indented under it, so that no line of it can pass for one of the prompt's own.
"""

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple

from core.context.condensing import least_room, shares
from core.context.insight import AROUND_NOW, LEAST_NOW, UNBOUNDED, insight_section, now_section, query_section
from core.context.sections import Item, Section
from core.context.shares import STATE
from core.context.validations import SideText
from core.language import Wording, language_of
from core.model.conflict import Conflict
from core.model.insight import Insight
from core.text.tokens import estimate

TOOL_NAME = "deep_retrieval"


class ToolFormat(StrEnum):
    OPENAI = "openai"
    ANTHROPIC = "anthropic"


@cache
def tools(words: Wording, formats: ToolFormat) -> tuple[str, ...]:
    """Declares the deep-retrieval tool as JSON, in the form a model's API takes."""
    text, number = {"type": "string"}, {"type": "integer"}
    schema = {
        "type": "object",
        "properties": {
            "node_id": text,
            "query": text,
            "start": number,
            "end": number,
            "attachment_id": text,
        },
        "required": ["node_id"],
    }
    declared: Mapping[str, Any] = {"name": TOOL_NAME, "description": words.tool_description}
    if formats is ToolFormat.ANTHROPIC:
        return (json.dumps({**declared, "input_schema": schema}, ensure_ascii=False),)
    return (
        json.dumps({"type": "function", "function": {**declared, "parameters": schema}}, ensure_ascii=False),
    )


class Frame(NamedTuple):
    """What stands around the memories: the tool and the task's state above them, below them what to do now."""

    tool: Section
    state: Section
    now: Section

    @property
    def size(self) -> int:
        """The tokens of what never goes."""
        return sum(map(_size, self))


def frame(
    insight: Insight,
    conflicts: Sequence[Conflict],
    declarations: Sequence[str],
    budget: int | None = None,
    history: float = 1.0,
    sides: Sequence[SideText] = (),
    query: str = "",
) -> Frame:
    """Returns tool, insight document (fixed, but for the share of its conflicts), and what to do now: the `query`,
    where there is one, else the next step.

    `sides`: what the sides of the first conflict to be settled say. Tool and insight document are the same whatever the
    query is.
    """
    words = language_of(insight.goal).task_headings
    tool = tool_section(words, declarations)
    room = None if budget is None else max(0, budget - _size(tool) - least_room())
    if query:
        now = query_section(query, words, room)
        fit = UNBOUNDED if budget is None else shares(least_room() + int(STATE * budget), history)
        return Frame(tool, insight_section(insight, conflicts, words, fit, asked=True), now)
    now = now_section(insight, words, room)
    beside = _size(tool) + _size(now)
    return Frame(tool, _fitted(insight, conflicts, words, beside, budget, history, sides), now)


def least_budget(insight: Insight, formats: ToolFormat) -> int:
    """Returns the tokens in which every prompt of this task can stand, whatever becomes of its insight document."""
    words = language_of(insight.goal).task_headings
    return _size(tool_section(words, tools(words, formats))) + least_room() + LEAST_NOW + AROUND_NOW


def _fitted(
    insight: Insight,
    conflicts: Sequence[Conflict],
    words: Wording,
    beside: int,
    budget: int | None,
    history: float,
    sides: Sequence[SideText],
) -> Section:
    """Renders the insight document in what a budget leaves for it `beside` other sections: what was done in the share
    `history`, and of open conflicts no more than there is room for beside the rest."""
    if budget is None:
        return insight_section(insight, conflicts, words, sides=sides)
    room = budget - beside
    section = insight_section(insight, conflicts, words, shares(room, history), sides)
    assert section.share is not None
    left = max(0, room - _size(section))
    return section._replace(share=min(section.share, left / budget))


def _size(section: Section) -> int:
    """Counts the tokens of what is fixed in a section, its title included; none of an empty one."""
    if not section.items:
        return 0
    return estimate("\n".join(("##", section.title, *(i.full for i in section.items if i.fixed), "", "")))


def tool_section(words: Wording, declarations: Sequence[str]) -> Section:
    """Explains how to call the deep-retrieval tool, and declares it."""
    usage = "\n".join((words.tool_usage, *declarations))
    return Section(
        name="tools", title=words.tool_title, items=(Item(item_id="tool", full=usage, fixed=True),)
    )
