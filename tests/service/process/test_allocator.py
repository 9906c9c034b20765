import ctypes
import os
import subprocess
import sys

import pytest

from service.process.allocator import give_back
from tests.bench.measuring import resident_bytes

SIZE = (
    1_000  # bytes: more than Python keeps in pools of its own, less than the system is asked for one by one
)


ONLY_GLIBC = pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="only glibc gives back on demand"
)

FREED_IN_A_THREAD = """
import os, threading
from service.process.allocator import give_back_early
from tests.bench.measuring import resident_bytes

def crumbs():
    resident_bytes(os.getpid())  # what it keeps lies below
    made = [b"x" * length for length in [1_000] * 50_000]
    held.append(resident_bytes(os.getpid()))
    made.clear()
    held.append(resident_bytes(os.getpid()))

give_back_early()
large, held = bytes(31 << 20), []
del large
thread = threading.Thread(target=crumbs)
thread.start()
thread.join()
print(held[0] - held[1])
"""


@ONLY_GLIBC
def test_what_was_freed_at_the_top_of_a_threads_heap_is_given_back_at_once() -> None:
    freed = subprocess.run([sys.executable, "-c", FREED_IN_A_THREAD], capture_output=True, check=True)

    assert int(freed.stdout) > 25_000 * SIZE


@ONLY_GLIBC
def test_what_was_freed_between_what_stays_is_given_back() -> None:
    crumbs = [bytes(SIZE) for _ in range(50_000)]
    stays = crumbs[::100]
    crumbs.clear()
    before = resident_bytes(os.getpid())

    give_back()

    assert before - resident_bytes(os.getpid()) > 25_000 * SIZE
    assert len(stays) == 500
