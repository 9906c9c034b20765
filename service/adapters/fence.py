"""What every store refuses before it looks at a bank: changes that do not belong together.

Law: these are bugs of whoever staged the changes, so they are no MemoryBankError: nobody
outside could do anything about them.
"""

from collections.abc import Sequence
from itertools import pairwise

from core.bank.steps import BankChange, BankPut
from core.ids import BankKey
from core.model.bank import BankRecord


class ChangeInvalid(Exception):
    """A change contradicts itself or names what is not there. Nothing of it was stored."""


def check_chain(key: BankKey, uid: str, changes: Sequence[BankChange]) -> BankRecord | None:
    """The record of the bank that begins with these changes; None when they go on with one.

    Raises ChangeInvalid unless they follow one another and speak of this very bank.
    """
    if not changes:
        raise ChangeInvalid("there is nothing to append")
    for before, after in pairwise(changes):
        if (after.parent, after.revision) != (before.change_id, before.revision + 1):
            raise ChangeInvalid(f"{after.change_id} does not follow {before.change_id}")
    for change in changes:
        for step in change.steps:
            if isinstance(step, BankPut) and (step.record.key, step.record.uid) != (key, uid):
                raise ChangeInvalid(f"{change.change_id} carries the record of another bank")
    first = changes[0]
    if first.parent is not None:
        return None
    founding = first.steps[0] if first.steps and first.revision >= 1 else None
    if not isinstance(founding, BankPut):
        raise ChangeInvalid("a bank begins with the step BankPut")
    return founding.record
