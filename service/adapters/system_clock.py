"""The machine's clock as the `Clock` port."""

from datetime import UTC, datetime


class SystemClock:
    """UTC with microseconds; may step when the machine's time is set."""

    def now(self) -> datetime:
        return datetime.now(UTC)
