"""What a round reads of the bank to judge a node: each looked up once, however often the round is composed."""

from collections.abc import Callable, Collection, Hashable
from functools import partial
from typing import TypeVar

from core.agents.opinions import Opinions
from core.agents.roles import Topic
from core.bank.bank import Bank
from core.bank.search import judging_candidates
from core.ids import NodeId
from core.model.node import Node
from core.model.vector import Vector
from core.usecases.bank.structuring.generated import judged
from core.usecases.moment import Moment

Found = TypeVar("Found")

A_PART = 4  # segments that are read in the time of a part of a search for candidates


class RoundReads:
    """Reads of one round over one bank."""

    def __init__(self, bank: Bank, opinions: Opinions, moment: Moment) -> None:
        self._bank, self._opinions, self._moment = bank, opinions, moment

    def candidates(
        self,
        chosen: Callable[..., list[NodeId]],
        node: Node,
        vector: Vector | None,
        apart: Collection[NodeId],
    ) -> list[NodeId]:
        """Returns the nearest nodes but those `apart`, as `chosen` finds them."""
        k, alpha = self._moment.top_k, self._moment.alpha
        what = (chosen.__name__, node.node_id, frozenset(apart))

        def part(name: Hashable, look: Callable[[], Found]) -> Found:
            return self._once((*what, name), look, A_PART)

        if chosen is judging_candidates:
            chosen = partial(judging_candidates, part=part)
        return self._once(what, lambda: chosen(self._bank, node, vector, k, alpha, apart), A_PART)

    def judged(self, node: Node) -> Topic:
        """Returns a node as the first judgement sees it."""
        return self._once(
            (judged.__name__, node.node_id),
            lambda: judged(self._bank, node, self._moment.judge_assistants),
            len(node.segments),
        )

    def _once(self, what: Hashable, look: Callable[[], Found], segments: int = 0) -> Found:
        return self._opinions.once(self._bank.head, what, look, segments)
