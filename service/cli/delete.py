"""`memorybank delete`: nodes out of a bank."""

import click

from service.cli import drawing
from service.cli.confirming import YES, ask
from service.cli.errand import CommandContext, errand


@click.command()
@click.argument("node_ids", metavar="NODE...", nargs=-1, required=True)
@errand
@YES
def delete(errand: CommandContext, node_ids: tuple[str, ...], yes: bool) -> None:
    """Delete nodes for good, with their edges; the records behind them stay. `memorybank purge` removes a whole bank.

    \b
    Example:
      memorybank delete n-01JD… --bank trip --yes
    """
    for each in node_ids:  # none is deleted where one is unknown
        errand.client.get_node(bank_id=errand.bank_id, node_id=each)
    if not yes:
        ask(f"Delete {drawing.many(len(node_ids), 'node')} of {errand.bank_id} for good?")
    deleted = [errand.client.delete_node(bank_id=errand.bank_id, node_id=each) for each in node_ids]
    plain = {"bank_id": errand.bank_id, "node_ids": list(node_ids), "revision": deleted[-1].revision}
    errand.answer(plain, *(f"deleted {node_id}" for node_id in node_ids))
