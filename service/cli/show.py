"""`memorybank show`: what a bank is, and what it holds."""

import functools
from collections.abc import Iterator
from itertools import islice

import click
from rich.console import Group, RenderableType
from rich.text import Text

from memorybank.v1 import types_pb2 as types
from service.cli import drawing, paging
from service.cli.conflicts import drawn
from service.cli.errand import INT32, CommandContext, errand, errand_of_any

PAGE = 200


@click.group()
def show() -> None:
    """Show a bank, its plan, graph or conflicts, or one node.

    \b
    Examples:
      memorybank show banks
      memorybank show graph --bank trip
      memorybank show node n-01JD… --bank trip
    """


@show.command()
@errand_of_any
@click.option("--user", metavar="NAME", default="", help="Only this user's.")
@click.option("--collection", metavar="NAME", default="", help="Only this collection's.")
def banks(errand: CommandContext, user: str, collection: str) -> None:
    """Show which banks there are."""
    read = functools.partial(errand.client.list_banks, user=user, collection=collection, page_size=PAGE)
    found = [each for page in paging.pages(lambda token: read(page_token=token)) for each in page.banks]
    errand.answer({"banks": found}, drawing.banks(found))


@show.command()
@errand
def bank(errand: CommandContext) -> None:
    """Show a bank's record, and how much it holds."""
    found = errand.client.get_bank(bank_id=errand.bank_id)
    errand.answer(found, drawing.bank(found))


@show.command()
@errand
def insight(errand: CommandContext) -> None:
    """Show the insight document: goal, what was done, what comes next."""
    read = functools.partial(errand.client.get_insight, bank_id=errand.bank_id, page_size=PAGE)
    found, *more = paging.pages(lambda token: read(page_token=token))
    for page in more:
        found.insight.completed.extend(page.insight.completed)
    found.next_page_token = ""
    errand.answer(found, drawing.insight(found.insight))


@show.command()
@errand
@click.option("--all", "closed_too", is_flag=True, help="Suspected, settled and dismissed ones too.")
def conflicts(errand: CommandContext, closed_too: bool) -> None:
    """Show contradictions that wait for a verdict."""
    statuses = (
        types.CONFLICT_STATUS_OPEN,
        types.CONFLICT_STATUS_RESOLVED,
        types.CONFLICT_STATUS_DISMISSED,
        types.CONFLICT_STATUS_MOOT,
        types.CONFLICT_STATUS_SUSPECTED,
    )
    found = list(paging.conflicts(errand.client, errand.bank_id, *(statuses if closed_too else ())))
    errand.answer(
        {"conflicts": found},
        *(drawn(errand.client, errand.bank_id, found) or [Text("no conflicts", drawing.FAINT)]),
    )


@show.command()
@click.argument("node_id", metavar="NODE")
@errand
def node(errand: CommandContext, node_id: str) -> None:
    """Show one node: what it says, and its place in the graph."""
    found = errand.client.get_node(bank_id=errand.bank_id, node_id=node_id)
    errand.answer(found, drawing.node(found))


@show.command()
@errand
@click.option(
    "--limit", type=click.IntRange(1, INT32), default=200, show_default=True, help="At most so many nodes."
)
def graph(errand: CommandContext, limit: int) -> None:
    """Show nodes and edges as an adjacency list."""
    held = errand.client.get_bank(bank_id=errand.bank_id)
    nodes = list(islice(_nodes(errand, limit), limit))
    neighbors = {
        each.node_id: list(errand.client.get_node(bank_id=errand.bank_id, node_id=each.node_id).neighbor_ids)
        for each in nodes
    }
    edges = sorted({tuple(sorted((one, other))) for one, others in neighbors.items() for other in others})
    plain = {
        "nodes": nodes,
        "edges": [{"node_id": one, "other_node_id": other} for one, other in edges],
        "complete": len(nodes) == held.counts.nodes,
    }
    counts = f"{held.counts.nodes:,} nodes, {held.counts.edges:,} edges"
    more = f"; the first {len(nodes):,} are shown" if len(nodes) < held.counts.nodes else ""
    drawn: RenderableType = drawing.adjacency(nodes, neighbors) if nodes else Text()
    errand.answer(plain, Group(Text(counts + more), drawn))


def _nodes(errand: CommandContext, limit: int) -> Iterator[types.Node]:
    read = functools.partial(errand.client.list_nodes, bank_id=errand.bank_id, page_size=min(limit, PAGE))
    for page in paging.pages(lambda token: read(page_token=token)):
        yield from page.nodes
