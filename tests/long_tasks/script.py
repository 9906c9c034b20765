"""Long tasks as they are written down: what is asked, what each step brings, and how planted contradictions end.

Law: a script decides nothing of the memory's: it says what an agent would have done and found.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "tasks"


@dataclass(frozen=True, kw_only=True)
class Step:
    """What the agent does next.

    `of`: "retry" of what has just failed, or "pending": what the plan says; else its own idea.
    """

    type: str
    description: str
    status: str
    text: str
    of: str = ""


@dataclass(frozen=True, kw_only=True)
class Planted:
    """A contradiction: words that either side holds, what it is about, and the verdict on it."""

    one: str
    other: str
    about: str
    verdict: str

    def is_of(self, *quotes: str) -> bool:
        return all(any(words in quote for quote in quotes) for words in (self.one, self.other))


@dataclass(frozen=True, kw_only=True)
class LongTask:
    name: str
    language: str
    goal: str
    context: str
    outcome: str
    steps: Sequence[Step]
    conflicts: Sequence[Planted]

    def verdict_on(self, quotes: Sequence[str]) -> str:
        """Raises StopIteration for a contradiction that was not planted."""
        return next(planted.verdict for planted in self.conflicts if planted.is_of(*quotes))


def read(name: str) -> LongTask:
    told = json.loads((FOLDER / f"{name}.json").read_text())
    steps = [Step(**step) for step in told.pop("steps")]
    conflicts = [Planted(**one) for one in told.pop("conflicts")]
    return LongTask(**told, steps=steps, conflicts=conflicts)


NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))
