import ctypes
import os

import pytest

from service.allocator import give_back
from tests.bench.measuring import resident_bytes

SIZE = (
    1_000  # bytes: more than Python keeps in pools of its own, less than the system is asked for one by one
)


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="only glibc gives back on demand")
def test_what_was_freed_between_what_stays_is_given_back() -> None:
    crumbs = [bytes(SIZE) for _ in range(50_000)]
    stays = crumbs[::100]
    crumbs.clear()
    before = resident_bytes(os.getpid())

    give_back()

    assert before - resident_bytes(os.getpid()) > 25_000 * SIZE
    assert len(stays) == 500
