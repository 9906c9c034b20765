"""Free memory that the C library keeps, given back to the system.

Law: nothing but how much memory the process takes depends on it. Elsewhere than on glibc nothing happens.
"""

import ctypes


def give_back() -> None:
    """Takes a millisecond or so, in which other threads run. Large blocks go back by themselves; the crumbs of a
    load, between what it made, do not: some 100 bytes a node."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
