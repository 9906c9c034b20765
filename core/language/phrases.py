"""What the service itself writes besides headings: of steps, of conflicts and merges, of recoveries, of reflections.

Law: data alone, in one language. What stands between braces is filled in by the module that writes it.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What stands between parts of a line.

    `gap`: between sentences; `listed`: between words of a list; `titles`: between headings; `parts`: between entries.
    `part`: ends an entry that has no end of its own. `aside`: brackets behind a statement.
    """

    stop: str
    colon: str
    gap: str
    listed: str
    titles: str
    parts: str
    part: str
    aside: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPhrases:
    """How steps are put; `{}` takes the goal's questions or the failed task's description."""

    goal: str
    goal_how: str
    search: str
    search_how: str
    retry_how: str
    without: str
    without_how: str
    solve: str
    solve_how: str
    answer: str
    answer_how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPhrases:
    """What core writes into a task's state: validations of conflicts, and why it was given up."""

    validate: str
    validate_how: str
    closed: str
    given_up: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicPhrases:
    """What is written of topics: what each has to do with others, and what a merge did."""

    related: str
    including: str
    joined: str
    near: str
    both_mention: str
    contradiction: str
    likelihood: str
    keep_fuller: str
    say_the_same: str
    existing_holds: str
    new_holds: str
    put_together: str
    kept: str
    corrected: str
    replaced: str
    strategy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPhrases:
    """What is written of an agent's runs. `recovery_titles`: of its document, from the first line to the last part."""

    task: str
    failure: str
    left_out: str
    recovered: str
    changing: str
    trying_again: str
    recovery_titles: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectionPhrases:
    """What is written around the records of a reflection."""

    recoveries: str
    strategies: str
    strategies_of: str
    common: str
    shared: str
    general: str
    bullet: str
    period: str
    source: str
    sources: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """All of them. `tool`: the speaker of a tool's result."""

    marks: Marks
    tool: str
    steps: StepPhrases
    tasks: TaskPhrases
    topics: TopicPhrases
    runs: RunPhrases
    reflections: ReflectionPhrases
