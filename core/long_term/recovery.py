"""Which remembered recovery fits a failure (source document 002 §8.2).

Law: pure. match = 0.5 for the same error type + 0.3 for the same tool + 0.2 × how alike the messages are; order is by
match, then confidence, then uses, then newer, then id.
"""

import json
import re
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, NamedTuple

from core.model.record import Record, Recovery
from core.text.analysis import terms

OF_TYPE, OF_TOOL, OF_MESSAGE = 0.5, 0.3, 0.2
ROUNDING = 1e-9

_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|“[^”\n]*”|「[^」\n]*」")
_FIGURE = re.compile(r"\d+")


class Failure(NamedTuple):
    error_type: str
    tool: str
    message: str


class Match(NamedTuple):
    record: Record
    score: float


def matches(
    records: Iterable[Record],
    failure: Failure,
    *,
    least: float,
    uses: Callable[[Record], int],
) -> list[Match]:
    """Returns the recoveries that match by at least so much, best first."""
    words = _words(failure.message)
    found = [
        Match(record, score)
        for record in records
        if record.recovery is not None
        and (score := _score(record.recovery, failure, words)) >= least - ROUNDING
    ]
    found.sort(key=lambda one: one.record.record_id)
    found.sort(key=lambda one: (one.score, *_worth(one.record, uses(one.record))), reverse=True)
    return found


def _worth(record: Record, uses: int) -> tuple[float, int, datetime]:
    return record.confidence, uses, record.update_time


def match(recovery: Recovery, failure: Failure) -> float:
    """Returns how well a recovery fits a failure, 0 to 1."""
    return _score(recovery, failure, _words(failure.message))


def same_mending(one: Recovery, other: Recovery) -> bool:
    """Whether both mend the same error of the same tool by changing the same arguments."""
    return (one.tool, one.error_type) == (other.tool, other.error_type) and changed(
        one.original_json, one.fixed_json
    ).keys() == changed(other.original_json, other.fixed_json).keys()


def changed(original_json: str, fixed_json: str) -> dict[str, tuple[Any, Any]]:
    """Returns which arguments differ: by name, before and after; None for one that is not there."""
    before, after = _arguments(original_json), _arguments(fixed_json)
    names = sorted(before.keys() | after.keys())
    return {n: (before.get(n), after.get(n)) for n in names if before.get(n) != after.get(n)}


def _arguments(encoded: str) -> dict[str, Any]:
    found = json.loads(encoded) if encoded else {}
    return found if isinstance(found, dict) else {}


def _score(recovery: Recovery, failure: Failure, words: frozenset[str]) -> float:
    score = OF_TYPE * (recovery.error_type == failure.error_type)
    score += OF_TOOL * (recovery.tool == failure.tool)
    return score + OF_MESSAGE * _dice(_words(recovery.message), words)


def _words(message: str) -> frozenset[str]:
    """Returns the message's terms. Quoted values and figures, which differ from one failure to the next, are all the
    same."""
    return frozenset(terms(_FIGURE.sub("0", _QUOTED.sub(" value ", message))))


def _dice(one: frozenset[str], other: frozenset[str]) -> float:
    total = len(one) + len(other)
    return 2.0 * len(one & other) / total if total else 1.0
