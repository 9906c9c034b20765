"""What commands that take something back share: options of the choice, and the list of what was taken back."""

import functools
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

import click
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from memorybank.v1 import types_pb2 as types
from memorybank_client import timestamp
from service.cli import drawing

PAGE = 1_000
STATES = {
    types.RETRACTION_STATE_QUARANTINED: "QUARANTINED",
    types.RETRACTION_STATE_RELEASED: "released",
    types.RETRACTION_STATE_ERASED: "erased",
}
MOMENT = click.DateTime(("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"))
OPTIONS = (
    click.option("--since", type=MOMENT, help="What was written from this moment on (UTC)."),
    click.option("--until", type=MOMENT, help="What was written before it (UTC)."),
    click.option("--reason", default="", help="Why."),
    click.option("--dry-run", is_flag=True, help="Only tell what would go."),
)


def by_time(command: Callable[..., None]) -> Callable[..., None]:
    """Adds the options of a time of writing, which comes as `written`, of a reason and of a trial."""

    @functools.wraps(command)
    def run(*args: Any, since: datetime | None, until: datetime | None, **how: Any) -> None:
        command(*args, written=_written(since, until), **how)

    asked: Callable[..., None] = run
    for option in reversed(OPTIONS):
        asked = option(asked)
    return asked


def table_of(retractions: Iterable[tuple[Any, str, Iterable[str]]]) -> RenderableType:
    """Draws retractions, a row each: with what each took, and by what it was asked for."""
    table = Table.grid(padding=(0, 2, 0, 0))
    for each, took, asked in retractions:
        state, when = STATES.get(each.state, "?"), drawing.moment(each.create_time)
        words = drawing.words(" ".join(filter(None, (*asked, each.reason))))
        table.add_row(each.retraction_id, state, when, took, words)
    return table if table.row_count else Text("nothing was taken back", drawing.FAINT)


def _written(since: datetime | None, until: datetime | None) -> types.TimeRange | None:
    """Returns a time of writing; None where neither end is given."""
    return types.TimeRange(start=_moment(since), end=_moment(until)) if since or until else None


def _moment(given: datetime | None) -> Any:
    return None if given is None else timestamp(given.replace(tzinfo=UTC))
