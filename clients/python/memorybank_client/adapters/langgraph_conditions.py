"""What a search of LangGraph asks of a value: equality, operators such as `{"$gt": 3}`, parts of objects.

An operator that is none here, or stands where a name should, is a ValueError, whatever is there.
"""

from collections.abc import Mapping
from typing import Any

_ORDERS: Mapping[str, Any] = {
    "$eq": lambda a, b: a == b,
    "$ne": lambda a, b: a != b,
    "$gt": lambda a, b: float(a) > float(b),
    "$gte": lambda a, b: float(a) >= float(b),
    "$lt": lambda a, b: float(a) < float(b),
    "$lte": lambda a, b: float(a) <= float(b),
}


def require_operators(asked: Any, within: bool = False) -> None:
    """Raises ValueError for an operator that is none here, or stands where a name should."""
    if isinstance(asked, list | tuple):
        for each in asked:
            require_operators(each)
    elif isinstance(asked, Mapping):
        for name, wanted in asked.items():
            if str(name).startswith("$") and not (within and name in _ORDERS):
                raise ValueError(f"no operator {name!r} here: a field has {', '.join(_ORDERS)}")
            if name not in _ORDERS:
                require_operators(wanted, within=True)


def fits(value: Mapping[str, Any], asked: Mapping[str, Any] | None) -> bool:
    return all(_holds(_named(value, name), wanted) for name, wanted in (asked or {}).items())


def _named(value: Mapping[str, Any], name: str) -> Any:
    """Returns what has the name, or what a name with dots leads to."""
    found: Any = value
    for part in (name,) if name in value else name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _holds(found: Any, wanted: Any) -> bool:
    """Whether a value is what is wanted: equal, within operators such as `{"$gt": 3}`, or, of an object, in the parts
    that are named. What is not there fits none but `$ne`."""
    if isinstance(wanted, list | tuple):
        same = isinstance(found, list | tuple) and len(found) == len(wanted)
        return same and all(map(_holds, found, wanted))
    if not isinstance(wanted, Mapping):
        return bool(found == wanted)
    if not any(str(name).startswith("$") for name in wanted):
        return isinstance(found, Mapping) and fits(found, wanted)
    return all(_compares(found, name, limit) for name, limit in wanted.items())


def _compares(found: Any, operator: str, limit: Any) -> bool:
    if found is None and operator not in ("$eq", "$ne"):
        return False
    return bool(_ORDERS[operator](found, limit))
