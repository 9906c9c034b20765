"""What a person reads after a mistake: it names what was typed, not the request that a command made of it."""

from collections.abc import Iterator

import click
import pytest

from service.cli import COMMANDS
from tests.support.shell import Shell

LONG = "many words " * 1_000
TOO_MUCH = str(2**63)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["search", " "], "QUERY: must not be empty or blank"),
        (["context", "", "--user", "ada"], "TEXT: must not be empty or blank"),
        (["conversation", "add", "c", " ", "--user", "ada"], "SAID: must not be empty or blank"),
        (["conversation", "search", "c", "", "--user", "ada"], "TEXT: must not be empty or blank"),
        (["facts", "add", "", "--user", "ada"], "CONTENT: must not be empty or blank"),
        (["facts", "add", LONG, "--user", "ada"], "CONTENT: must have at most 4,096 code points"),
        (["facts", "search", "", "--user", "ada"], "QUERY: must not be empty or blank"),
        (["context", "预算是多少？", "--budget", "1"], "--budget: what is never shortened takes"),
    ],
)
def test_a_refusal_names_what_was_typed_once(shell: Shell, words: list[str], named: str) -> None:
    refused = shell(*words)

    assert refused.err.startswith(f"memorybank: {named}")
    assert refused.err.count(named) == 1
    assert (refused.exit_code, refused.out) == (5, "")


def test_a_document_that_is_not_there_comes_with_the_command_that_lists_them(shell: Shell) -> None:
    refused = shell("instructions", "show", "user:nobody", "AGENTS.md")

    assert refused.err.splitlines()[1] == "  `memorybank instructions list OWNER` lists those there are"
    assert refused.exit_code == 4


def test_status_of_a_named_bank_ends_as_other_commands_do_where_it_is_missing(shell: Shell) -> None:
    named = shell("status", "--bank", "nowhere")

    assert "there is no bank 'nowhere'" in named.out
    assert named.exit_code == 4
    assert shell("status").exit_code == 0


def test_an_import_never_replaces_a_bank_and_says_what_to_do(shell: Shell) -> None:
    shell.done("remember", "The ferry leaves at nine.")

    refused = shell("import", "-", into=shell.done("export", "-"))

    assert refused.err.splitlines() == [
        f"memorybank: there is a bank {shell.bank!r} already, and it stays as it is",
        f"  name another id with --bank, or remove it first: `memorybank purge --bank {shell.bank}`",
    ]
    assert refused.exit_code == 5


@pytest.mark.parametrize("command", COMMANDS)
def test_every_number_of_a_command_that_calls_fits_the_contract(command: str) -> None:
    for option in _options(COMMANDS[command].command()):
        if isinstance(option.type, click.types.IntParamType) and option.name != "seed":
            assert isinstance(option.type, click.IntRange), option.name
            assert option.type.max is not None, option.name


def test_a_number_that_no_field_takes_is_wrong_usage(shell: Shell) -> None:
    refused = shell("watch", "--from", TOO_MUCH)

    assert "Invalid value for '--from'" in refused.err
    assert refused.exit_code == 2


def _options(command: click.Command) -> Iterator[click.Parameter]:
    yield from command.params
    for each in command.commands.values() if isinstance(command, click.Group) else ():
        yield from _options(each)
