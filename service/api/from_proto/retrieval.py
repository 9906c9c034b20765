"""Requests of Retrieval."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from core.bank.query import ADMITS_ALL, Filter
from core.caller import Caller
from core.ids import InteractionId, NodeId, RunId, SegmentRef, User
from core.keys import CollectionKey, ConversationKey, InvocationKey
from core.usecases.bank.verbs.augment import Augment
from core.usecases.bank.verbs.search import Ask, Searches
from core.usecases.context.asked import AssembleContext
from core.usecases.context.explain import Explain
from core.usecases.context.explain_pair import ExplainPair
from core.usecases.context.subject import SubjectNames
from core.usecases.instructions.load_sources import LoadSources
from core.verbatim.structure import COMPONENTS, Structure
from memorybank.v1 import retrieval_pb2 as pb
from memorybank.v1 import types_pb2
from memorybank.v1.memory_bank_pb2 import AdvanceTaskRequest, StartTaskRequest
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


def search(request: pb.SearchRequest, caller: Caller) -> Searches:
    with checking(caller, request) as check:
        return Searches(
            key=check.key(caller, request.bank_id),
            asks=(ask(check, request),),
            min_revision=check.min_revision(request),
        )


def batch_search(request: pb.BatchSearchRequest, caller: Caller) -> Searches:
    with checking(caller, request) as check:
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
            key=check.key(caller, request.bank_id), asks=tuple(asks), min_revision=check.min_revision(request)
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


def augment(request: pb.AugmentRequest, caller: Caller) -> Augment:
    with checking(caller, request) as check:
        return Augment(
            key=check.key(caller, request.bank_id),
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
            min_score=_floor(check, request),
        )


def _floor(check: Checks, request: pb.AugmentRequest) -> float | None:
    floor = check.optional_share(request, "min_score")
    if floor is not None and request.target:
        check.wrong("min_score", "must be absent where a target is named")
    return floor


def assemble_context(request: pb.AssembleContextRequest, caller: Caller) -> AssembleContext:
    with checking(caller, request) as check:
        return _context(check, request, caller)


def explain(request: pb.ExplainRequest, caller: Caller) -> Explain:
    """Reads the context in question by the fields that AssembleContextRequest has by the same numbers."""
    with checking(caller, request) as check:
        of_memory = pb.ExplainRequest()
        of_memory.CopyFrom(request)
        of_memory.ClearField(request.WhichOneof("memory") or "text")
        context = _context(check, pb.AssembleContextRequest.FromString(of_memory.SerializeToString()), caller)
        return Explain(context=context, asked=_asked(check, request, caller, context))


def explain_pair(request: pb.ExplainPairRequest, caller: Caller) -> ExplainPair:
    with checking(caller, request) as check:
        if bool(request.bank_id) is bool(request.user):
            check.wrong("bank_id", "must be given, or user, and not both")
        first, second = check.id("first", request.first), check.id("second", request.second)
        if first and first == second:
            check.wrong("second", "must be another memory than first")
        check.text("user", request.user, NAME)
        check.text("collection", request.collection, NAME)
        if request.collection and not request.user:
            check.wrong("user", "must be given beside collection")
        return ExplainPair(
            bank=check.key(caller, request.bank_id) if request.bank_id else None,
            collection=collection_key(check, caller, request.user, request.collection)
            if request.user
            else None,
            first=first,
            second=second,
            min_revision=check.min_revision(request),
        )


def _asked(
    check: Checks, request: pb.ExplainRequest, caller: Caller, context: AssembleContext
) -> SubjectNames:
    """Reads which memory is asked about, and that the request names where it is."""
    match request.WhichOneof("memory"):
        case "node_id":
            _require_place(check, "bank_id", request.bank_id)
            return SubjectNames(node_id=check.id("node_id", request.node_id))
        case "segment":
            _require_place(check, "bank_id", request.bank_id)
            interaction_id = check.id("segment.interaction_id", request.segment.interaction_id)
            index = check.at_least("segment.index", request.segment.index)
            return SubjectNames(segment=SegmentRef(InteractionId(interaction_id), index))
        case "record_id":
            user = User(check.text("user", request.user, NAME, least=1))
            return SubjectNames(record_id=check.id("record_id", request.record_id), user=user, caller=caller)
        case "step":
            _require_place(check, "conversation_id", request.conversation_id)
            return SubjectNames(step=check.at_least("step", request.step, 1))
        case "text":
            if not (context.bank or context.conversation or context.collection):
                check.wrong(
                    "bank_id", "must be given, or conversation_id or collection: where to look for the text"
                )
            return SubjectNames(text=check.text("text", request.text, GOAL, least=1))
    check.wrong("node_id", "must be given, or segment, record_id, step or text")
    return SubjectNames()


def _require_place(check: Checks, field: str, name: str) -> None:
    if not name:
        check.wrong(field, "must be given: whose memory it is")


def _context(check: Checks, request: pb.AssembleContextRequest, caller: Caller) -> AssembleContext:
    conversation, collection, invocation = of_user(check, request, caller)
    revisions = least(check, request)
    parts = request.parts
    check.amount("parts", parts, MOST_PARTS)
    return AssembleContext(
        input=check.text("input", request.input, CONTEXT_TEXT, least=1),
        system=check.text("system", request.system, CONTEXT_TEXT),
        conversation=conversation,
        bank=check.key(caller, request.bank_id) if request.bank_id else None,
        instructions=_instructions(check, request, caller, revisions),
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
        min_score=check.optional_share(request, "min_score"),
        recall_turns=request.recall_turns if request.HasField("recall_turns") else True,
        allow_partial=request.allow_partial,
        patience=_patience(check, request),
        min_revisions=revisions,
    )


def of_user(
    check: Checks,
    request: pb.AssembleContextRequest | StartTaskRequest | AdvanceTaskRequest,
    caller: Caller,
) -> tuple[ConversationKey | None, CollectionKey | None, InvocationKey | None]:
    """Reads the keys of what is named of the user's; None for what is not."""
    user = request.user
    conversation, collection, invocation = None, None, None
    if request.conversation_id:
        conversation = conversation_key(check, caller, user, request.conversation_id)
    if request.HasField("collection"):
        collection = collection_key(check, caller, user, request.collection)
    if request.invocation_id:
        invocation = caller.invocation(
            check.text("user", user, NAME, least=1), check.id("invocation_id", request.invocation_id)
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
    check: Checks, request: pb.AssembleContextRequest, caller: Caller, revisions: dict[str, int]
) -> LoadSources | None:
    """Reads which documents to load; None where none are named."""
    run_id = check.id_or_none("run_id", request.run_id)
    if not request.refs:
        if run_id:
            check.wrong("run_id", "must be empty where there are no refs")
        return None
    return LoadSources(
        tenant=caller.tenant,
        refs=references(check, request),
        user=User(request.user) if request.user else None,
        run_id=RunId(run_id) if run_id else None,
        min_revisions=revisions,
    )
