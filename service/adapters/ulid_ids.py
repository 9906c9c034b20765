"""Ids that sort by time of making, as the `Ids` port.

After the ULID specification (github.com/ulid/spec): 48 bits of milliseconds and 80 random bits in
Crockford's base 32, 26 characters; here behind a prefix and a dash, in lower case.
"""

import secrets
import time
from collections.abc import Callable
from threading import Lock

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
PAIRS = tuple(a + b for a in ALPHABET for b in ALPHABET)  # two characters, ten bits, at once: half the time
RANDOM_BITS = 80


def _milliseconds() -> int:
    return time.time_ns() // 1_000_000


class UlidIds:
    """Unique over all processes by chance, and strictly ascending within this one, whatever the clock does.

    Within one millisecond, or after the clock stepped back, the next id is the last plus one. Safe to
    use from any thread.
    """

    def __init__(
        self,
        milliseconds: Callable[[], int] = _milliseconds,
        random_bits: Callable[[int], int] = secrets.randbits,
    ) -> None:
        self._milliseconds = milliseconds
        self._random_bits = random_bits
        self._last = -1
        self._lock = Lock()

    def new(self, prefix: str) -> str:
        """`prefix`-`26 characters`."""
        fresh = self._milliseconds() << RANDOM_BITS | self._random_bits(RANDOM_BITS)
        with self._lock:
            # Compared as wholes: a fresh draw below the last one is of the same millisecond or an earlier one.
            self._last = fresh if fresh > self._last else self._last + 1
            number = self._last
        return f"{prefix}-{_base32(number)}"


def _base32(number: int) -> str:
    return "".join([PAIRS[number >> shift & 1023] for shift in range(120, -1, -10)])
