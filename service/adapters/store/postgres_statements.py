"""Statements as PostgreSQL takes them, made of those that all databases share.

Law: a guard is part of its statement, so that a transaction whose COMMIT is already on its way stops at the server:
what touches or finds nothing divides by zero.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from service.adapters.store.database import GuardedStatement

_PARAMETER = re.compile(r"(?<![:\w]):([a-z_][a-z0-9_]*)|\?(\d*)")
_COMMENT = re.compile(r"--[^\n]*")

Arranged = Callable[[Any], Sequence[Any]]


@lru_cache(maxsize=512)
def statement(sql: str) -> tuple[str, Arranged]:
    """Returns the statement with parameters by number, and a function that puts a row into their order.

    Parameters come as `:name`, of a mapping, or as `?` and `?3`, of a tuple.
    """
    names: list[str] = []
    places = 0

    def numbered(found: re.Match[str]) -> str:
        nonlocal places
        if name := found[1]:
            if name not in names:
                names.append(name)
            return f"${names.index(name) + 1}"
        places += 1
        return f"${found[2] or places}"

    made = _PARAMETER.sub(numbered, _COMMENT.sub("", sql))
    return made, (lambda row: [row[name] for name in names]) if names else list


def guarded_statement(guarded: GuardedStatement) -> tuple[str, Arranged]:
    """Returns the statement of a plan, its guard within it."""
    return _with_guard(guarded.sql, guarded.finds, guarded.must_touch is not None)


@lru_cache(maxsize=512)
def _with_guard(sql: str, finds: bool, must_touch: bool) -> tuple[str, Arranged]:
    made, arranged = statement(sql)
    if finds:
        made = f"WITH found AS ({made}) SELECT 1 / count(*) FROM found"
    elif must_touch:
        made = f"WITH touched AS ({made} RETURNING 1) SELECT 1 / count(*) FROM touched"
    return made, arranged


def without_nul(row: Sequence[Any] | Mapping[str, Any]) -> bool:
    """Whether PostgreSQL can keep the texts of a row."""
    values = row.values() if isinstance(row, Mapping) else row
    return not any(isinstance(value, str) and "\0" in value for value in values)
