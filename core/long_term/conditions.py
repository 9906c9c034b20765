"""Conditions on a record's metadata: a path, an operator, and a value to compare with.

Law: pure, and never raises. Numbers are compared with numbers and texts with texts; a path that leads nowhere, or to a
value of another sort, fulfils NE alone.
"""

import json
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Op(StrEnum):
    EQ = "eq"
    NE = "ne"
    GT = "gt"
    GTE = "gte"
    LT = "lt"
    LTE = "lte"
    IN = "in"


_ORDERS: Mapping[Op, Callable[[Any, Any], bool]] = {
    Op.GT: operator.gt,
    Op.GTE: operator.ge,
    Op.LT: operator.lt,
    Op.LTE: operator.le,
}
_NOWHERE = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """`path`: names of objects in one another. `value`: a scalar; of IN a tuple of them."""

    path: tuple[str, ...]
    op: Op
    value: Any

    def holds(self, metadata: Mapping[str, Any]) -> bool:
        found = _at(metadata, self.path)
        if self.op is Op.IN:
            return any(_equal(found, each) for each in self.value)
        if self.op in (Op.EQ, Op.NE):
            return _equal(found, self.value) is (self.op is Op.EQ)
        return _sort(found) == _sort(self.value) and _ORDERS[self.op](found, self.value)


def parsed(metadata_json: str) -> Mapping[str, Any]:
    """Returns a record's metadata as an object; nothing of what is none."""
    try:
        read = json.loads(metadata_json) if metadata_json else {}
    except (ValueError, RecursionError):  # stored before it was checked
        return {}
    return read if isinstance(read, dict) else {}


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return _NOWHERE
        value = value[name]
    return value


def _equal(found: Any, wanted: Any) -> bool:
    return _sort(found) == _sort(wanted) and bool(found == wanted)


def _sort(value: Any) -> str:
    """Returns what a scalar may be compared with: true is no number here."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "text" if isinstance(value, str) else "nothing" if value is None else "other"
