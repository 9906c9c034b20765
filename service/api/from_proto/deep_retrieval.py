"""Requests of DeepRetrieval: what does not follow from name and type, and what binds several fields."""

from core.usecases.bank.verbs.get_interaction import GetInteraction
from core.usecases.bank.verbs.list_interactions import ListInteractions
from memorybank.v1 import deep_retrieval_pb2 as pb
from service.api.from_proto.checks import Checks
from service.api.mapping.reading import reading


def _one_target(check: Checks, request: pb.GetInteractionRequest) -> None:
    if request.WhichOneof("target") is None:
        check.wrong("node_id", "must be given, or interaction_id")


def _texts_or_passages(check: Checks, request: pb.GetInteractionRequest) -> None:
    if not request.HasField("passages"):
        return
    for field in ("start", "end"):
        if request.HasField(field):
            check.wrong(field, "goes with whole texts: leave out passages, or this")
    if request.passages.HasField("segment"):
        if request.WhichOneof("target") != "interaction_id":
            check.wrong("passages.segment", "is a number within one record: give its interaction_id")
        if request.passages.query:
            check.wrong("passages.segment", "or a query, not both")


def _end(check: Checks, request: pb.GetInteractionRequest) -> int | None:
    return check.at_least("end", request.end, request.start + 1) if request.HasField("end") else None


get_interaction = reading(
    GetInteraction, pb.GetInteractionRequest, _one_target, _texts_or_passages, unread=("end",), end=_end
)
list_interactions = reading(
    ListInteractions, pb.ListInteractionsRequest, since="event_time.start", until="event_time.end"
)
