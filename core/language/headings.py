"""The headings and labels of prompts, in one language.

Law: data alone. What is between braces is filled in by whoever writes the line.
"""

import re
from dataclasses import dataclass

from core.language.dates import Dates


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The titles and labels of an assembled context.

    `recorded_sign`: how the note on recorded material reads wherever it stands; its one group is what is changed where
    recorded text looks like the note. `recorded_word`: a word without which nothing reads so.
    """

    keys: str
    promoted: str
    preferences: str
    strategies: str
    facts: str
    episodes: str
    reflections: str
    elsewhere: str
    summaries: str
    invocations: str
    clusters: str
    recalled: str
    short: str
    working: str
    input: str
    recorded: str
    recorded_to: str
    user: str
    agent: str
    contested: str
    steps: str
    outcome: str
    lessons: str
    failed: str
    disliked: str
    poor: str
    to_revise: str
    colon: str
    recorded_sign: re.Pattern[str]
    recorded_word: str
    dates: Dates

    @property
    def titles(self) -> tuple[str, ...]:
        """The headings of sections."""
        of_records = (self.preferences, self.strategies, self.facts, self.episodes, self.reflections)
        of_talk = (
            self.keys,
            self.promoted,
            self.elsewhere,
            self.summaries,
            self.invocations,
            self.clusters,
            self.recalled,
            self.short,
        )
        return (*of_records, *of_talk, self.working, self.input)

    def behind(self, name: str, text: str) -> str:
        """Returns a text behind whoever says it, or what it is."""
        return f"{name}{self.colon}{text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The titles and labels of the prompt of a task. `context`: those of an assembled context."""

    tool_title: str
    tool_usage: str
    tool_description: str
    insight_title: str
    goal: str
    completed: str
    pending: str
    nothing: str
    finished: str
    suspected: str
    memories_title: str
    neighbors_title: str
    contested: str
    refuted: str
    unstructured: str
    attempt: str
    keywords: str
    verbatim: str
    summary: str
    retry_of: str
    how_to_settle: str
    more_conflicts: str
    unplanned: str
    open_conflicts: str
    more_steps: str
    see_now: str
    now_title: str
    how: str
    then_stop: str
    earlier: str
    digest: str
    of_type: str
    other_types: str
    failed: str
    context: Words

    @property
    def titles(self) -> tuple[str, ...]:
        """The headings of sections."""
        return (
            self.tool_title,
            self.insight_title,
            self.memories_title,
            self.neighbors_title,
            self.now_title,
        )
