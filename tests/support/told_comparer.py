"""A comparer that says what it was told of pairs of sentences, in either order, and None of others."""

from collections.abc import Mapping, Sequence

from core.agents.offline.judge import OfflineJudge
from core.ports.comparer import Likelihood
from tests.support.hashing_embedder import HashingEmbedder

Said = Mapping[tuple[str, str], Likelihood]


class ToldComparer:
    """`asked` are the pairs it was asked about."""

    model = "told"
    size = 0

    def __init__(self, said: Said) -> None:
        self._said = {frozenset(pair): likelihood for pair, likelihood in said.items()}
        self.asked: list[tuple[str, str]] = []

    async def compare(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Likelihood | None]:
        self.asked += pairs
        return [self._said.get(frozenset(pair)) for pair in pairs]

    def forget(self) -> None:
        self.asked.clear()


def told_judge(said: Said) -> OfflineJudge:
    """A judge that asks such a comparer."""
    return OfflineJudge(HashingEmbedder(), ToldComparer(said))
