"""`memorybank conversation`: what was said, in tiers."""

from collections.abc import Iterable, Iterator
from typing import Any

import click
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from memorybank.v1 import conversation_pb2 as pb
from service.cli import drawing, paging
from service.cli.confirming import YES, ask
from service.cli.errand import INT32, CommandContext, errand_of_any
from service.cli.talks import USER, whose
from service.cli.turn_retracting import erase, release, retract, retractions

PAGE = 1_000
SHOWN = 20
MOST_STEPS = 1_000  # of a call that deletes


TOP_K = click.option(
    "-k", "--top-k", type=click.IntRange(1, 1000), help="How many at most.  [default: as configured]"
)


@click.group()
def conversation() -> None:
    """Keep what was said in conversations: the newest turns word for word, older ones by what they are about.

    \b
    Examples:
      memorybank conversation add c1 "The budget is 500 euros." "Noted." --user ada
      memorybank conversation search c1 "how much?" --user ada
      memorybank conversation find "how much?" --user ada
      memorybank conversation keys c1 --add "预算不能超过10万元" --user ada
    """


@conversation.command()
@whose
@click.argument("input", metavar="SAID")
@click.argument("reply", default="")
@click.option("--speaker", "input_speaker", default="", help="Who said it.")
def add(errand: CommandContext, talk: dict[str, Any], **turn: Any) -> None:
    """Add a turn: what was SAID, and its REPLY."""
    added = errand.client.add_turns(**talk, turns=[pb.Turn(**turn)])
    errand.answer(added, f"turn {added.turns[0].step}")


@conversation.command()
@whose
@click.option(
    "--turns", type=click.IntRange(0, INT32), default=SHOWN, show_default=True, help="How many newest."
)
def show(errand: CommandContext, talk: dict[str, Any], turns: int) -> None:
    """Show keys, summaries, clusters, and the newest turns."""
    seen = errand.client.get_conversation(**talk)
    newest = list(_turns(errand, talk, max(1, seen.conversation.last_step - turns + 1))) if turns else []
    keys = [key for page in paging.pages(lambda t: _keys(errand, talk, t)) for key in page.keys]
    summaries = [s for page in paging.pages(lambda t: _summaries(errand, talk, t)) for s in page.summaries]
    counts = seen.counts
    held = {"turn": counts.turns, "cluster": counts.clusters, "key": counts.keys}
    head = ", ".join(drawing.many(count, noun) for noun, count in held.items())
    if counts.unplaced_turns:
        head += f"; {drawing.many(counts.unplaced_turns, 'turn')} to be placed"
    rows = [
        *(("key", key.text) for key in keys),
        *((f"{s.first_step}–{s.last_step}", s.text) for s in summaries),
        *_told(newest),
    ]
    errand.answer(
        {"conversation": seen, "keys": keys, "summaries": summaries, "turns": newest},
        Group(Text(head), _table(rows)),
    )


@conversation.command()
@whose
@click.argument("text")
@TOP_K
def search(errand: CommandContext, talk: dict[str, Any], text: str, top_k: int | None) -> None:
    """Find turns of every tier that bear on TEXT, best first."""
    found = errand.client.search_turns(**talk, text=text, top_k=top_k)
    rows = ((f"{hit.score:.2f} [{hit.turn.step}]", hit.segment) for hit in found.hits)
    errand.answer(found, _table(rows))


@conversation.command()
@click.argument("text")
@USER
@errand_of_any
@click.option("--collection", metavar="NAME", default="", help="Only what teaches it.  [default: any]")
@TOP_K
def find(errand: CommandContext, text: str, user: str, collection: str, top_k: int | None) -> None:
    """Find turns of all of a user's conversations that bear on TEXT, best first."""
    found = errand.client.search_turns(user=user, text=text, collection=collection, top_k=top_k)
    rows = ((f"{hit.score:.2f} {hit.conversation_id} [{hit.turn.step}]", hit.segment) for hit in found.hits)
    searched = f"{drawing.many(found.conversations, 'conversation')} searched"
    searched += "; there are more" if found.more_conversations else ""
    errand.answer(found, Group(Text(searched), _table(rows)))


@conversation.command()
@whose
@click.option("--add", "statement", help="Put this before the model in every later turn.")
@click.option("--delete", "key_id", metavar="KEY", help="Take this key away.")
@YES
def keys(
    errand: CommandContext, talk: dict[str, Any], statement: str | None, key_id: str | None, yes: bool
) -> None:
    """List the statements that every prompt shows; add one, or take one away."""
    if statement is not None and key_id is not None:
        raise click.UsageError("give --add or --delete, not both")
    if statement is not None:
        added = errand.client.add_key(**talk, text=statement)
        errand.answer(added, f"added {added.key.key_id}")
    elif key_id is not None:
        if not yes:
            ask(f"Delete {key_id} of {talk['conversation_id']} for good?")
        errand.answer(errand.client.delete_key(**talk, key_id=key_id), f"deleted {key_id}")
    else:
        found = [key for page in paging.pages(lambda t: _keys(errand, talk, t)) for key in page.keys]
        errand.answer({"keys": found}, _table((key.key_id, key.text) for key in found))


@conversation.command()
@whose
def end(errand: CommandContext, talk: dict[str, Any]) -> None:
    """End a conversation: what has no summary yet gets one, and long-term memory learns. The next turn begins again."""
    errand.answer(errand.client.end_conversation(**talk, wait=True), "ended")


@conversation.command()
@whose
@click.option(
    "--steps", multiple=True, type=click.IntRange(1, INT32), help="Only these turns; may be given again."
)
@click.option("--writer", default="", help="Only turns that API keys of this subject wrote.")
@YES
def purge(
    errand: CommandContext, talk: dict[str, Any], steps: tuple[int, ...], writer: str, yes: bool
) -> None:
    """Delete a conversation, or some of its turns, for good; what they taught goes, too."""
    named = talk["conversation_id"]
    if steps and writer:
        raise click.UsageError("give --steps or --writer, not both")
    if writer:
        steps = tuple(turn.step for turn in _turns(errand, talk, 1, writer))
    if steps or writer:
        _purge_turns(errand, talk, steps, yes=yes)
        return
    held = errand.client.get_conversation(**talk).counts
    if not yes:
        ask(f"{named} holds {held.turns:,} turns. Purge it for good?")
    purged = errand.client.delete_conversation(**talk)
    errand.answer(purged, f"purged {named}: {purged.turns:,} turns")


def _purge_turns(errand: CommandContext, talk: dict[str, Any], steps: tuple[int, ...], *, yes: bool) -> None:
    if steps and not yes:
        ask(f"Delete {len(steps):,} turns of {talk['conversation_id']} for good?")
    total = pb.DeleteTurnsResponse()
    for start in range(0, len(steps), MOST_STEPS):
        gone = errand.client.delete_turns(**talk, steps=steps[start : start + MOST_STEPS])
        for field in ("turns", "clusters", "summaries", "keys"):
            setattr(total, field, getattr(total, field) + getattr(gone, field))
        total.revision = gone.revision
    told = f"deleted {total.turns:,} turns, {total.summaries:,} summaries, {total.keys:,} keys"
    errand.answer(total, told)


def _turns(errand: CommandContext, talk: dict[str, Any], first: int, writer: str = "") -> Iterator[pb.Turn]:
    def read(token: str) -> pb.ListTurnsResponse:
        return errand.client.list_turns(
            **talk, first_step=first, writer=writer, page_size=PAGE, page_token=token
        )

    for page in paging.pages(read):
        yield from page.turns


def _keys(errand: CommandContext, talk: dict[str, Any], token: str) -> pb.ListKeysResponse:
    return errand.client.list_keys(**talk, page_size=PAGE, page_token=token)


def _summaries(errand: CommandContext, talk: dict[str, Any], token: str) -> pb.ListSummariesResponse:
    return errand.client.list_summaries(**talk, page_size=PAGE, page_token=token)


def _told(turns: Iterable[pb.Turn]) -> Iterator[tuple[str, str]]:
    for turn in turns:
        sides = ((turn.input_speaker or "User", turn.input), (turn.reply_speaker or "Assistant", turn.reply))
        said = [f"{speaker}: {text}" for speaker, text in sides if text]
        yield f"[{turn.step}]", "\n".join(filter(None, (*said, drawing.written_by(turn.writer))))


def _table(rows: Iterable[tuple[str, str]]) -> RenderableType:
    """Returns the lines as a table: what each is, and its text."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style=drawing.FAINT)
    table.add_column(overflow="fold", ratio=1)
    for head, text in rows:
        table.add_row(Text(head), drawing.words(text))
    return table if table.row_count else Text("nothing there", drawing.FAINT)


for command in (retract, release, erase, retractions):
    conversation.add_command(command)
