"""`memorybank erase-mentions`: what a user's memory says of somebody or something goes."""

import click

from memorybank.v1 import long_term_pb2 as pb
from service.cli import drawing
from service.cli.confirming import YES, ask
from service.cli.errand import CommandContext, errand_of_any

SHOWN = 20


@click.command(name="erase-mentions")
@click.option(
    "--user",
    metavar="NAME",
    envvar="MEMORYBANK_USER",
    required=True,
    help="Whose memory (or MEMORYBANK_USER).",
)
@click.option("--name", required=True, help="What the person or the thing is called.")
@click.option("--alias", "aliases", multiple=True, help="Another name; may be given again.")
@click.option("--dry-run", is_flag=True, help="Only tell what would go.")
@errand_of_any
@YES
def erase_mentions(
    errand: CommandContext, user: str, name: str, aliases: tuple[str, ...], dry_run: bool, yes: bool
) -> None:
    """Erase what a user's conversations and facts say of somebody or something.

    Sentences that hold a name are overwritten, facts that hold one go, and what rested on them is made anew.
    Instructions and files are listed, not changed. What was cut short is called again.

    \b
    Examples:
      memorybank erase-mentions --user ada --name "Bob Miller" --alias Bobby --dry-run
      memorybank erase-mentions --user ada --name 李雷 --yes
    """
    if not dry_run and not yes:
        ask(f"Erase what the memory of {user} says of {name}, for good?")
    done = errand.client.erase_mentions(user=user, mentions=[name, *aliases], dry_run=dry_run)
    errand.answer(done, _told(done, dry_run=dry_run))


def _told(done: pb.EraseMentionsResponse, *, dry_run: bool) -> str:
    counts = {
        "turn": done.turns,
        "record": done.records + done.interactions,
        "summary": done.summaries,
        "key": done.keys,
        "reflection": done.reflections,
        "opinion": done.feedback,
    }
    went = ", ".join(drawing.many(count, noun) for noun, count in counts.items() if count)
    lines = [f"{'would be erased' if dry_run else 'erased'}: {went}" if went else "nothing names it"]
    lines += [f"look at: {place}" for place in done.left[:SHOWN]]
    lines += [f"and {len(done.left) - SHOWN:,} more"] if len(done.left) > SHOWN else []
    return "\n".join(lines)
