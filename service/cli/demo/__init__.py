"""`memorybank demo`: the main job on real input, against the real server, with no key and no network."""

import json
import time
from pathlib import Path

import click
from rich.console import Console

from memorybank_client import SyncMemoryBankClient
from service.cli import drawing
from service.cli.check import drawn, outcomes_of, read_suite, tally
from service.cli.console import require_extra, serve
from service.cli.demo.long_chat import long_chat
from service.cli.demo.preference import preference
from service.cli.demo.server import running_server, where_kept, who_thinks
from service.cli.demo.stories import chinese, english
from service.cli.demo.tour import Tour
from service.cli.errand import ending, plain_of
from service.cli.exits import Failure
from service.cli.interrupts import heeded

CONSOLE = "127.0.0.1:0"


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Only a summary, as JSON.")
@click.option(
    "--check",
    "suite",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="At the end check what the memory answers against this file of expectations.",
)
@click.option("--console", "looks", is_flag=True, help="At the end look into the memory in a browser.")
def demo(as_json: bool, suite: Path | None, looks: bool) -> None:
    """Show the main job: memorize, search, merge, contradict, settle, look up the verbatim record.

    Starts the real server on a free port, with the local embedder and the offline agents, over a directory that is
    removed afterwards. Ends with exit code 1 if anything that it shows did not come out as it should.

    With MEMORYBANK_LLM__BASE_URL, MEMORYBANK_LLM__API_KEY and MEMORYBANK_LLM__MODEL set, the agents work on that
    model: what it thinks may differ.
    """
    if looks:
        require_extra()
    started = time.monotonic()
    screen = drawing.console(quiet=as_json)
    with ending(as_json), heeded(), running_server() as address:
        screen.print(f"memory bank on {address}: {where_kept()}, local embedder, {who_thinks()}\n")
        with SyncMemoryBankClient(address) as client:
            tour = Tour(client=client, screen=screen)
            english(tour)
            chinese(tour)
            preference(tour)
            long_chat(tour)
            if suite is not None:
                _check(tour, suite)
        _conclude(tour, as_json, screen, time.monotonic() - started)
        if looks:
            serve(address, CONSOLE)
        else:
            screen.print("look into it in a browser: memorybank demo --console")


def _check(tour: Tour, suite: Path) -> None:
    """Checks a file of expectations as `memorybank check` does; each entry is a claim."""
    tour.bank_id = ""
    with tour.step(f"What all of this must answer from now on: {suite}"):
        outcomes = outcomes_of(tour.client, read_suite(suite, {}))
        for outcome in outcomes:
            tour.show(drawn(outcome))
            expected = outcome.expectation
            what = expected.name or f"{expected.call}: {expected.query}"
            tour.claim(f"line {expected.line} of {suite.name}: {what}", not outcome.problems)
        tour.show(tally(outcomes))


def _conclude(tour: Tour, as_json: bool, screen: Console, seconds: float) -> None:
    failed = [claim for claim, holds in tour.claims.items() if not holds]
    if as_json:
        summary = {
            "ok": not failed,
            "seconds": round(seconds, 1),
            "claims": tour.claims,
            "steps": tour.steps,
        }
        click.echo(json.dumps(plain_of(summary), ensure_ascii=False, indent=2))
    screen.print(f"{len(tour.claims) - len(failed)} of {len(tour.claims)} claims hold, in {seconds:.0f} s")
    if failed:
        raise Failure(f"the demo did not come out as it should: {'; '.join(failed)}")
