"""When something ends that lasts for a given time."""

from datetime import datetime, timedelta


def expiry_after(time: datetime, lasts: timedelta | None) -> datetime | None:
    """Returns the time so much later; None where it lasts without end, or beyond the calendar's."""
    if lasts is None:
        return None
    try:
        return time + lasts
    except OverflowError:
        return None
