"""How a command ends when it does not succeed: its exit code, and what to do about it.

Law: codes keep their meaning; scripts depend on them.
"""

import re
from enum import IntEnum

import click

from memorybank_client import (
    AlreadyExists,
    DeadlineExceeded,
    ErrorReason,
    FailedPrecondition,
    InvalidArgument,
    MemoryBankError,
    NotFound,
    OutOfRange,
    PermissionDenied,
    ResourceExhausted,
    StaleRevision,
    Unauthenticated,
    Unavailable,
)
from service.cli.messages import say


class Exit(IntEnum):
    """Exit codes, as `memorybank --help` lists them."""

    FAILED = 1
    USAGE = 2  # click's own
    UNREACHABLE = 3
    NOT_FOUND = 4
    REFUSED = 5
    INTERRUPTED = 130  # as shells count SIGINT


CODES: tuple[tuple[tuple[type[MemoryBankError], ...], Exit], ...] = (
    ((Unavailable, DeadlineExceeded), Exit.UNREACHABLE),
    ((NotFound,), Exit.NOT_FOUND),
    (
        (InvalidArgument, AlreadyExists, FailedPrecondition, StaleRevision, ResourceExhausted, OutOfRange),
        Exit.REFUSED,
    ),
    ((Unauthenticated, PermissionDenied), Exit.REFUSED),
)


THE_ONE = re.compile(r"\b(?:searches\[[01]\]|turns\[0\])\.")
"""Where a command sends one thing as a list, or asks it twice: its place there says nothing to a person."""


class Failure(Exception):
    """A command cannot do what it was asked to. The message is for people, `remedy` what they can do."""

    def __init__(self, message: str, remedy: str = "", exit_code: Exit = Exit.FAILED) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.exit_code = exit_code


def failure_of(error: MemoryBankError, server: str) -> Failure:
    """Says what the service's refusal, or its silence, means at the terminal."""
    exit_code = next((code for family, code in CODES if isinstance(error, family)), Exit.FAILED)
    if isinstance(error, DeadlineExceeded):
        return Failure(
            say("{server} did not answer in time", server=server),
            say("give it more with --timeout; what is stored goes on being structured meanwhile"),
            exit_code,
        )
    return Failure(_by_option(error.message), _remedy(error), exit_code)


def _by_option(message: str) -> str:
    """Names what the command was given where a refusal names the request's fields: `--bank: must be …`, `QUERY: …`."""
    context = click.get_current_context(silent=True)
    message = THE_ONE.sub("", message)
    for param in context.command.params if context else ():
        name, shown = param.name or "", _shown(param)
        message = re.sub(rf"(^|; ){name}: ", rf"\g<1>{shown}: ", message)
        if "_" in name:  # any other name is also a word of the message
            message = re.sub(rf"\b{name}\b", shown, message)
    return "; ".join(dict.fromkeys(message.split("; ")))


def _shown(param: click.Parameter) -> str:
    """Returns the name under which help shows an option or an argument."""
    if isinstance(param, click.Option):
        return param.opts[-1]
    return (param.metavar or param.name or "").strip("[].").upper()


def _remedy(error: MemoryBankError) -> str:
    if isinstance(error, Unauthenticated):
        return say("name the file of a valid one with --key-file (or MEMORYBANK_API_KEY_FILE)")
    if into := error.metadata.get("into"):
        return say("it was merged: {into} stands for it now", into=into)
    if error.reason == ErrorReason.ERROR_REASON_SOURCE_NOT_FOUND:
        return say("`memorybank instructions list OWNER` lists those there are")
    if "bank_id" in error.metadata and isinstance(error, NotFound):
        name = error.metadata["bank_id"]
        return say(
            "`memorybank ingest … --bank {bank}` makes it; `memorybank show banks` lists those there are",
            bank=name,
        )
    return error.metadata.get("remedy", "")
