"""Search and BatchSearch: text, vector or node as the query.

What is asked and answered stands in named tuples: a search is over before a dataclass of so many fields is made.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import NamedTuple

from core.bank.bank import Bank
from core.bank.query import Filter, Fusion, Query, QueryResult, Target
from core.bank.search import search
from core.ids import NodeId
from core.index.giving_way import yield_to_loop
from core.index.scoring import Mode
from core.keys import BankKey
from core.model.vector import Vector
from core.usecases.bank.ports import BankPorts, SearchPorts
from core.usecases.bank.retrieval.reranking import UNJUDGED, RerankOutcome, RerankResult, second_opinions
from core.usecases.ports import CommonPorts
from core.usecases.spaces import require_own_space
from core.usecases.vectors import unit
from core.verbatim.structure import Structure


class Ask(NamedTuple):
    """One query: a `text`, an `embedding` as it came, or a `node_id`; with keywords alone none of them.

    Without `structure` or `min_score`: as configured.
    """

    text: str = ""
    embedding: Vector | None = None
    node_id: NodeId | None = None
    keywords: tuple[str, ...] = ()
    top_k: int | None = None
    alpha: float | None = None
    mode: Mode = Mode.HYBRID
    target: Target = Target.NODES
    fusion: Fusion = Fusion.WEIGHTED
    hops: int = 1
    max_neighbors: int = 100
    min_score: float | None = None
    exclude: frozenset[NodeId] = frozenset()
    filter: Filter = Filter()
    structure: Structure | None = None
    include_embedding: bool = False
    skip_reranker: bool = False

    @property
    def may_be_reranked(self) -> bool:
        """One side alone was asked for by its name; and what is no text, a reranker cannot read."""
        return bool(self.text) and self.mode is Mode.HYBRID and not self.skip_reranker


class Searches(NamedTuple):
    """Queries answered on one revision."""

    key: BankKey
    asks: tuple[Ask, ...]
    min_revision: int = 0


class Answer(NamedTuple):
    """What one query found; `vectors` of the hits' nodes in their order, where asked for."""

    found: QueryResult
    vectors: tuple[Vector | None, ...] = ()
    reranked: RerankOutcome = RerankOutcome.UNASKED


class SearchAnswers(NamedTuple):
    answers: tuple[Answer, ...]
    revision: int


PORTION = 8  # searches between two turns of others: some 4 ms
_TEXT = attrgetter("text")


async def run_searches(ports: SearchPorts, command: Searches) -> SearchAnswers:
    """Answers every query, in order. Raises BankNotFound, NodeNotFound, NodeAbsorbed, InvalidField (`embedding`),
    EmbeddingSpaceMismatch."""
    asks = command.asks
    vectors: Mapping[str, Vector] = {}
    judged: Sequence[RerankResult] = [UNJUDGED] * len(asks)
    if any(map(_TEXT, asks)):  # else nothing is to be embedded, nor could it be judged
        vectors = await _text_vectors(ports, command)
        judged = await _judged(ports, command, vectors)
    async with ports.banks.reading(command.key, command.min_revision) as bank:
        ways = [
            partial(_answer, ports, bank, ask, vectors.get(ask.text), of_ask)
            for ask, of_ask in zip(asks, judged, strict=True)
        ]
        return SearchAnswers(answers=tuple(await _at_one_head(bank, ways)), revision=bank.revision)


async def _at_one_head(bank: Bank, ways: Sequence[Callable[[], Answer]]) -> list[Answer]:
    """Returns all answers as the bank stands, others having the loop between portions of many. Where it moved in such a
    turn, all are found anew, in one go."""
    head = bank.head
    found: list[Answer] = []
    for start in range(0, len(ways), PORTION):
        if start:
            await yield_to_loop()
            if bank.head != head:
                return [way() for way in ways]
        found += [way() for way in ways[start : start + PORTION]]
    return found


async def _text_vectors(ports: BankPorts, command: Searches) -> dict[str, Vector]:
    """Vectors of the texts that need one: not in a bank of CLIENT vectors, not for attributes alone."""
    texts = [ask.text for ask in command.asks if ask.text and ask.mode is not Mode.ATTRIBUTE]
    wanted = list(dict.fromkeys(texts))
    if not wanted:
        return {}
    async with ports.banks.reading(command.key, command.min_revision) as bank:
        if not bank.embeds:
            return {}
        require_own_space(ports, bank)
    return dict(zip(wanted, await ports.embedder.embed_queries(wanted), strict=True))


async def _judged(
    ports: SearchPorts, command: Searches, vectors: Mapping[str, Vector]
) -> Sequence[RerankResult]:
    """Returns the reranker's scores of each query's candidates, where there is one and it may be used."""
    if ports.reranking is None or not any(ask.may_be_reranked for ask in command.asks):
        return [UNJUDGED] * len(command.asks)

    def queries(bank: Bank) -> list[Query | None]:
        return [
            _query(ports, bank, ask, vectors.get(ask.text)) if ask.may_be_reranked else None
            for ask in command.asks
        ]

    return await second_opinions(ports, command.key, command.min_revision, queries)


def _answer(
    ports: CommonPorts, bank: Bank, ask: Ask, text_vector: Vector | None, judged: RerankResult
) -> Answer:
    found = search(bank, _query(ports, bank, ask, text_vector), judged.opinions)
    vectors = _vectors(bank, found) if ask.include_embedding else ()
    return Answer(found=found, vectors=vectors, reranked=judged.reranked)


def _query(ports: CommonPorts, bank: Bank, ask: Ask, text_vector: Vector | None) -> Query:
    """Returns the query with what the bank and the configuration have to add. Raises NodeNotFound, NodeAbsorbed,
    InvalidField (`embedding`)."""
    given = ask.embedding
    query = Query(
        text=ask.text,
        vector=text_vector if given is None else unit(given, bank.record.space, "embedding"),
        keywords=ask.keywords,
        top_k=ask.top_k or ports.settings.retrieval.top_k_of(bank),
        alpha=ports.settings.retrieval.alpha_of(bank) if ask.alpha is None else ask.alpha,
        mode=ask.mode,
        target=ask.target,
        fusion=ask.fusion,
        hops=ask.hops,
        max_neighbors=ask.max_neighbors,
        min_score=ports.settings.retrieval.min_score if ask.min_score is None else ask.min_score,
        exclude=ask.exclude,
        filter=ask.filter,
        structure=ports.settings.retrieval.structure if ask.structure is None else ask.structure,
        now=ports.clock.now() if ask.text or ask.node_id else None,
    )
    if ask.node_id is not None:
        query = _like_node(bank, query, ask.node_id)
    return query


def _like_node(bank: Bank, query: Query, node_id: NodeId) -> Query:
    """Returns a query for what is like a node: its own words and vector, itself left out."""
    node = bank.node_named(node_id)
    return query._replace(
        text="\n".join((node.summary, node.context, *node.keywords)),
        vector=bank.node_vectors.get(node.node_id),
        exclude=query.exclude | {node.node_id},
    )


def _vectors(bank: Bank, found: QueryResult) -> tuple[Vector | None, ...]:
    nodes: Sequence[NodeId | None] = [hit.node.node_id if hit.node else None for hit in found.hits]
    return tuple(None if node_id is None else bank.node_vectors.get(node_id) for node_id in nodes)
