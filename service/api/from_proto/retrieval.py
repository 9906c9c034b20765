"""Requests of Retrieval."""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache

from core.bank.query import ADMITS_ALL, Filter
from core.bank.structure import COMPONENTS, Structure
from core.ids import NodeId, Tenant
from core.usecases.augment import Augment
from core.usecases.search import Ask, Searches
from memorybank.v1 import retrieval_pb2 as pb
from memorybank.v1 import types_pb2
from service.api.enums import FUSIONS, MODES, NODE_STATES, TARGETS, TOOL_FORMATS, or_first
from service.api.from_proto.checks import GOAL, MOST_RESULTS, MOST_TOKENS, SOURCE, Checks, checking

MOST_SEARCHES = 100
MOST_SOURCES = 64
MOST_STATES = 16
FARTHEST = 3  # hops
HEAVIEST = 10.0  # of a component's weight
NEIGHBORS = 100
REMEMBERED = (
    256  # bytes of a request without its vector: more would be no options, but something to fill memory with
)
NOBODY: frozenset[NodeId] = frozenset()

_MODES = or_first(MODES)
_TARGETS = or_first(TARGETS)
_FUSIONS = or_first(FUSIONS)


def search(request: pb.SearchRequest, tenant: Tenant) -> Searches:
    """The request as a command. Of those by vector, what is alike in one after another is read once: they bring
    hardly anything new but their numbers. Words, ids and filters are not remembered."""
    if request.WhichOneof("query") != "embedding" or request.keywords or request.exclude_node_ids:
        return _whole(request, tenant)
    check = checking()
    embedding = check.vector("embedding", request.embedding)
    if check.violations or request.HasField("filter"):
        return _whole(request, tenant)
    request.ClearField("embedding")
    rest = request.SerializeToString()
    alike = _remembered(rest, tenant) if len(rest) <= REMEMBERED else _without_embedding(rest, tenant)
    asks = (alike.asks[0]._replace(embedding=embedding),)
    return Searches(key=alike.key, asks=asks, min_revision=alike.min_revision)


def _whole(request: pb.SearchRequest, tenant: Tenant, *, with_query: bool = True) -> Searches:
    with checking() as check:
        return Searches(
            key=check.key(tenant, request.bank_id),
            asks=(ask(check, request, with_query=with_query),),
            min_revision=check.min_revision(request),
        )


def _without_embedding(rest: bytes, tenant: Tenant) -> Searches:
    """A search by vector whose vector was taken out and is to be put in."""
    return _whole(pb.SearchRequest.FromString(rest), tenant, with_query=False)


_remembered = lru_cache(maxsize=1_024)(_without_embedding)


def batch_search(request: pb.BatchSearchRequest, tenant: Tenant) -> Searches:
    with checking() as check:
        check.amount("searches", request.searches, MOST_SEARCHES, least=1)
        asks = []
        for index, one in enumerate(request.searches[:MOST_SEARCHES]):
            path = f"searches[{index}]."
            if one.bank_id not in ("", request.bank_id):
                check.wrong(f"{path}bank_id", "must be empty, or the bank_id of the request")
            if one.HasField("min_revision"):
                check.wrong(f"{path}min_revision", "must be absent: the request has one for all")
            asks.append(ask(check.within(path), one))
        return Searches(
            key=check.key(tenant, request.bank_id), asks=tuple(asks), min_revision=check.min_revision(request)
        )


def ask(check: Checks, request: pb.SearchRequest, *, with_query: bool = True) -> Ask:
    by, keywords, excluded = request.WhichOneof("query"), request.keywords, request.exclude_node_ids
    if by is None and not keywords and with_query:
        check.wrong("text", "must be given, or embedding, node_id or keywords")
    node_id = check.id("node_id", request.node_id) if by == "node_id" else None
    return Ask(
        text=check.text("text", request.text, GOAL, least=1) if by == "text" else "",
        embedding=check.vector("embedding", request.embedding) if by == "embedding" else None,
        node_id=NodeId(node_id) if node_id else None,
        keywords=check.keywords("keywords", keywords) if keywords else (),
        top_k=check.optional_int(request, "top_k", 1, MOST_RESULTS),
        alpha=check.optional_share(request, "alpha"),
        mode=check.choice("mode", request.mode, _MODES),
        target=check.choice("target", request.target, _TARGETS),
        fusion=check.choice("fusion", request.fusion, _FUSIONS),
        hops=check.int_or(request, "hops", 1, 0, FARTHEST),
        max_neighbors=check.int_or(request, "max_neighbors", NEIGHBORS, 0, MOST_RESULTS),
        min_score=check.optional_share(request, "min_score") or 0.0,
        exclude=_excluded(check, excluded) if excluded else NOBODY,
        filter=chosen(check, "filter", request.filter) if request.HasField("filter") else ADMITS_ALL,
        structure=structure(check, "structure", request),
        include_embedding=request.include_embedding,
        skip_reranker=request.skip_reranker,
    )


def _excluded(check: Checks, named: Sequence[str]) -> frozenset[NodeId]:
    return frozenset(map(NodeId, check.ids("exclude_node_ids", named, MOST_RESULTS)))


def structure(check: Checks, path: str, request: pb.SearchRequest | pb.AugmentRequest) -> Structure | None:
    """The weights as a whole; None where the request leaves them to the configuration."""
    if not request.HasField("structure"):
        return None
    given = request.structure
    weights = {name: float(getattr(given, name)) for name in COMPONENTS}
    for name, weight in weights.items():
        if not 0.0 <= weight <= HEAVIEST:  # NaN is neither
            check.wrong(f"{path}.{name}", f"must be 0 to {HEAVIEST:g}")
    return Structure(
        **weights, diversity=check.share(f"{path}.diversity", given.diversity), conflicts=given.conflicts
    )


def chosen(check: Checks, path: str, given: types_pb2.Filter) -> Filter:
    """A Filter; what is empty admits all."""
    since, until = time_range(check, f"{path}.event_time", given.event_time)
    check.amount(f"{path}.states", given.states, MOST_STATES)
    return Filter(
        since=since,
        until=until,
        keywords=check.keywords(f"{path}.keywords", given.keywords),
        labels=check.labels(f"{path}.labels", given.labels),
        states=check.choices(f"{path}.states", given.states[:MOST_STATES], NODE_STATES),
        sources=frozenset(check.texts(f"{path}.sources", given.sources, MOST_SOURCES, SOURCE)),
    )


def time_range(
    check: Checks, path: str, given: types_pb2.TimeRange
) -> tuple[datetime | None, datetime | None]:
    """Start, inclusive, and end, exclusive; None where unbounded."""
    since = check.optional_time(given, "start", f"{path}.start")
    until = check.optional_time(given, "end", f"{path}.end")
    if since is not None and until is not None and not since < until:
        check.wrong(f"{path}.end", "must be later than start")
    return since, until


def augment(request: pb.AugmentRequest, tenant: Tenant) -> Augment:
    with checking() as check:
        return Augment(
            key=check.key(tenant, request.bank_id),
            query=check.text("query", request.query, GOAL),
            top_k=check.optional_int(request, "top_k", 1, MOST_RESULTS),
            alpha=check.optional_share(request, "alpha"),
            mode=check.choice("mode", request.mode, _MODES),
            target=check.choice("target", request.target, _TARGETS),
            structure=structure(check, "structure", request),
            token_budget=check.optional_int(request, "token_budget", 1, MOST_TOKENS),
            tool_format=check.choice("tool_format", request.tool_format, or_first(TOOL_FORMATS)),
            min_revision=check.min_revision(request),
            skip_reranker=request.skip_reranker,
        )
