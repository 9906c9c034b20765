"""How much the long tests do: `MEMORYBANK_TEST_SCALE=10` makes their rounds, calls and pages ten times as many."""

import os


def scaled(count: int) -> int:
    """`count`, or as many times it as the environment asks for."""
    return round(count * float(os.environ.get("MEMORYBANK_TEST_SCALE", "1")))
