"""Ctrl-C, at moments where Python or a library would lose it."""

import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

import click
import pytest

from memorybank_client import Unavailable
from service.cli.errand import ending
from service.cli.interrupts import heeded


def ended(command: Callable[[], object]) -> int | str | None:
    """The exit code of a command."""
    with pytest.raises(SystemExit) as exit_, ending(as_json=False), heeded():
        command()
    return exit_.value.code


def ctrl_c() -> None:
    signal.raise_signal(signal.SIGINT)


class InterruptedWhenGone:
    """Interrupted in its finaliser, out of which no exception comes."""

    def __del__(self) -> None:
        ctrl_c()


def test_what_fails_after_a_swallowed_interrupt_is_interrupted(
    capfd: pytest.CaptureFixture[str],
) -> None:
    def command() -> None:
        with suppress(KeyboardInterrupt):
            ctrl_c()
        raise Unavailable("the call was cancelled")

    code = ended(command)

    assert (code, capfd.readouterr().err) == (130, "memorybank: interrupted\n")


def test_an_interrupt_where_no_exception_comes_out_comes_again(capfd: pytest.CaptureFixture[str]) -> None:
    def command() -> None:
        InterruptedWhenGone()
        threading.Event().wait(30)

    code = ended(command)

    assert (code, capfd.readouterr().err) == (130, "memorybank: interrupted\n")


def test_a_question_that_is_answered_by_an_interrupt_is_interrupted(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(click.termui, "visible_prompt_func", lambda _: ctrl_c())

    code = ended(lambda: click.confirm("sure?", abort=True))

    assert (code, capfd.readouterr().err.splitlines()[-1]) == (130, "memorybank: interrupted")


def test_other_failures_are_what_they_are() -> None:
    def command() -> None:
        raise Unavailable("the call was cancelled")

    code = ended(command)

    assert code == 3


def test_nothing_of_it_is_left_behind() -> None:
    before = (signal.getsignal(signal.SIGINT), sys.unraisablehook)

    with pytest.raises(KeyboardInterrupt), heeded():
        ctrl_c()

    assert (signal.getsignal(signal.SIGINT), sys.unraisablehook) == before


def test_a_program_that_ignores_interrupts_goes_on_ignoring_them() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with heeded():
            ctrl_c()
    finally:
        signal.signal(signal.SIGINT, before)
