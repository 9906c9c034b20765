"""`memorybank delete`: nodes out of a bank."""

import click

from service.cli.errand import Errand, errand


@click.command()
@click.argument("node_ids", metavar="NODE...", nargs=-1, required=True)
@errand
def delete(errand: Errand, node_ids: tuple[str, ...]) -> None:
    """Delete nodes, with their edges; the verbatim records behind them stay. `memorybank purge` removes a whole bank.

    \b
    Example:
      memorybank delete n-01JD… --bank trip
    """
    deleted = [errand.client.delete_node(bank_id=errand.bank_id, node_id=each) for each in node_ids]
    plain = {"bank_id": errand.bank_id, "node_ids": list(node_ids), "revision": deleted[-1].revision}
    errand.answer(plain, *(f"deleted {node_id}" for node_id in node_ids))
