"""Whose memory a command is about."""

import functools
from collections.abc import Callable
from typing import Any

import click

from service.cli.errand import CommandContext, errand_of_any


def whose(command: Callable[..., None]) -> Callable[..., None]:
    """Makes a command about a user's memory: with --user, --collection and what every command has."""

    @functools.wraps(command)
    def run(errand: CommandContext, *args: Any, user: str, collection: str, **options: Any) -> None:
        command(errand, {"user": user, "collection": collection}, *args, **options)

    named = click.option(
        "--user",
        metavar="NAME",
        envvar="MEMORYBANK_USER",
        required=True,
        help="Whose memory (or MEMORYBANK_USER).",
    )
    of = click.option(
        "--collection", metavar="NAME", default="", help="Under which name.  [default: the unnamed one]"
    )
    asked: Callable[..., None] = run
    return named(of(errand_of_any(asked)))
