"""The turns that threads take at the interpreter."""

import sys

# How long a thread that thinks may keep another waiting, in seconds. By Python's own 5 ms a read beside three of
# them waited 45 ms (90th percentile). And a bank read from the disk lets go of the lock at each of its rows: beside
# one that thinks, such reads took up to 90 ms by turns of 0.5 ms, and 48 by this. Less only adds switching.
TURN = 0.0001


def take_short_turns() -> None:
    """Has threads take turns of TURN. For the start of the process."""
    sys.setswitchinterval(TURN)
