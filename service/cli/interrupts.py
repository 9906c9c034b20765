"""Signals that end the program: Ctrl-C, and what a supervisor or a closed terminal sends.

Law: an interrupt is never lost. Python raises KeyboardInterrupt in whatever the main thread does just then; in
a finaliser, in a weak reference's callback or in one of gRPC's own it would be printed and forgotten, and the
call that was to end would go on. Here such a one is silent, and comes again a moment later.
"""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

AGAIN_SECONDS = 0.05  # for the callback to return
ENDING = (signal.SIGTERM, signal.SIGHUP)


class _Interrupts:
    """Whether the program was interrupted, and what to do if that went unnoticed."""

    def __init__(self) -> None:
        self.seen = False
        self._again: threading.Timer | None = None

    def interrupt(self, _signal: int, _frame: FrameType | None) -> None:
        """Handles SIGINT."""
        self.seen = True
        raise KeyboardInterrupt

    def come_again(self) -> None:
        """Interrupts once more, soon: not at once, which would be as lost."""
        self.rest()
        main = threading.main_thread().ident
        self._again = threading.Timer(AGAIN_SECONDS, signal.pthread_kill, (main, signal.SIGINT))
        self._again.daemon = True
        self._again.start()

    def rest(self) -> None:
        if self._again is not None:
            self._again.cancel()


@contextmanager
def heeded() -> Iterator[None]:
    """Whatever is raised inside after an interrupt comes out as KeyboardInterrupt: it failed by it.

    Where another handler is installed, or a shell has interrupts ignored, nothing changes.
    """
    ours = threading.current_thread() is threading.main_thread()  # no other may set handlers
    if not ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    interrupts, before = _Interrupts(), sys.unraisablehook

    def unraisable(lost: "sys.UnraisableHookArgs") -> None:
        if issubclass(lost.exc_type, KeyboardInterrupt):
            interrupts.come_again()
        else:
            before(lost)

    signal.signal(signal.SIGINT, interrupts.interrupt)
    sys.unraisablehook = unraisable
    try:
        yield
    except BaseException as failure:  # whatever it is, and raised again: an interrupt looks like many things
        if interrupts.seen:
            raise KeyboardInterrupt from failure
        raise
    finally:
        interrupts.rest()
        sys.unraisablehook = before
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def closed_on_signals() -> Iterator[None]:
    """Ends the program by SystemExit on SIGTERM and SIGHUP, so that contexts around it are left: by default both end
    the process at once, and its folders and processes remain. A signal that is ignored (nohup) stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():  # no other may set handlers
        yield
        return
    ending = [each for each in ENDING if signal.getsignal(each) is signal.SIG_DFL]
    for each in ending:
        signal.signal(each, _exit)
    try:
        yield
    finally:
        for each in ending:
            signal.signal(each, signal.SIG_DFL)


def _exit(number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)
