"""A Reranker in memory that answers what it was told to, and remembers what it was asked."""

from collections.abc import Iterable, Sequence

from core.internal_errors import RerankerUnavailable


def sharing(query: str, text: str) -> float:
    """The share of the query's characters that stand in the text: an opinion on any language, 0 to 1."""
    wanted = set(query.casefold().split() if " " in query else query)
    return sum(part in text.casefold() for part in wanted) / len(wanted) if wanted else 0.0


class ScriptedReranker:
    """Gives the opinions of the script one call after the other, an exception in its turn; then `sharing`'s."""

    def __init__(self, script: Iterable[Sequence[float] | Exception] = ()) -> None:
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        self._script = list(script)

    async def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        self.asked.append((query, tuple(texts)))
        said = self._script.pop(0) if self._script else [sharing(query, text) for text in texts]
        if isinstance(said, Exception):
            raise said
        if len(said) != len(texts):
            raise RerankerUnavailable("the script has other texts in mind")
        return said
