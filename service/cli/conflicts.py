"""How conflicts look in a terminal: the sides below one another, what differs marked, and where each comes from."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from console.differing import Piece, pieces
from memorybank.v1 import types_pb2 as types
from memorybank_client import NotFound, SyncMemoryBankClient
from service.cli.drawing import FAINT, MARGIN, STRONG, WARNING, harmless, moment, pairs, words, written_by


def conflict(found: types.Conflict, nodes: Mapping[str, types.Node]) -> RenderableType:
    """Draws a contradiction: its sides in their own words, and its verdict if it has one. `nodes`: of its sides, those
    that are still there."""
    status = types.ConflictStatus.Name(found.status).removeprefix("CONFLICT_STATUS_")
    told = pairs(
        [
            ("because", found.reasoning),
            ("confidence", f"{found.confidence:.2f}"),
            ("verdict", found.verdict),
            ("merged into", found.node_id),
        ]
    )
    lines = Group(*_sides(found.sides, nodes), told)
    return Group(words(f"{found.conflict_id} {status}", STRONG), Padding(lines, MARGIN))


def drawn(
    client: SyncMemoryBankClient, bank_id: str, found: Sequence[types.Conflict]
) -> list[RenderableType]:
    """Draws conflicts of a bank, with what their nodes tell."""
    nodes = _nodes(client, bank_id, found)
    return [conflict(each, nodes) for each in found]


def _nodes(
    client: SyncMemoryBankClient, bank_id: str, found: Iterable[types.Conflict]
) -> dict[str, types.Node]:
    """Returns the nodes of the sides by id, without those that are gone: a merged one says so by its conflict."""
    nodes: dict[str, types.Node] = {}
    for node_id in dict.fromkeys(side.node_id for each in found for side in each.sides):
        with suppress(NotFound):
            nodes[node_id] = client.get_node(bank_id=bank_id, node_id=node_id).node
    return nodes


def _sides(sides: Sequence[types.Side], nodes: Mapping[str, types.Node]) -> Iterator[Text]:
    for number, side in enumerate(sides):
        other = sides[0 if number else min(1, len(sides) - 1)]
        runs = pieces(_on_one_line(side.quote), _on_one_line(other.quote))
        yield Text.assemble("• ", *map(_run, runs))
        yield words("  " + " · ".join(filter(None, (*_origin(nodes.get(side.node_id)), side.node_id))), FAINT)


def _on_one_line(quote: str) -> str:
    return harmless(" ".join(quote.split()))


def _run(run: Piece) -> Text:
    """Draws a run of words; in brackets, too, what differs: not everybody sees colours."""
    inner = run.text.strip()
    if not (run.differs and inner):
        return Text(run.text)
    before, _, after = run.text.partition(inner)
    return Text(f"{before}[{inner}]{after}", WARNING)


def _origin(node: types.Node | None) -> tuple[str, ...]:
    if node is None:
        return ()
    return moment(node.event_time), node.source, written_by(node.writer)
