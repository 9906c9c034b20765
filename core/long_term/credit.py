"""Which records an opinion or an outcome is about: those that the answer cites, else all that it was given.

Law: pure. Shares add up to 1.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from core.ids import RecordId
from core.model.record import Record

LEAST_HANDLE = 5
"""Characters of the end of an id that names it."""
_CITED = re.compile(r"\[([0-9A-Za-z._:-]+)\]")


def shares(record_ids: Sequence[RecordId], answer: str) -> list[float]:
    """Returns the share of each record: those that the answer cites have it all, evenly; where it cites none, all have.

    It cites a record by its id, anywhere, or in brackets by the end of it, if no other of them ends so."""
    cited = {each for each in record_ids if each in answer}
    for handle in _CITED.findall(answer):
        fitting = [each for each in record_ids if each.endswith(handle)]
        if len(handle) >= LEAST_HANDLE and len(fitting) == 1:
            cited.update(fitting)
    sharing = cited or set(record_ids)
    return [1.0 / len(sharing) if each in sharing else 0.0 for each in record_ids]


def credited(before: Record, after: Record, share: float) -> Record:
    """Returns the record with a share of what it gained or lost; without any it stays as it was."""
    if not share:
        return before
    return replace(
        after,
        reward=before.reward + share * (after.reward - before.reward),
        confidence=before.confidence + share * (after.confidence - before.confidence),
    )
