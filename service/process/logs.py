"""Logs: one JSON object, or one coloured line, per event on standard error. Standard output is for answers.

Law: no memory content at INFO and above; names, counts, ids and times only. A line that cannot be
written fails no call.
"""

import logging
import sys
from collections.abc import Mapping, MutableMapping
from contextlib import suppress
from typing import Any, TextIO, cast

import structlog

from service.process.current_call import add_current_call

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}

GRPC = "grpc._cython.cygrpc"
UNSENT = ("ExecuteBatchError raised in core", "Failed sending error status")

_TRACEBACKS = structlog.processors.ExceptionRenderer(
    structlog.tracebacks.ExceptionDictTransformer(show_locals=False)  # local variables hold memories
)


class _Stream:
    """Where lines go. One that cannot be written, its reader gone or its disk full, is lost: no call fails for it."""

    def __init__(self, inner: TextIO) -> None:
        self._inner = inner

    def write(self, text: str) -> None:
        with suppress(OSError):
            self._inner.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._inner.flush()


def is_read_by_people(form: str) -> bool:
    """Whether lines of this `form` are for people: `console`, or `auto` in a terminal."""
    return form == "console" or (form == "auto" and sys.stderr.isatty())


def configure_logs(level: str, form: str) -> None:
    """Sends events of `level` and above to standard error as `form`: `json`, `console`, or `auto`, either of these.

    What libraries log through `logging` goes the same way, from WARNING on.
    """
    shared: list[Any] = [
        add_current_call,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    last: list[Any] = (
        [_TRACEBACKS, structlog.processors.JSONRenderer(ensure_ascii=False)]
        if not is_read_by_people(form)
        else [
            structlog.dev.ConsoleRenderer(
                colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
            )
        ]
    )
    structlog.configure(
        processors=[*shared, *last],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=structlog.PrintLoggerFactory(cast(TextIO, _Stream(sys.stderr))),
        cache_logger_on_first_use=False,
    )
    bridge = logging.StreamHandler(sys.stderr)
    bridge.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, _named],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
        )
    )
    logging.getLogger(GRPC).addFilter(_is_not_unsent_answer)
    root = logging.getLogger()
    root.handlers = [bridge]
    root.setLevel(max(LEVELS[level], logging.WARNING))


def _is_not_unsent_answer(record: logging.LogRecord) -> bool:
    """Whether it is not about an answer whose caller had gone: gRPC logs that as a failure."""
    return not record.getMessage().startswith(UNSENT)


def _named(_: Any, __: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    """Adds the name of the library that a line comes from."""
    record = event.get("_record")
    return event if record is None else {**event, "logger": record.name}
