"""Names of things, as distinct types, and the one rule for how a name may look.

Law: imports nothing of the project. Ids are given by the client or generated through the
`Ids` port; every id matches `ID_PATTERN`. What belongs together under a tenant has a key (`core.keys`).
"""

import re
from typing import NamedTuple, NewType

Tenant = NewType("Tenant", str)
BankId = NewType("BankId", str)
NodeId = NewType("NodeId", str)
InteractionId = NewType("InteractionId", str)
AttachmentId = NewType("AttachmentId", str)
ConflictId = NewType("ConflictId", str)
TaskId = NewType("TaskId", str)
RequestId = NewType("RequestId", str)
ChangeId = NewType("ChangeId", str)
User = NewType("User", str)
Collection = NewType("Collection", str)
ConversationId = NewType("ConversationId", str)
InvocationId = NewType("InvocationId", str)
RunId = NewType("RunId", str)
RecordId = NewType("RecordId", str)
ReflectionId = NewType("ReflectionId", str)

ID_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")


def is_id(text: str) -> bool:
    """Whether `text` may be the id of anything: 1–128 letters, digits and `._:-`, not starting with a mark."""
    return ID_PATTERN.fullmatch(text) is not None


class SegmentRef(NamedTuple):
    """The place of a segment: its interaction and its index in it, from 0."""

    interaction_id: InteractionId
    index: int  # type: ignore[assignment]  # the contract's word for it; a ref is never searched like a tuple
