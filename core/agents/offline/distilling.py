"""The offline Distiller: what a run of an agent teaches, by rules.

Law: pure and deterministic; every word of it stands in the run. A failed call of a tool and the next call of the same
tool that succeeded are a recovery. Two or more calls are an episode, and teach a strategy or how they failed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.agents.memory_roles import (
    FEWEST_CALLS,
    LESSON_CHARACTERS,
    MOST_STRATEGIES,
    Distillation,
    Execution,
    Lesson,
    Passage,
    PassageKind,
    Unit,
)
from core.agents.offline.summarising import summary
from core.agents.outcomes import clipped, error_line, gist
from core.agents.results import wanted_terms
from core.language import language_of
from core.long_term.recovery import is_mending
from core.model.invocation import Item, ItemType
from core.model.record import Episode, Recovery

GOAL, OUTCOME, LESSONS, STEP, MESSAGE = 4_096, 400, 4_000, 400, 1_000  # code points at most
QUERY = 160
CONDITION = 50  # tokens of what a tool had answered before a decision
GIVEN = 80  # code points of the arguments that it had been given
READ = 20_000  # code points of a result that are looked at
STEPS = 20
RECOVERIES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """A tool called, and how that went. `message`: of one that failed."""

    item: Item
    failed: bool
    error_type: str
    message: str


def distilled(execution: Execution) -> Distillation:
    """Returns what a run teaches: of a success the tools in their order and each decision; of a failure the last tool
    that failed, and how."""
    calls = list(_calls(execution.items))
    if len(calls) < FEWEST_CALLS:
        return Distillation()
    return Distillation(
        strategies=tuple(_strategies(execution, calls)) if execution.succeeded else (),
        failure=None if execution.succeeded else _failure(execution, calls),
        episode=episode(execution.query, execution.items, execution.result),
    )


def _strategies(execution: Execution, calls: Sequence[_Call]) -> Iterator[Lesson]:
    """Yields what worked, each behind what it was done for; a decision also behind what it was found upon."""
    worked = [call.item for call in calls if not call.failed and call.item.tool]
    query = " ".join(execution.query.split())
    lead = language_of(query).phrases.runs.task.format(_clipped(query))
    if len(worked) >= FEWEST_CALLS:
        tools = " → ".join(dict.fromkeys(item.tool for item in worked))
        yield Lesson(
            content=_cut(f"{lead}{tools}", LESSON_CHARACTERS), items=tuple(item.number for item in worked)
        )
    decisions = [item for item in execution.items if item.type is ItemType.DECISION and item.content.strip()]
    for item in decisions[-(MOST_STRATEGIES - 1) :]:
        seen = _seen_before(item, execution.items)
        found = f"{_found(seen, item)} → " if seen else ""
        told = f"{lead}{found}{' '.join(item.content.split())}"
        yield Lesson(
            content=_cut(told, LESSON_CHARACTERS), items=(*(seen.numbers if seen else ()), item.number)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _CitedResult:
    """A tool's result, and the call that it answers, where a decision speaks of what that asked for."""

    result: Item
    call: Item | None

    @property
    def numbers(self) -> tuple[int, ...]:
        return (*((self.call.number,) if self.call else ()), self.result.number)

    @property
    def head(self) -> str:
        return f"{self.result.tool} {self.call.arguments_json}" if self.call else self.result.tool


def _seen_before(decision: Item, items: Sequence[Item]) -> _CitedResult | None:
    """Returns, of the tools' results since the decision before, that of which a decision speaks most, of several the
    newest; None where there is none, or it speaks of none and the newest has no words."""
    said = wanted_terms(decision.content)
    found: list[tuple[int, _CitedResult]] = []
    call: Item | None = None
    for item in (each for each in items if each.number < decision.number):
        if item.type is ItemType.DECISION:
            found.clear()
        elif item.type is ItemType.ACTION:
            call = item
        elif item.type is ItemType.OBSERVATION and item.tool and not item.failed and item.content.strip():
            given = call.arguments_json if call is not None and call.tool == item.tool else ""
            spoken_of = said & wanted_terms(given) if len(given) <= GIVEN else frozenset()
            seen = _CitedResult(result=item, call=call if spoken_of else None)
            found.append((len(spoken_of | said & wanted_terms(item.content[:READ])), seen))
    if not found:
        return None
    most, seen = max(reversed(found), key=lambda each: each[0])
    return seen if most or any(map(str.isalpha, seen.result.content)) else None


def _found(seen: _CitedResult, decision: Item) -> str:
    """Renders what a tool had found: of that what the decision speaks of."""
    asked = dict.fromkeys(wanted_terms(decision.content), 1.0)
    return f"{seen.head}: {gist(seen.result, CONDITION, asked).rstrip(';；')}"


def _failure(execution: Execution, calls: Sequence[_Call]) -> Lesson | None:
    failed = next((call for call in reversed(calls) if call.failed), None)
    if failed is None:
        return None
    query = _clipped(" ".join(execution.query.split()))
    tool, error, message = failed.item.tool, failed.error_type, failed.message
    problem = message if error in message else f"{error}: {message}"
    content = language_of(query).phrases.runs.failure.format(query=query, tool=tool, problem=problem)
    if came_of_it := clipped(" ".join(execution.result.split())):
        content = f"{content} → {came_of_it}"
    return Lesson(content=_cut(content, LESSON_CHARACTERS), items=(failed.item.number,))


def _clipped(query: str) -> str:
    return query if len(query) <= QUERY else _cut(query, QUERY) + "…"


def _cut(text: str, most: int) -> str:
    """Returns its beginning, cut at a word: half a figure would be another one."""
    return text if len(text) <= most else text[:most].rstrip("0123456789.,")


def recoveries(items: Sequence[Item]) -> tuple[Recovery, ...]:
    """Returns each failed call with the same tool's next success, where that is the next call of any, or may be the
    same one, mended; at most RECOVERIES, the latest."""
    calls = [call for call in _calls(items) if call.item.tool]
    found = []
    for place, call in enumerate(calls):
        later = (c for c in calls[place + 1 :] if c.item.tool == call.item.tool and not c.failed)
        mended = next(later, None) if call.failed else None
        if mended is None:
            continue
        is_next = mended is calls[place + 1]
        if is_next or is_mending(call.item.arguments_json, mended.item.arguments_json, call.message):
            recovery = Recovery(
                error_type=call.error_type,
                tool=call.item.tool,
                message=call.message,
                original_json=call.item.arguments_json or "{}",
                fixed_json=mended.item.arguments_json or "{}",
            )
            found.append(recovery)
    return tuple(found[-RECOVERIES:])


def episode(query: str, items: Sequence[Item], result: str) -> Episode | None:
    """Returns what was tried and its outcome; None of a run with fewer than two calls."""
    calls = list(_calls(items))
    if len(calls) < FEWEST_CALLS:
        return None
    return Episode(
        goal=query.strip()[:GOAL],
        steps=tuple(_step(call) for call in calls[-STEPS:]),
        outcome=_outcome(result),
        lessons=_lessons(items),
    )


def _calls(items: Sequence[Item]) -> Iterator[_Call]:
    for place, item in enumerate(items):
        if item.type is ItemType.ACTION:
            seen = _answer(item, items[place + 1 :])
            reported = seen if seen is not None and seen.failed else item
            failed = item.failed or reported.failed
            yield _Call(
                item=item,
                failed=failed,
                error_type=item.error_type or reported.error_type or "error",
                message=(error_line(reported) or reported.content.strip())[:MESSAGE] if failed else "",
            )


def _answer(action: Item, later: Sequence[Item]) -> Item | None:
    """Returns what the tool answered, before another was called."""
    for item in later:
        if item.type is ItemType.ACTION:
            return None
        if item.type is ItemType.OBSERVATION and item.tool in ("", action.tool):
            return item
    return None


def _step(call: _Call) -> str:
    given = call.item.arguments_json or " ".join(call.item.content.split())
    shown = f"{call.item.tool} {given}".strip()
    return (f"{shown} ✗ {call.error_type}" if call.failed else shown)[:STEP] or "-"


def _outcome(result: str) -> str:
    if not result.strip():
        return ""
    passage = Passage(number=0, kind=PassageKind.SUMMARY, text=result)
    unit = Unit.WORDS if language_of(result[:1_000]).is_spaced else Unit.CHARACTERS
    return summary([passage], OUTCOME // 8, unit, named=False)[:OUTCOME]


def _lessons(items: Sequence[Item]) -> str:
    """Decisions, and what failed beside what mended it."""
    decided = [" ".join(i.content.split())[:STEP] for i in items if i.type is ItemType.DECISION]
    mended = [
        f"{each.tool}: {each.error_type} {each.original_json[:STEP]} → {each.fixed_json[:STEP]}"
        for each in recoveries(items)
    ]
    return "\n".join(filter(None, [*decided, *mended]))[:LESSONS]
