"""`memorybank status`: whether a memory bank answers, and where a bank stands."""

import functools
import sys

import click
from click.core import ParameterSource
from rich.console import RenderableType
from rich.text import Text

from memorybank.v1 import memory_bank_pb2 as memory
from memorybank.v1 import types_pb2 as types
from memorybank_client import NotFound
from service.cli import drawing, paging
from service.cli.errand import CommandContext, errand
from service.cli.exits import Exit
from service.cli.messages import say

PAGE = 1_000


@click.command()
@errand
def status(errand: CommandContext) -> None:
    """Say whether a memory bank answers, how many banks it has, and where one of them stands.

    \b
    Examples:
      memorybank status
      memorybank status --bank trip --json
    """
    read = functools.partial(errand.client.list_banks, page_size=PAGE)
    pages = list(paging.pages(lambda token: read(page_token=token)))
    count, judging, held = sum(len(page.banks) for page in pages), pages[0].judging, _held(errand)
    plain = {"server": errand.server, "banks": count, "judging": judging, "bank": held}
    errand.answer(plain, *_drawn(errand, count, judging, held))
    asked = click.get_current_context().get_parameter_source("bank_id")
    if held is None and asked is ParameterSource.COMMANDLINE:
        sys.exit(Exit.NOT_FOUND)  # where none is named, the question was whether a memory bank answers


def _held(errand: CommandContext) -> memory.GetBankResponse | None:
    try:
        return errand.client.get_bank(bank_id=errand.bank_id)
    except NotFound:
        return None


def _taken_back(errand: CommandContext) -> int:
    """Counts the bank's retractions that wait for what becomes of them."""

    def read(token: str) -> memory.ListInteractionRetractionsResponse:
        return errand.client.list_interaction_retractions(
            bank_id=errand.bank_id, page_size=PAGE, page_token=token
        )

    listed = (each for page in paging.pages(read) for each in page.retractions)
    return sum(each.state == types.RETRACTION_STATE_QUARANTINED for each in listed)


def _drawn(
    errand: CommandContext, count: int, judging: memory.Judging, held: memory.GetBankResponse | None
) -> list[RenderableType]:
    banks = drawing.many(count, "bank")
    answers = Text(say("{server} answers, with {banks}", server=errand.server, banks=banks), drawing.STRONG)
    compares = say("sentences are compared by: {model}", model=judging.model)
    if judging.memory_bytes:
        compares += f", {judging.memory_bytes / 1e6:.0f} MB"
    if held is None:
        return [
            answers,
            compares,
            say("there is no bank {bank!r}: `memorybank ingest` and `remember` make it", bank=errand.bank_id),
        ]
    insight = errand.client.get_insight(bank_id=errand.bank_id, page_size=1).insight
    waiting, taken = held.counts.unstructured_interactions, _taken_back(errand)
    records, back = drawing.many(waiting, "record"), drawing.many(taken, "retraction")
    rows = [
        ("next", insight.pending[0].description if insight.pending else ""),
        ("in work", say("{records} to be sorted into topics", records=records) if waiting else ""),
        ("taken back", say("{retractions} to be released or erased", retractions=back) if taken else ""),
    ]
    return [answers, compares, drawing.bank(held), drawing.pairs(rows)]
