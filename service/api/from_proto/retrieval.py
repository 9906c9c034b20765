"""Requests of Retrieval."""

from datetime import datetime

from core.bank.query import Filter
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


def search(request: pb.SearchRequest, tenant: Tenant) -> Searches:
    with checking() as check:
        return Searches(
            key=check.key(tenant, request.bank_id),
            asks=(ask(check, request),),
            min_revision=check.min_revision(request),
        )


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
            asks.append(ask(check, one, path))
        return Searches(
            key=check.key(tenant, request.bank_id), asks=tuple(asks), min_revision=check.min_revision(request)
        )


def ask(check: Checks, request: pb.SearchRequest, path: str = "") -> Ask:
    by = request.WhichOneof("query")
    if by is None and not request.keywords:
        check.wrong(f"{path}text", "must be given, or embedding, node_id or keywords")
    node_id = check.id(f"{path}node_id", request.node_id) if by == "node_id" else None
    return Ask(
        text=check.text(f"{path}text", request.text, GOAL, least=int(by == "text")),
        embedding=check.vector(f"{path}embedding", request.embedding) if by == "embedding" else None,
        node_id=NodeId(node_id) if node_id else None,
        keywords=check.keywords(f"{path}keywords", request.keywords),
        top_k=check.optional_int(request, "top_k", 1, MOST_RESULTS, f"{path}top_k"),
        alpha=check.optional_share(request, "alpha", f"{path}alpha"),
        mode=check.choice(f"{path}mode", request.mode, or_first(MODES)),
        target=check.choice(f"{path}target", request.target, or_first(TARGETS)),
        fusion=check.choice(f"{path}fusion", request.fusion, or_first(FUSIONS)),
        hops=check.int_or(request, "hops", 1, 0, FARTHEST, f"{path}hops"),
        max_neighbors=check.int_or(
            request, "max_neighbors", NEIGHBORS, 0, MOST_RESULTS, f"{path}max_neighbors"
        ),
        min_score=check.optional_share(request, "min_score", f"{path}min_score") or 0.0,
        exclude=frozenset(
            map(NodeId, check.ids(f"{path}exclude_node_ids", request.exclude_node_ids, MOST_RESULTS))
        ),
        filter=chosen(check, f"{path}filter", request.filter),
        structure=structure(check, f"{path}structure", request),
        include_embedding=request.include_embedding,
        skip_reranker=request.skip_reranker,
    )


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
            mode=check.choice("mode", request.mode, or_first(MODES)),
            target=check.choice("target", request.target, or_first(TARGETS)),
            structure=structure(check, "structure", request),
            token_budget=check.optional_int(request, "token_budget", 1, MOST_TOKENS),
            tool_format=check.choice("tool_format", request.tool_format, or_first(TOOL_FORMATS)),
            min_revision=check.min_revision(request),
            skip_reranker=request.skip_reranker,
        )
