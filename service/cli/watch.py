"""`memorybank watch`: what changes in a bank, as it changes.

Law: with --json each revision is one line. It ends with Ctrl-C, and says from where to go on.
"""

from contextlib import closing

import click

from memorybank.v1 import memory_bank_pb2 as memory
from memorybank.v1 import types_pb2 as types
from service.cli import drawing
from service.cli.errand import INT64, CommandContext, errand, json_of


@click.command()
@errand
@click.option(
    "--from",
    "from_revision",
    metavar="REVISION",
    type=click.IntRange(0, INT64),
    help="What came after this revision first; 0: everything that is kept.  [default: from now on]",
)
def watch(errand: CommandContext, from_revision: int | None) -> None:
    """Follow what changes in a bank, a line for each thing, until Ctrl-C. With --json a line for each revision.

    \b
    Examples:
      memorybank watch --bank trip
      memorybank watch --bank trip --from 0 --json | jq .events
    """
    with closing(errand.client.watch_bank(bank_id=errand.bank_id, from_revision=from_revision)) as changes:
        for change in changes:
            errand.kept[:] = [
                f"go on with: memorybank watch --bank {errand.bank_id} --from {change.revision}"
            ]
            if errand.as_json:
                click.echo(json_of(change))
                continue
            for line in _lines(change):
                click.echo(drawing.words(line).plain)


def _lines(change: memory.WatchBankResponse) -> list[str]:
    when = change.time.ToDatetime().strftime("%H:%M:%S")
    return [f"{when} r{change.revision}  {_told(event)}" for event in change.events]


def _told(event: memory.ChangeEvent) -> str:
    """`node added  n-…  what it says`."""
    kind = event.WhichOneof("event") or "changed"
    return f"{kind.replace('_', ' ')}  {_shown(getattr(event, kind, None))}".rstrip()


def _shown(what: object) -> str:
    if isinstance(what, types.Node):
        return f"{what.node_id}  {drawing.glimpse(what.summary, 120)}"
    if isinstance(what, types.NodePair):
        return f"{what.node_id}  {what.other_node_id}"
    if isinstance(what, types.Conflict):
        return f"{what.conflict_id}  {drawing.glimpse(what.description, 120)}"
    if isinstance(what, types.Interaction):
        source = f"  {what.source}" if what.source else ""
        return f"{what.interaction_id}{source}  {what.text_length:,} characters"
    if isinstance(what, types.MergeMade):
        return f"{', '.join(what.absorbed_node_ids)} into {what.into_node_id}"
    if isinstance(what, types.Insight):
        return drawing.glimpse(what.pending[0].description, 120) if what.pending else "finished"
    if isinstance(what, types.Structuring):
        state = types.StructuringState.Name(what.state).removeprefix("STRUCTURING_STATE_").lower()
        return f"{what.interaction_id}  {state}"
    if isinstance(what, types.ClusterWork):
        return f"{what.interaction_id}  {drawing.glimpse(what.context, 120)}"
    if isinstance(what, types.Bank):
        return drawing.glimpse(what.goal, 120)
    return what if isinstance(what, str) else ""
