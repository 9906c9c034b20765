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
    """Whether both mend one kind of failure in one way: the same tool and type, messages that differ in values alone,
    and the same arguments changed in the same manner."""
    return _identity(one) == _identity(other)


def _identity(recovery: Recovery) -> tuple[Any, ...]:
    manner = manners(recovery.original_json, recovery.fixed_json)
    return recovery.tool, recovery.error_type, shape(recovery), tuple(sorted(manner.items()))


def shape(recovery: Recovery) -> str:
    """Returns the message with all values alike: what is quoted, figures, and what the arguments hold."""
    message = _QUOTED.sub(" value ", recovery.message)
    given = _arguments(recovery.original_json).values()
    for text in sorted(
        (each for each in given if isinstance(each, str) and len(each) > 1), key=len, reverse=True
    ):
        message = message.replace(text, " value ")
    return " ".join(_FIGURE.sub("0", message).casefold().split())


def manners(original_json: str, fixed_json: str) -> dict[str, str]:
    """Returns by name how each argument was changed: `added`, `removed`, `renamed to …`, `retyped` (the same value in
    another type) or `set`."""
    found: dict[str, str] = {}
    pairs = changed(original_json, fixed_json)
    before, after = _arguments(original_json), _arguments(fixed_json)
    added = [name for name in pairs if name not in before]
    for name, (old, new) in pairs.items():
        if name in added:
            continue
        if name in after:
            found[name] = "retyped" if str(old) == str(new) else "set"
            continue
        renamed = next((each for each in added if after[each] == old), None)
        if renamed is not None:
            added.remove(renamed)
        found[name] = f"renamed to {renamed}" if renamed is not None else "removed"
    return found | dict.fromkeys(added, "added")


def is_mending(original_json: str, fixed_json: str, message: str = "") -> bool:
    """Whether a later call may be an earlier one, mended, rather than another call: something of it is as it was, in
    part at least, or the error's message names an argument that changed."""
    before, after = _arguments(original_json), _arguments(fixed_json)
    pairs = changed(original_json, fixed_json)
    if not before or not after or len(pairs) < len(before.keys() | after.keys()):
        return True
    kept = set(manners(original_json, fixed_json).values()) - {"added", "removed", "set"}
    named = any(
        name in message or (isinstance(old, str) and old in message) for name, (old, _) in pairs.items()
    )
    return named or bool(kept) or any(_alike(old, new) for old, new in pairs.values())


def _alike(old: Any, new: Any) -> bool:
    """Whether two texts have a part in common that is no chance."""
    if not isinstance(old, str) or not isinstance(new, str):
        return False
    mine, others = frozenset(terms(old)), frozenset(terms(new))
    return bool(mine & others) or old.casefold().strip() == new.casefold().strip()


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
