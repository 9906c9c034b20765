"""`memorybank check`: whether a memory answers as a file of expectations says."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from memorybank_client import SyncMemoryBankClient
from memorybank_client.checking import Checker, Outcome
from memorybank_client.expectations import Expectation, ExpectationsInvalid, read_expectations
from service.cli import drawing
from service.cli.errand import CommandContext, errand_of_any
from service.cli.exits import Exit, Failure
from service.cli.junit import junit_of

INDENT = (0, 0, 0, 6)


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--bank", metavar="ID", envvar="MEMORYBANK_BANK", help="The bank, where FILE names none.")
@click.option("--user", metavar="NAME", envvar="MEMORYBANK_USER", help="The user, where FILE names none.")
@click.option(
    "--junit", type=click.Path(dir_okay=False, path_type=Path), help="Write the results here, as JUnit's XML."
)
@errand_of_any
def check(errand: CommandContext, file: Path, bank: str | None, user: str | None, junit: Path | None) -> None:
    """Check that the memory answers as FILE says, and say what came where it does not. It changes no memory.

    \b
    An entry names a call (search, augment, context, facts), its query, and what must hold:
      expect:
        - search: when does the ferry leave?
          bank: trip
          words: nine         # stands in what comes
          not: [ten, 十点]    # does not
          within: 3           # of the first three alone

    Exit code 1 if an entry does not hold, 2 if FILE is not as it should be.
    """
    defaults = {name: value for name, value in (("bank", bank), ("user", user)) if value}
    expected = read_suite(file, defaults)
    outcomes = outcomes_of(errand.client, expected)
    if junit is not None:
        junit.write_bytes(junit_of(str(file), outcomes))
    errand.answer(summary_of(outcomes), Group(*(drawn(each) for each in outcomes), tally(outcomes)))
    if broken := [each for each in outcomes if each.problems]:
        raise Failure(f"{file}: {drawing.many(len(broken), 'entry')} of {len(outcomes)} do not hold")


def read_suite(file: Path, defaults: dict[str, str]) -> list[Expectation]:
    """Reads a file of expectations. Raises Failure that names each line that is wrong."""
    try:
        return read_expectations(file, **defaults)
    except ExpectationsInvalid as wrong:
        raise Failure(f"{file}: nothing was checked", "\n  ".join(wrong.problems), Exit.USAGE) from None


def outcomes_of(client: SyncMemoryBankClient, expected: Iterable[Expectation]) -> list[Outcome]:
    """Checks one expectation after another."""
    checker = Checker(client)
    return [checker.check(each) for each in expected]


def summary_of(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Returns what --json answers."""
    return {
        "ok": not any(each.problems for each in outcomes),
        "entries": [
            {
                "line": each.expectation.line,
                "call": each.expectation.call,
                "query": each.expectation.query,
                "name": each.expectation.name,
                "ok": not each.problems,
                "problems": list(each.problems),
                "seconds": round(each.seconds, 4),
            }
            for each in outcomes
        ],
    }


def drawn(outcome: Outcome) -> Group:
    """Draws an entry's line, and below it what does not hold."""
    expected = outcome.expectation
    mark = Text("FAIL", drawing.WARNING) if outcome.problems else Text("ok  ", drawing.FAINT)
    title = f"  line {expected.line}  {expected.name or f'{expected.call}: {expected.query}'}"
    below = (Padding(drawing.words(problem), INDENT) for problem in outcome.problems)
    return Group(mark.append(drawing.words(title, "default")), *below)


def tally(outcomes: Sequence[Outcome]) -> str:
    """Says how many entries hold."""
    holding = sum(not each.problems for each in outcomes)
    return f"{holding} of {len(outcomes)} entries hold"
