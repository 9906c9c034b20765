"""What every store refuses before it looks at an aggregate: changes that do not belong together.

Law: these are bugs of the code that staged the changes, so they are no MemoryBankError: no
caller could do anything about them.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from core.aggregate.change import Change
from core.aggregate.kind import Kind
from core.keys import Key


class ChangeInvalid(Exception):
    """A change contradicts itself or names what is not there. Nothing of it was stored."""


def check_chain(kind: Kind[Any, Any], key: Key, uid: str, changes: Sequence[Change[Any]]) -> Any | None:
    """Returns the record of the aggregate that begins with these changes; None when they continue one.

    Raises ChangeInvalid unless they follow one another and are of this very aggregate.
    """
    if not changes:
        raise ChangeInvalid("there is nothing to append")
    for before, after in pairwise(changes):
        if (after.parent, after.revision) != (before.change_id, before.revision + 1):
            raise ChangeInvalid(f"{after.change_id} does not follow {before.change_id}")
    for change in changes:
        for step in change.steps:
            if type(step) is kind.puts and (step.record.key, step.record.uid) != (key, uid):
                raise ChangeInvalid(f"{change.change_id} carries the record of another {kind.name}")
    first = changes[0]
    if first.parent is not None:
        return None
    founding = kind.record_of(first.steps[0]) if first.steps and first.revision >= 1 else None
    if founding is None:
        raise ChangeInvalid(f"a {kind.name} begins with the step that puts its record")
    return founding
