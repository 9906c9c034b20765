"""Requests of Retrieval: what does not follow from name and type, and what binds several fields."""

from typing import Any

from core.bank.query import Filter
from core.caller import EVERYONE, Caller
from core.ids import RunId, User
from core.keys import CollectionKey, ConversationKey, InvocationKey
from core.usecases.bank.verbs.augment import Augment
from core.usecases.bank.verbs.search import Ask, Searches
from core.usecases.context.asked import AssembleContext
from core.usecases.context.explain import Explain
from core.usecases.context.explain_pair import ExplainPair
from core.usecases.context.subject import SubjectNames
from core.usecases.instructions.load_sources import LoadSources
from memorybank.v1 import retrieval_pb2 as pb
from memorybank.v1 import types_pb2
from memorybank.v1.memory_bank_pb2 import AdvanceTaskRequest, StartTaskRequest
from service.api.from_proto.checks import Checks
from service.api.from_proto.instructions import references
from service.api.mapping.lines import Line, Within
from service.api.mapping.reading import reading
from service.api.mapping.rules import longest

LONGEST_NAME = longest(pb.AssembleContextRequest, "user")

filter_ = reading(Filter, types_pb2.Filter, since="event_time.start", until="event_time.end")


# ---- searches ----


def _something_to_find(check: Checks, request: pb.SearchRequest) -> None:
    if request.WhichOneof("query") is None and not request.keywords:
        check.wrong("text", "must be given, or embedding, node_id or keywords")


ask = reading(
    Ask, pb.SearchRequest, _something_to_find, unread=("bank_id", "min_revision"), exclude="exclude_node_ids"
)
search = reading(
    Searches,
    pb.SearchRequest,
    _something_to_find,
    asks=Within(Ask, {"exclude": "exclude_node_ids"}, alone=True),
)


def _of_one_bank(check: Checks, request: pb.BatchSearchRequest) -> None:
    for index, one in enumerate(request.searches):
        if one.bank_id not in ("", request.bank_id):
            check.wrong(f"searches[{index}].bank_id", "must be empty, or the bank_id of the request")
        if one.HasField("min_revision"):
            check.wrong(f"searches[{index}].min_revision", "must be absent: the request has one for all")


batch_search = reading(Searches, pb.BatchSearchRequest, _of_one_bank, asks="searches")


# ---- prompts ----


def _no_target(check: Checks, request: pb.AugmentRequest) -> None:
    if request.HasField("min_score") and request.target:
        check.wrong("min_score", "must be absent where a target is named")


augment = reading(Augment, pb.AugmentRequest, _no_target)


OfUser = pb.AssembleContextRequest | StartTaskRequest | AdvanceTaskRequest


def of_someone(check: Checks, request: OfUser) -> None:
    """What is named of a user's needs the user."""
    named = request.conversation_id or request.HasField("collection") or request.invocation_id
    if named or request.user:
        check.text("user", request.user, LONGEST_NAME, least=1 if named else 0)


def conversation_of(check: Checks, request: OfUser) -> ConversationKey | None:
    given = request.conversation_id
    return check.caller.conversation(request.user, given) if given else None


def collection_of(check: Checks, request: OfUser) -> CollectionKey | None:
    given = request.HasField("collection")
    return check.caller.collection(request.user, request.collection) if given else None


def invocation_of(check: Checks, request: OfUser) -> InvocationKey | None:
    given = request.invocation_id
    return check.caller.invocation(request.user, given) if given else None


OF_USER: dict[str, Line] = {
    "conversation": conversation_of,
    "collection": collection_of,
    "invocation": invocation_of,
}


def _runs_and_parts(check: Checks, request: pb.AssembleContextRequest) -> None:
    if request.run_id and not request.refs:
        check.wrong("run_id", "must be empty where there are no refs")
    if request.HasField("part_timeout") and not request.allow_partial:
        check.wrong("part_timeout", "must be absent without allow_partial")


def _instructions(check: Checks, request: pb.AssembleContextRequest) -> LoadSources | None:
    """Reads which documents to load; None where none are named."""
    if not request.refs:
        return None
    return LoadSources(
        tenant=check.caller.tenant,
        refs=references(check, request.refs),
        user=User(request.user) if request.user else None,
        run_id=RunId(request.run_id) if request.run_id else None,
        min_revisions=dict(request.min_revisions),
    )


assemble_context = reading(
    AssembleContext,
    pb.AssembleContextRequest,
    of_someone,
    _runs_and_parts,
    unread=("user", "refs"),
    patience="part_timeout",
    instructions=_instructions,
    conversation=conversation_of,
    collection=collection_of,
    invocation=invocation_of,
)


# ---- what is told of them ----


def _context(check: Checks, request: pb.ExplainRequest) -> AssembleContext:
    """Reads the context in question by the fields that AssembleContextRequest has by the same numbers."""
    of_memory = pb.ExplainRequest()
    of_memory.CopyFrom(request)
    of_memory.ClearField(request.WhichOneof("memory") or "text")
    context = pb.AssembleContextRequest.FromString(of_memory.SerializeToString())
    return assemble_context.part(context, check)


def _where_it_is(check: Checks, request: pb.ExplainRequest) -> None:
    """The request names which memory is asked about, and whose it is."""
    memory = request.WhichOneof("memory")
    if memory is None:
        check.wrong("node_id", "must be given, or segment, record_id, step or text")
    elif memory == "record_id":
        check.text("user", request.user, least=1)
    elif memory == "text":
        if not (request.bank_id or request.conversation_id or request.HasField("collection")):
            check.wrong(
                "bank_id", "must be given, or conversation_id or collection: where to look for the text"
            )
    elif not (request.conversation_id if memory == "step" else request.bank_id):
        owner = "conversation_id" if memory == "step" else "bank_id"
        check.wrong(owner, "must be given: whose memory it is")


def _user_of_record(_: Checks, request: pb.ExplainRequest) -> User | None:
    return User(request.user) if request.HasField("record_id") else None


def _caller_of_record(check: Checks, request: pb.ExplainRequest) -> Caller:
    return check.caller if request.HasField("record_id") else EVERYONE


MEMORIES = {field.name for field in pb.ExplainRequest.DESCRIPTOR.oneofs_by_name["memory"].fields}

explain = reading(
    Explain,
    pb.ExplainRequest,
    _where_it_is,
    unread=[field.name for field in pb.ExplainRequest.DESCRIPTOR.fields if field.name not in MEMORIES],
    context=_context,
    asked=Within(SubjectNames, {"user": _user_of_record, "caller": _caller_of_record}),
)


def _one_place(check: Checks, request: pb.ExplainPairRequest) -> None:
    if bool(request.bank_id) is bool(request.user):
        check.wrong("bank_id", "must be given, or user, and not both")
    if request.first and request.first == request.second:
        check.wrong("second", "must be another memory than first")
    if request.collection and not request.user:
        check.wrong("user", "must be given beside collection")


def _collection(check: Checks, request: pb.ExplainPairRequest) -> Any:
    return check.caller.collection(request.user, request.collection) if request.user else None


explain_pair = reading(ExplainPair, pb.ExplainPairRequest, _one_place, collection=_collection)
