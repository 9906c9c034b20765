"""What background work a bank's state asks for.

Law: pure. The record's `due_time` is when any process may look for what another has left.
"""

from collections.abc import Sequence
from datetime import datetime

from core.aggregate.kind import Chore
from core.bank.bank import Bank

EMBED = Chore(name="embed")


def due(bank: Bank, now: datetime) -> Sequence[Chore]:
    """Returns the chores that have something to do. Quick: called after every change."""
    return (EMBED,) if bank.record.unembedded else ()
