"""`memorybank why`: why a memory stands in a prompt, or why not, and what lets it stand."""

import re
from collections.abc import Iterator
from typing import Any, Final

import click
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import retrieval_pb2 as pb
from memorybank.v1.types_pb2 import SegmentRef
from service.cli import drawing
from service.cli.errand import INT32, CommandContext, errand_of_any
from service.cli.exits import Exit, Failure
from service.cli.why_pair import told_between

INDENT = (0, 0, 0, 2)
SEGMENT = re.compile(r"(i-[^#]+)#(\d+)")
TOLD: Final = {
    pb.EXPLAIN_REASON_STANDS: "stands in the prompt",
    pb.EXPLAIN_REASON_SHORTENED: "stands in its shorter form: the budget has no room for the whole",
    pb.EXPLAIN_REASON_REPEATED: "stands by what says as much",
    pb.EXPLAIN_REASON_BUDGET: "left out: found, but the budget has no room for it",
    pb.EXPLAIN_REASON_RANK: "left out: others are more like the input, and only so many are looked for",
    pb.EXPLAIN_REASON_UNLIKE: "left out: it has nothing in common with the input, or too many have more",
    pb.EXPLAIN_REASON_NEEDLESS: "left out: the input needs nothing from memory",
    pb.EXPLAIN_REASON_SUPERSEDED: "left out: another took its place",
    pb.EXPLAIN_REASON_EXPIRED: "left out: its time is over",
    pb.EXPLAIN_REASON_OTHER_COLLECTION: "left out: it is in another collection",
    pb.EXPLAIN_REASON_NOT_SHOWN: "left out: no prompt shows its like",
    pb.EXPLAIN_REASON_PART_LEFT_OUT: "left out: the parts asked for do not have it",
    pb.EXPLAIN_REASON_MEMORY_OFF: "left out: memory is switched off",
    pb.EXPLAIN_REASON_AWAITS_REVIEW: "left out: it waits until a person approves it (`memorybank review`)",
    pb.EXPLAIN_REASON_BELOW_FLOOR: "left out: it weighs less than the floor",
}
OPTIONS: Final = {
    "token_budget": "--budget",
    "top_memories": "--top-memories",
    "top_facts": "--top-facts",
    "min_score": "--min-score",
}
"""What a field of the request is called here; others as in the contract."""


@click.command()
@click.argument("query")
@click.argument("memory")
@click.option(
    "--user", metavar="NAME", envvar="MEMORYBANK_USER", default="", help="Whose memory (or MEMORYBANK_USER)."
)
@click.option("--conversation", "conversation_id", metavar="ID", default="", help="The conversation.")
@click.option("--bank", "bank_id", metavar="ID", default="", help="The bank.")
@click.option("--collection", metavar="NAME", help="Long-term memory under this name; '' is the unnamed one.")
@click.option(
    "--budget", "token_budget", type=click.IntRange(1, INT32), help="The most tokens of the prompt."
)
@click.option("--top-memories", type=click.IntRange(1, 1000), help="How many of the bank are looked for.")
@click.option("--top-facts", type=click.IntRange(0, 1000), help="How many facts are looked for.")
@click.option("--min-score", type=click.FloatRange(0, 1), help="The least weight of what is found.")
@click.option(
    "--recall-turns/--no-recall-turns", default=True, help="What was said in other conversations, too."
)
@errand_of_any
def why(errand: CommandContext, /, query: str, memory: str, **asked: Any) -> None:
    """Tell why MEMORY stands in the prompt for QUERY, or why not, and what lets it stand.

    With two ids of nodes (n-…) or of facts (r-…): what the offline Judge makes of the two, and why.

    MEMORY is the id of a node (or its handle in a prompt), a record or a segment, a turn's number, or words: then
    what says them is looked for.

    \b
    Examples:
      memorybank why "when does the ferry leave?" "leaves at nine" --bank trip
      memorybank why "which database?" r-01m8kr5vadthf51ttp68bge6k6 --user ada --collection ""
      memorybank why "什么时候开船？" 17 --user ada --conversation c1
      memorybank why n-01m8kr5vadthf51ttp68bge6k6 n-01m8kr9c2xw8c1d5w0q7r9f3ha --bank trip
    """
    if _are_all(r"n-\S+", query, memory):
        told_between(errand, query, memory, bank_id=errand.bank_id)
        return
    if _are_all(r"r-\S+", query, memory):
        told_between(errand, query, memory, user=asked["user"], collection=asked["collection"] or "")
        return
    owned = asked["conversation_id"] or asked["collection"] is not None or memory.startswith("r-")
    asked |= {"user": asked["user"] if owned else "", "bank_id": errand.bank_id}
    found = errand.client.explain(input=query, **asked, **_named(memory, asked))
    if not found.memories and not errand.as_json:
        raise Failure(f"nothing says “{memory}”, or is like it", exit_code=Exit.NOT_FOUND)
    errand.answer(found, Group(*(_drawn(each) for each in found.memories)))


def _are_all(pattern: str, *names: str) -> bool:
    return all(re.fullmatch(pattern, name) for name in names)


def _named(memory: str, asked: dict[str, Any]) -> dict[str, Any]:
    """Returns the field that names the memory: words, unless it looks like an id of what is named."""
    if segment := SEGMENT.fullmatch(memory):
        return {"segment": SegmentRef(interaction_id=segment[1], index=int(segment[2]))}
    if memory.startswith("r-") and " " not in memory:
        return {"record_id": memory}
    if memory.isdecimal() and asked["conversation_id"]:
        return {"step": int(memory)}
    if asked["bank_id"] and re.fullmatch(r"n-\S+|[0-9a-z]{5,26}", memory) and re.search(r"\d", memory):
        return {"node_id": memory}
    return {"text": memory}


def _drawn(told: pb.Explanation) -> RenderableType:
    title = Text(f"{told.what} {told.id}  ", drawing.STRONG)
    title.append(TOLD.get(told.reason, "?"), "" if told.stands else drawing.WARNING)
    lines = [drawing.words(" ".join(told.text.split()), drawing.FAINT)]
    lines += [drawing.words(line) for line in _lines(told)]
    return Group(title, *(Padding(line, INDENT) for line in lines))


def _lines(told: pb.Explanation) -> Iterator[str]:
    if told.nearest:
        yield "it does not say the words asked for: it is the most alike of what there is"
    if told.item_id:
        yield f"as {told.item_id} in the section {told.section}"
    if told.reason == pb.EXPLAIN_REASON_SUPERSEDED:
        name = long_term.SupersededReason.Name(told.superseded_reason).removeprefix("SUPERSEDED_REASON_")
        yield f"by {told.other_id} ({name})"
    if told.HasField("expire_time"):
        yield f"since {drawing.moment(told.expire_time)}"
    if told.contested_with:
        yield f"contested: {', '.join(told.contested_with)}"
    if measures := ", ".join(_measures(told)):
        yield measures
    if told.changes:
        changes = " ".join(f"{OPTIONS.get(c.field, c.field)} {c.value or repr('')}" for c in told.changes)
        yield f"it stands with {changes}"


def _measures(told: pb.Explanation) -> Iterator[str]:
    if told.rank:
        yield f"rank {told.rank}"
    for name in ("words", "cosine", "weight", "cut"):
        if told.HasField(name):
            yield f"{'the least that stands' if name == 'cut' else name} {getattr(told, name):.3f}"
