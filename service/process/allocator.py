"""Free memory that the C library keeps, given back to the system.

Law: nothing but how much memory the process takes depends on it. Elsewhere than on glibc nothing happens.
"""

import ctypes

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # as malloc.h numbers them
FREE_AT_TOP = 1 << 20  # bytes that may lie free at the top of a thread's heap
OF_ITS_OWN = 4 << 20  # bytes; a larger block is mapped and unmapped by itself


def give_back_early() -> None:
    """Bounds what stays free at the top of each thread's heap. For the start of the process.

    Left alone, the C library takes the largest block that was ever freed for its measure, up to 32 MB, and keeps twice
    that free at each top, where `give_back` does not reach: some 100 bytes a node of a large bank just loaded.
    """
    option = getattr(ctypes.CDLL(None), "mallopt", None)
    if option is not None:
        option(_TRIM_THRESHOLD, FREE_AT_TOP)
        option(_MMAP_THRESHOLD, OF_ITS_OWN)


def give_back() -> None:
    """Returns free memory to the system. Takes a millisecond or so, in which other threads run.

    Large blocks go back by themselves; small fragments that a load leaves do not: some 100 bytes a node.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
