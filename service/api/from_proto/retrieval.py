"""Requests of Retrieval."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from core.bank.query import ADMITS_ALL, Filter
from core.ids import InvocationId, NodeId, RunId, Tenant, User
from core.keys import CollectionKey, ConversationKey, InvocationKey
from core.usecases.bank.augment import Augment
from core.usecases.bank.search import Ask, Searches
from core.usecases.context.asked import AssembleContext
from core.usecases.instructions.load_sources import LoadSources
from core.verbatim.structure import COMPONENTS, Structure
from memorybank.v1 import retrieval_pb2 as pb
from memorybank.v1 import types_pb2
from service.api.enums import (
    CONTEXT_FORMS,
    CONTEXT_PARTS,
    FUSIONS,
    MODES,
    NODE_STATES,
    TARGETS,
    TOOL_FORMATS,
    or_first,
)
from service.api.from_proto.checks import (
    GOAL,
    MOST_RESULTS,
    MOST_TOKENS,
    NAME,
    SOURCE,
    Checks,
    checking,
)
from service.api.from_proto.instructions import least, references
from service.api.from_proto.records import collection_key
from service.api.from_proto.values import conversation_key

MOST_SEARCHES = 100
MOST_PARTS = 16
CONTEXT_TEXT = 100_000  # code points
LONGEST_PART = timedelta(seconds=60)
MOST_SOURCES = 64
MOST_STATES = 16
FARTHEST = 3  # hops
HEAVIEST = 10.0  # of a component's weight
NEIGHBORS = 100
NONE: frozenset[NodeId] = frozenset()

_MODES = or_first(MODES)
_TARGETS = or_first(TARGETS)
_PROMPT_TARGETS = {pb.SEARCH_TARGET_UNSPECIFIED: None, **TARGETS}
_FUSIONS = or_first(FUSIONS)


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
            asks.append(ask(check.within(path), one))
        return Searches(
            key=check.key(tenant, request.bank_id), asks=tuple(asks), min_revision=check.min_revision(request)
        )


def ask(check: Checks, request: pb.SearchRequest) -> Ask:
    by, keywords = request.WhichOneof("query"), request.keywords
    if by is None and not keywords:
        check.wrong("text", "must be given, or embedding, node_id or keywords")
    text = check.text("text", request.text, GOAL, least=1) if by == "text" else ""
    embedding = check.vector("embedding", request.embedding) if by == "embedding" else None
    node_id = check.id("node_id", request.node_id) if by == "node_id" else None
    checked = check.keywords("keywords", keywords) if keywords else ()
    excluded = request.exclude_node_ids
    return Ask(
        text=text,
        embedding=embedding,
        node_id=NodeId(node_id) if node_id else None,
        keywords=checked,
        top_k=check.optional_int(request, "top_k", 1, MOST_RESULTS),
        alpha=check.optional_share(request, "alpha"),
        mode=check.choice("mode", request.mode, _MODES),
        target=check.choice("target", request.target, _TARGETS),
        fusion=check.choice("fusion", request.fusion, _FUSIONS),
        hops=check.int_or(request, "hops", 1, 0, FARTHEST),
        max_neighbors=check.int_or(request, "max_neighbors", NEIGHBORS, 0, MOST_RESULTS),
        min_score=check.optional_share(request, "min_score"),
        exclude=_excluded(check, excluded) if excluded else NONE,
        filter=chosen(check, "filter", request.filter) if request.HasField("filter") else ADMITS_ALL,
        structure=structure(check, "structure", request),
        include_embedding=request.include_embedding,
        skip_reranker=request.skip_reranker,
    )


def _excluded(check: Checks, named: Sequence[str]) -> frozenset[NodeId]:
    return frozenset(map(NodeId, check.ids("exclude_node_ids", named, MOST_RESULTS)))


def structure(check: Checks, path: str, request: pb.SearchRequest | pb.AugmentRequest) -> Structure | None:
    """Reads the weights as a whole; None where the request leaves them to the configuration."""
    if not request.HasField("structure"):
        return None
    given = request.structure
    weights = {name: float(getattr(given, name)) for name in COMPONENTS}
    for name, weight in weights.items():
        if not 0.0 <= weight <= HEAVIEST:  # NaN is neither
            check.wrong(f"{path}.{name}", f"must be 0 to {HEAVIEST:g}")
    return Structure(
        **weights,
        diversity=check.share(f"{path}.diversity", given.diversity),
        conflicts=given.conflicts,
        newer=check.share(f"{path}.newer", given.newer),
    )


def chosen(check: Checks, path: str, given: types_pb2.Filter) -> Filter:
    """Reads a Filter; what is empty admits all."""
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
    """Reads start, inclusive, and end, exclusive; None where unbounded."""
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
            target=check.choice("target", request.target, _PROMPT_TARGETS),
            structure=structure(check, "structure", request),
            token_budget=check.optional_int(request, "token_budget", 1, MOST_TOKENS),
            tool_format=check.choice("tool_format", request.tool_format, or_first(TOOL_FORMATS)),
            tools_apart=request.tools_apart,
            min_revision=check.min_revision(request),
            skip_reranker=request.skip_reranker,
        )


def assemble_context(request: pb.AssembleContextRequest, tenant: Tenant) -> AssembleContext:
    with checking() as check:
        conversation, collection, invocation = _of_user(check, request, tenant)
        revisions = least(check, request)
        parts = request.parts
        check.amount("parts", parts, MOST_PARTS)
        return AssembleContext(
            input=check.text("input", request.input, CONTEXT_TEXT, least=1),
            system=check.text("system", request.system, CONTEXT_TEXT),
            conversation=conversation,
            bank=check.key(tenant, request.bank_id) if request.bank_id else None,
            instructions=_instructions(check, request, tenant, revisions),
            collection=collection,
            invocation=invocation,
            state=check.text("state", request.state, GOAL),
            parts=check.choices("parts", parts[:MOST_PARTS], CONTEXT_PARTS),
            top_facts=check.optional_int(request, "top_facts", 0, MOST_RESULTS),
            top_episodes=check.optional_int(request, "top_episodes", 0, MOST_RESULTS),
            top_memories=check.optional_int(request, "top_memories", 1, MOST_RESULTS),
            top_clusters=check.optional_int(request, "top_clusters", 0, 100),
            token_budget=check.optional_int(request, "token_budget", 1, MOST_TOKENS),
            form=check.choice("form", request.form, or_first(CONTEXT_FORMS)),
            tools=request.tools,
            tool_format=check.choice("tool_format", request.tool_format, or_first(TOOL_FORMATS)),
            tools_apart=request.tools_apart,
            observe=request.observe,
            allow_partial=request.allow_partial,
            patience=_patience(check, request),
            min_revisions=revisions,
        )


def _of_user(
    check: Checks, request: pb.AssembleContextRequest, tenant: Tenant
) -> tuple[ConversationKey | None, CollectionKey | None, InvocationKey | None]:
    """Reads the keys of what is named of the user's; None for what is not."""
    user = request.user
    conversation, collection, invocation = None, None, None
    if request.conversation_id:
        conversation = conversation_key(check, tenant, user, request.conversation_id)
    if request.HasField("collection"):
        collection = collection_key(check, tenant, user, request.collection)
    if request.invocation_id:
        invocation = InvocationKey(
            tenant=tenant,
            user=User(check.text("user", user, NAME, least=1)),
            invocation_id=InvocationId(check.id("invocation_id", request.invocation_id)),
        )
    if user and not (conversation or collection or invocation):
        check.text("user", user, NAME)
    return conversation, collection, invocation


def _patience(check: Checks, request: pb.AssembleContextRequest) -> timedelta | None:
    if not request.HasField("part_timeout"):
        return None
    patience = check.duration("part_timeout", request.part_timeout)
    if not request.allow_partial:
        check.wrong("part_timeout", "must be absent without allow_partial")
    if not timedelta() < patience <= LONGEST_PART:
        check.wrong("part_timeout", f"must be more than 0 and at most {LONGEST_PART.total_seconds():g} s")
    return patience


def _instructions(
    check: Checks, request: pb.AssembleContextRequest, tenant: Tenant, revisions: dict[str, int]
) -> LoadSources | None:
    """Reads which documents to load; None where none are named."""
    run_id = check.id_or_none("run_id", request.run_id)
    if not request.refs:
        if run_id:
            check.wrong("run_id", "must be empty where there are no refs")
        return None
    return LoadSources(
        tenant=tenant,
        refs=references(check, request),
        user=User(request.user) if request.user else None,
        run_id=RunId(run_id) if run_id else None,
        min_revisions=revisions,
    )
