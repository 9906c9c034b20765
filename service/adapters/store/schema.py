"""The schema that a database has: what it records of its migrations, compared with this program's scripts.

Law: a script that has run is never edited, but for its comments and blanks: a database records each script's number
and checksum. One that was made before checksums were recorded is told by its columns. What does not fit is refused
before anything is changed.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from hashlib import sha256

from core.errors import StoreUnavailable

Column = tuple[str, str]
"""A table, and a column of it."""

SHOWN = 3  # columns that a refusal names
_COMMENT = re.compile(r"--[^\n]*")
_MADE = re.compile(r"CREATE TABLE (\w+) \((.*?)\)[^()\n]*;", re.DOTALL)
_ADDED = re.compile(r"ALTER TABLE (\w+) ADD COLUMN (\w+)")
_NAME = re.compile(
    r'\s*"?([a-z]\w*)"? '
)  # of a column, which has a line of its own; constraints begin with a capital


def checksum_of(script: str) -> str:
    """Returns the digest of a script's statements, however they are commented and laid out."""
    return sha256(" ".join(_COMMENT.sub(" ", script).split()).encode()).hexdigest()


def columns_of(script: str) -> frozenset[Column]:
    """Returns what a script adds. Scripts give each column a line of its own."""
    code = _COMMENT.sub("", script)
    made = ((table, _NAME.match(line)) for table, body in _MADE.findall(code) for line in body.splitlines())
    return frozenset([*((table, name[1]) for table, name in made if name), *_ADDED.findall(code)])


def version_of(
    recorded: Mapping[int, str | None], scripts: Sequence[str], columns: Callable[[], Collection[Column]]
) -> int:
    """Returns the schema that a database has: how many of the scripts have run; more than there are, where a newer
    program's have.

    `recorded`: checksums by number, None where none was recorded. `columns` are asked for only where the record does
    not settle it: before a migration, and without checksums. Raises StoreUnavailable.
    """
    version = max(recorded, default=0)
    if missing := sorted(set(range(1, version)) - recorded.keys()):
        raise StoreUnavailable(
            f"it records schema {version}, but not schema {missing[0]}: restore it from a backup"
        )
    for number, script in enumerate(scripts[:version], start=1):
        if recorded[number] not in (None, checksum_of(script)):
            raise StoreUnavailable(
                f"its schema {number} was made by another script than this version's: run the version that made it"
            )
    known = [recorded[number] for number in range(1, min(version, len(scripts)) + 1)]
    is_settled = None not in known and version >= len(scripts)
    return version if is_settled or not version else _by_columns(version, scripts, columns())


def _by_columns(version: int, scripts: Sequence[str], there: Collection[Column]) -> int:
    """Returns the schema whose columns are there, which is not older than the recorded one."""
    stages = [frozenset[Column]()]
    for script in scripts:
        stages.append(stages[-1] | columns_of(script))
    ours = stages[-1].intersection(there)
    if ours in stages and (found := stages.index(ours)) >= min(version, len(scripts)):
        return max(found, version)
    told = stages[min(version, len(scripts))]
    problem = f"lacks {_shown(told - ours)}" if told - ours else f"has {_shown(ours - told)} already"
    raise StoreUnavailable(
        f"it says schema {version}, but {problem}: a migration was cut short, or another program changed it; "
        "restore it from a backup"
    )


def _shown(columns: Collection[Column]) -> str:
    names = [".".join(column) for column in sorted(columns)]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
