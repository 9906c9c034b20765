"""The vectors of the nodes that a round makes and rewords: at once, or of what it rewords later."""

from collections.abc import Collection, Mapping, Sequence

from core.agents.opinions import Opinions
from core.bank.bank import Bank
from core.bank.unembedded import checksum
from core.ids import NodeId
from core.model.node import Node
from core.model.vector import Vector
from core.usecases.bank.structuring.absorb import embedding_text


class RoundVectors:
    """Asks for the vectors of one round. `embeds_later`: nodes that it rewords keep theirs."""

    def __init__(self, bank: Bank, opinions: Opinions, *, embeds_later: bool) -> None:
        self._bank, self._opinions, self._embeds_later = bank, opinions, embeds_later
        self._reworded: dict[NodeId, None] = {}

    def of(self, made: Sequence[Node], reworded: Sequence[Node]) -> list[Vector | None]:
        """Returns the vectors of both; None for each that is embedded later. Raises OpinionPending."""
        now = made if self._embeds_later else (*made, *reworded)
        vectors = self._opinions.vectors([embedding_text(node) for node in now])
        later = reworded if self._embeds_later else ()
        self._reworded |= dict.fromkeys(node.node_id for node in later)
        return [*vectors, *[None] * len(later)]

    def reworded(self, own: Mapping[NodeId, Vector | None], gone: Collection[NodeId]) -> dict[NodeId, int]:
        """Returns what is embedded later, with a checksum of the vector that each has: its `own`, or the bank's."""
        return {
            n: checksum(own[n] if n in own else self._bank.node_vectors.get(n))
            for n in self._reworded
            if n not in gone
        }
