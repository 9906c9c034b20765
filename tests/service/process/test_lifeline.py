"""What happens when nothing can come in any more."""

import os
import select
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from service.process.lifeline import at_end_of_input


def test_the_end_is_acted_upon_and_what_comes_in_before_is_not() -> None:
    source, other_end = os.pipe()
    ended = threading.Event()
    at_end_of_input(ended.set, source)

    os.write(other_end, b"still here")
    was_ended = ended.is_set()
    os.close(other_end)

    assert ended.wait(30)
    assert not was_ended
    os.close(source)


def test_one_that_does_not_wait_has_not_ended_while_it_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    waits = threading.Event()

    def waiting(read: list[int], write: list[int], failed: list[int]) -> Any:
        waits.set()
        return select.select(read, write, failed)

    monkeypatch.setattr("service.process.lifeline.select", SimpleNamespace(select=waiting))
    source, other_end = os.pipe()
    os.set_blocking(source, False)
    ended = threading.Event()

    at_end_of_input(ended.set, source)
    assert waits.wait(30)
    waits.clear()
    os.write(other_end, b"still here")
    assert waits.wait(30)
    was_ended = ended.is_set()
    os.close(other_end)

    assert ended.wait(30)
    assert not was_ended
    os.close(source)


def test_what_cannot_be_read_has_ended() -> None:
    source, other_end = os.pipe()
    os.close(source)
    ended = threading.Event()

    at_end_of_input(ended.set, source)

    assert ended.wait(30)
    os.close(other_end)
