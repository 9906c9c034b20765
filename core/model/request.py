"""What became of a request_id, so that a repetition gets the first answer."""

from dataclasses import dataclass
from datetime import datetime

from core.ids import RequestId


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRecord:
    """`digest` identifies the body: another body under the same id is refused.

    `answer` is the encoded result of the first call, returned to every repetition, with the
    `revision` that call made. A call that structures an interaction answers with that
    interaction's id: how far it came stands in the interaction's structuring.
    """

    request_id: RequestId
    verb: str
    digest: str
    create_time: datetime
    answer: bytes
    revision: int
