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


def test_what_erases_asks_unless_it_is_told_not_to() -> None:
    def erases(name: str, command: click.Command) -> bool:
        words = {name.rsplit(maxsplit=1)[-1], *(o.strip("-") for p in command.params for o in p.opts)}
        return not words.isdisjoint({"purge", "delete", "forget", "erase", "erase-mentions", "reject"})

    asking = {name for name, one in EVERY.items() if "--yes" in [o for p in one.params for o in p.opts]}
    erasing = {name for name, one in EVERY.items() if erases(name, one)}

    assert erasing == asking - {"resolve", "auth off"}  # of several dismissals; of what asks for keys
    assert {"delete", "facts forget", "instructions delete", "conversation keys"} <= erasing


def test_nothing_is_erased_where_nobody_can_be_asked(shell: Shell) -> None:
    user, key = ("--user", "ada"), ("c1", "--user", "ada")
    (node,) = shell.told("remember", "The ferry leaves at nine.")["documents"][0]["result"]["node_ids"]
    fact = shell.told("facts", "add", "The boat is blue.", *user)["record"]["record_id"]
    shell.done("instructions", "put", "user:ada", "AGENTS.md", into="Answer in English.")
    kept = shell.told("conversation", "keys", *key, "--add", "Answer in English.")["key"]["key_id"]

    commands = (
        ("delete", node),
        ("facts", "forget", fact, *user),
        ("instructions", "delete", "user:ada", "AGENTS.md"),
        ("conversation", "keys", *key, "--delete", kept),
    )
    ended = [shell(*command) for command in commands]

    assert [(each.exit_code, "confirm it with --yes" in each.err) for each in ended] == [(2, True)] * 4
    assert [shell(*command, "--yes").exit_code for command in commands] == [0] * 4  # all of it was there


def test_no_node_is_deleted_where_one_is_unknown(shell: Shell) -> None:
    (node,) = shell.told("remember", "The ferry leaves at nine.")["documents"][0]["result"]["node_ids"]

    assert shell("delete", node, "n-unknown", "--yes").exit_code == 4
    assert shell("show", "node", node).exit_code == 0


def test_no_bank_is_purged_that_was_not_named_with_the_command(shell: Shell) -> None:
    """The shell's bank stands in the environment, as MEMORYBANK_BANK."""
    shell.done("remember", "The ferry leaves at nine.")

    refused = shell("purge", "--yes")

    assert refused.exit_code == 2
    assert "--bank" in refused.err
    assert "MEMORYBANK_BANK is not heeded" in shell.done("purge", "--help")
    assert shell.told("search", "ferry")["hits"]
