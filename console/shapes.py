"""How values are written in a page: times, numbers, names of the contract's values.

Law: pure. What a memory holds stays the text that it is: control characters that turn the direction of a line are shown
as signs, so that no word is read in another place than where it stands.
"""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
GLIMPSE = 280
LONGEST_NAME = 120


def moment(time: Timestamp) -> str:
    """Writes a time to the minute, UTC."""
    return f"{time.ToDatetime():%Y-%m-%d %H:%M}" if time.seconds else ""


def day(time: Timestamp) -> str:
    return f"{time.ToDatetime():%Y-%m-%d}" if time.seconds else ""


def machine(time: Timestamp) -> str:
    """Writes a time as the attribute of an element has it."""
    return time.ToJsonString() if time.seconds else ""


def span(time: Duration) -> str:
    return str(timedelta(seconds=time.seconds))


def count(number: int) -> str:
    return f"{number:,}"


def size(number: int) -> str:
    return f"{number / 1e9:,.1f} GB" if number >= 1e9 else f"{number / 1e6:,.1f} MB"


def plain(text: str) -> str:
    """Shows control characters as a sign in their place."""
    return CONTROL.sub("\ufffd", text)


def glimpse(text: str, most: int = GLIMPSE) -> str:
    """Returns the beginning of a text, on one line."""
    line = " ".join(plain(text[: 4 * most]).split())
    return line if len(line) <= most and len(text) <= 4 * most else f"{line[:most]}…"


def name(text: str) -> str:
    return glimpse(text, LONGEST_NAME)


def end(text: str) -> str:
    """Returns the end of an id, as prompts name a memory."""
    return text[-5:]


def percent(share: float) -> str:
    return f"{share:.0%}"


def word(value: str, prefix: str) -> str:
    """Returns the name of one of the contract's values without its prefix, in small letters."""
    return value.removeprefix(prefix).lower()


def writer_of(message: Any) -> str:
    """Returns who wrote a memory; empty where the service does not tell."""
    return str(getattr(message, "writer", ""))


FILTERS: dict[str, Callable[..., Any]] = {
    "moment": moment,
    "day": day,
    "machine": machine,
    "span": span,
    "count": count,
    "size": size,
    "plain": plain,
    "glimpse": glimpse,
    "name": name,
    "end": end,
    "percent": percent,
    "writer": writer_of,
}
