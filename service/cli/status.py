"""`memorybank status`: whether a memory bank answers, and where a bank stands."""

import functools

import click
from rich.console import RenderableType
from rich.text import Text

from memorybank.v1 import memory_bank_pb2 as memory
from memorybank_client import NotFound
from service.cli import drawing, paging
from service.cli.errand import Errand, errand

PAGE = 1_000


@click.command()
@errand
def status(errand: Errand) -> None:
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


def _held(errand: Errand) -> memory.GetBankResponse | None:
    try:
        return errand.client.get_bank(bank_id=errand.bank_id)
    except NotFound:
        return None


def _drawn(
    errand: Errand, count: int, judging: memory.Judging, held: memory.GetBankResponse | None
) -> list[RenderableType]:
    answers = Text(f"{errand.server} answers, with {drawing.many(count, 'bank')}", drawing.STRONG)
    compares = f"sentences are compared by: {judging.model}"
    if judging.memory_bytes:
        compares += f", {judging.memory_bytes / 1e6:.0f} MB"
    if held is None:
        return [
            answers,
            compares,
            f"there is no bank {errand.bank_id!r}: `memorybank ingest` and `remember` make it",
        ]
    insight = errand.client.get_insight(bank_id=errand.bank_id, page_size=1).insight
    waiting = held.counts.unstructured_interactions
    rows = [
        ("next", insight.pending[0].description if insight.pending else ""),
        ("in work", f"{drawing.many(waiting, 'record')} to be sorted into topics" if waiting else ""),
    ]
    return [answers, compares, drawing.bank(held), drawing.pairs(rows)]
