"""One thing is named in one way, whatever command it is for."""

from collections.abc import Iterator

import click
import pytest

from service.cli import COMMANDS
from tests.support.shell import Shell

WAYS = {
    "--bank": "ID",
    "--conversation": "ID",
    "--invocation": "ID",
    "--run": "ID",
    "--user": "NAME",
    "--collection": "NAME",
    "--server": "HOST:PORT",
    "--timeout": "SECONDS",
    "--config": "FILE",
    "--data": "DIR",
}
"""Options, and what each is followed by."""


def leaves(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        for each in command.commands.values():
            yield from leaves(each, f"{name} {each.name}")
    else:
        yield name, command


EVERY = dict(leaf for name, place in COMMANDS.items() for leaf in leaves(place.command(), name))


@pytest.mark.parametrize("name", EVERY)
def test_an_option_is_called_and_explained_as_everywhere(name: str) -> None:
    options = [each for each in EVERY[name].params if isinstance(each, click.Option)]
    told = {option: each.metavar for each in options for option in each.opts if option in WAYS}

    assert told == {option: WAYS[option] for option in told}
    assert all(each.help for each in options)


@pytest.mark.parametrize("name", EVERY)
def test_a_bank_is_named_by_its_option(name: str) -> None:
    assert "bank" not in [each.name for each in EVERY[name].params if isinstance(each, click.Argument)]


def test_what_purges_asks_unless_it_is_told_not_to() -> None:
    purges = {name: command for name, command in EVERY.items() if name.split()[-1] == "purge"}

    assert set(purges) == {"purge", "conversation purge", "user purge"}
    assert all("--yes" in [o for p in command.params for o in p.opts] for command in purges.values())


def test_no_bank_is_purged_that_was_not_named_with_the_command(shell: Shell) -> None:
    """The shell's bank stands in the environment, as MEMORYBANK_BANK."""
    shell.done("remember", "The ferry leaves at nine.")

    refused = shell("purge", "--yes")

    assert refused.exit_code == 2
    assert "--bank" in refused.err
    assert "MEMORYBANK_BANK is not heeded" in shell.done("purge", "--help")
    assert shell.told("search", "ferry")["hits"]
