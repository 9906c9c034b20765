"""Whose conversation a command is about."""

import functools
from collections.abc import Callable
from typing import Any

import click

from service.cli.errand import CommandContext, errand_of_any

USER = click.option(
    "--user",
    metavar="NAME",
    envvar="MEMORYBANK_USER",
    required=True,
    help="Whose it is (or MEMORYBANK_USER).",
)


def whose(command: Callable[..., None]) -> Callable[..., None]:
    """Makes a command about a user's conversation: its id first, with --user and what every command has."""

    @functools.wraps(command)
    def run(errand: CommandContext, conversation_id: str, *args: Any, user: str, **options: Any) -> None:
        command(errand, {"user": user, "conversation_id": conversation_id}, *args, **options)

    asked: Callable[..., None] = run
    return click.argument("conversation_id", metavar="CONVERSATION")(USER(errand_of_any(asked)))
