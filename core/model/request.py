"""What became of a request_id, so that a repetition gets the first answer."""

from dataclasses import dataclass
from datetime import datetime

from core.ids import InteractionId, RequestId


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRecord:
    """`answer` is None while it runs; then the encoded response of the first call, returned to every repetition.

    `digest` identifies the body: another body under the same id is refused.
    """

    request_id: RequestId
    verb: str
    digest: str
    create_time: datetime
    interaction_id: InteractionId | None = None
    answer: bytes | None = None
