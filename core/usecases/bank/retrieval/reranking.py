"""Asking a reranker before a search is answered.

Law: nothing is held while it reads, and nothing waits for it beyond its own time. Its opinions go by the texts that
it read; the answer is searched for after it, on one revision, whatever was written meanwhile. Without opinions that
search is the plain one, and the answer says why.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.bank.bank import Bank
from core.bank.query import Query
from core.bank.reranked import Opinions, reading
from core.bank.search import worth_reading
from core.internal_errors import RerankerLate, RerankerUnavailable
from core.keys import BankKey
from core.usecases.bank.ports import SearchPorts
from core.usecases.ports import HasWorkshop
from core.usecases.settings import Reranking


class RerankOutcome(StrEnum):
    """What became of a query's reranking."""

    UNASKED = "unasked"  # there is none, it was to be left out, or nothing was there for it to read
    DONE = "done"
    LATE = "late"  # it gave no answer in its time
    UNAVAILABLE = "unavailable"  # it failed, or answered what cannot be used


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankResult:
    """What became of it, and where it is DONE, the opinions."""

    reranked: RerankOutcome = RerankOutcome.UNASKED
    opinions: Opinions | None = None


UNJUDGED = RerankResult()

Queries = Callable[[Bank], Sequence[Query | None]]
"""The queries as they stand for a bank; None for what no reranker is asked about."""


async def second_opinions(
    ports: SearchPorts, key: BankKey, min_revision: int, queries: Queries
) -> Sequence[RerankResult]:
    """Returns the scores that the house's reranker gives the candidates of each query. Raises what reading a bank
    does, and what `queries` does."""
    chosen = ports.reranking
    assert chosen is not None, "without a reranker there is nothing to ask"
    async with ports.banks.reading(key, min_revision) as bank:
        asked = [(query, _texts(bank, query, chosen)) for query in queries(bank)]
    return await asyncio.gather(*(_judged(ports, key, chosen, query, texts) for query, texts in asked))


def _texts(bank: Bank, query: Query | None, chosen: Reranking) -> list[str]:
    """Returns the texts that it reads for the query, each once."""
    hits = [] if query is None else worth_reading(bank, query, chosen.candidates)
    return list(dict.fromkeys(reading(bank, hit, chosen.characters) for hit in hits))


async def _judged(
    ports: HasWorkshop, key: BankKey, chosen: Reranking, query: Query | None, texts: Sequence[str]
) -> RerankResult:
    if query is None or not texts:
        return UNJUDGED
    try:
        with ports.workshop.ledger(key).spending("reranker"):
            scores = await chosen.reranker.rerank(query.text[: chosen.characters], texts)
    except RerankerLate:
        return RerankResult(reranked=RerankOutcome.LATE)
    except RerankerUnavailable:
        return RerankResult(reranked=RerankOutcome.UNAVAILABLE)
    opinions = Opinions(
        by_text=dict(zip(texts, scores, strict=True)),
        weight=chosen.weight,
        depth=chosen.candidates,
        characters=chosen.characters,
    )
    return RerankResult(reranked=RerankOutcome.DONE, opinions=opinions)
