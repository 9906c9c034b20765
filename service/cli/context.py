"""`memorybank context`: what stands before a model for an input, section by section, and what the budget left out."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import click
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from memorybank.v1 import instructions_pb2 as instructions
from memorybank.v1 import retrieval_pb2 as pb
from memorybank.v1 import types_pb2 as types
from service.cli import drawing
from service.cli.errand import INT32, CommandContext, errand_of_any
from service.cli.messages import say

LOSSES = {
    types.LEFT_OUT_REASON_SHORTENED: "shortened",
    types.LEFT_OUT_REASON_DROPPED: "left out",
    types.LEFT_OUT_REASON_CONTESTED: "left out, contested",
    types.LEFT_OUT_REASON_BELOW_FLOOR: "below the floor",
}
BAR = 24  # characters of the longest bar


@click.command()
@click.argument("input", metavar="TEXT")
@click.option(
    "--user", metavar="NAME", envvar="MEMORYBANK_USER", default="", help="Whose memory (or MEMORYBANK_USER)."
)
@click.option(
    "--conversation",
    "conversation_id",
    metavar="ID",
    default="",
    help="The conversation's turns, summaries, keys.",
)
@click.option("--bank", "bank_id", metavar="ID", default="", help="A task's bank.")
@click.option("--collection", metavar="NAME", help="Long-term memory under this name; '' is the unnamed one.")
@click.option(
    "--invocation", "invocation_id", metavar="ID", default="", help="An invocation's working memory."
)
@click.option("--instructions", "told", is_flag=True, help="The user's instruction documents.")
@click.option("--system", default="", help="What the model is told first.")
@click.option("--state", default="", help="Where things stand: episodes are to be like it, too.")
@click.option(
    "--budget",
    "token_budget",
    type=click.IntRange(1, INT32),
    help="The most tokens.  [default: as configured]",
)
@click.option(
    "--recall-turns/--no-recall-turns", default=True, help="What was said in other conversations, too."
)
@click.option("--tools", is_flag=True, help="Declare the tools that go with it.")
@click.option("--prompt", "full", is_flag=True, help="Show the prompt itself, too.")
@errand_of_any
def context(
    errand: CommandContext,
    /,
    user: str,
    told: bool,
    token_budget: int | None,
    full: bool,
    collection: str | None,
    **named: Any,
) -> None:
    """Assemble the context for TEXT out of the memories that are named, and show how it fills its budget.

    \b
    Examples:
      memorybank context "when does the ferry leave?" --user ada --conversation c1 --budget 2000
      memorybank context "数据库用什么？" --user ada --collection "" --prompt
    """
    refs = [instructions.SourceRef(owner=instructions.Owner(user=user))] if told else []
    made = errand.client.assemble_context(
        user=user if _is_anybodys(named, told, collection) else "",
        refs=refs,
        token_budget=token_budget,
        allow_partial=True,
        observe=True,
        bank_id=errand.bank_id,
        collection=collection,
        **named,
    )
    parts: list[RenderableType] = [_sections(made, token_budget)]
    parts += [Text(line, drawing.WARNING) for line in _missing(made)]
    if full:
        parts += [Text(""), drawing.words(made.prompt)]
    errand.answer(made, Group(*parts))


def _is_anybodys(named: dict[str, Any], told: bool, collection: str | None) -> bool:
    """Whether anything that belongs to a user is asked for: a bank has no owner."""
    return bool(told or collection is not None or named["conversation_id"] or named["invocation_id"])


def _sections(made: pb.AssembleContextResponse, budget: int | None) -> RenderableType:
    """Draws a line for each section: its tokens, how much of the longest that is, what of it was lost."""
    lost = _lost(made)
    longest = max((section.tokens for section in made.sections), default=1)
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(justify="right")
    table.add_column(no_wrap=True, style=drawing.FAINT)
    table.add_column(overflow="fold", style=drawing.FAINT)
    for section in made.sections:
        bar = "█" * max(1, round(BAR * section.tokens / longest))
        table.add_row(section.name, f"{section.tokens:,}", bar, lost.pop(section.name, ""))
    for name, what in lost.items():
        table.add_row(name, "0", "", what)
    of = f" of {budget:,}" if budget else ""
    table.add_row(Text(say("in all"), drawing.STRONG), Text(f"{made.tokens:,}{of}", drawing.STRONG), "", "")
    return table


def _lost(made: pb.AssembleContextResponse) -> dict[str, str]:
    """Returns by section how many were shortened or left out, and the tokens that saved."""
    by_section: dict[str, Counter[tuple[str, str]]] = {}
    saved: Counter[str] = Counter()
    for each in made.left_out:
        by_section.setdefault(each.section, Counter())[LOSSES.get(each.reason, "?"), each.what] += 1
        saved[each.section] += each.tokens
    return {section: f"{_told(counts)} (−{saved[section]:,})" for section, counts in by_section.items()}


def _told(counts: Counter[tuple[str, str]]) -> str:
    return ", ".join(f"{drawing.many(count, what)} {loss}" for (loss, what), count in sorted(counts.items()))


def _missing(made: pb.AssembleContextResponse) -> Iterator[str]:
    for each in made.missing:
        part = pb.ContextPart.Name(each.part).removeprefix("CONTEXT_PART_").lower()
        yield f"missing: {part.replace('_', ' ')} ({each.reason})"
    for source in made.missing_sources:
        yield f"missing: document {source.ref.path or 'any'}"
