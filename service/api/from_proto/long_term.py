"""Requests of LongTerm: what does not follow from name and type, and what binds several fields."""

from dataclasses import replace

from core.long_term.routing import Layer, Route, layers_of
from core.long_term.unlearning import Selection
from core.long_term.worth import opinion
from core.model.record import NO_RECORD, Episode, Origin, Record, RecordKind
from core.usecases.long_term.new_records import default_category
from core.usecases.long_term.verbs.add_record import AddRecord
from core.usecases.long_term.verbs.close_retraction import CloseRetraction
from core.usecases.long_term.verbs.declare_tools import DeclareTools
from core.usecases.long_term.verbs.delete_records import DeleteRecords
from core.usecases.long_term.verbs.generate_reflection import GenerateReflection
from core.usecases.long_term.verbs.give_feedback import GiveFeedback
from core.usecases.long_term.verbs.put_records import Put, PutRecords
from core.usecases.long_term.verbs.retract_records import RetractRecords
from core.usecases.long_term.verbs.retrieve_facts import RetrieveFacts
from core.usecases.long_term.verbs.retrieve_memories import RetrieveMemories
from core.usecases.long_term.verbs.review_records import ReviewRecords
from core.usecases.long_term.verbs.store_fact import StoreFact
from core.usecases.long_term.verbs.update_record import FIELDS, UpdateRecord
from memorybank.v1 import long_term_pb2 as pb
from service.api.enums import INTENTS, LAYERS, RECORD_STATES, THUMBS, or_first
from service.api.from_proto import records
from service.api.from_proto.checks import EPOCH, Checks
from service.api.from_proto.forms import json_text
from service.api.mapping.lines import By, Const, Else, MaskedFields, Within
from service.api.mapping.reading import reading
from service.api.mapping.rules import most_items
from service.process.calling import caller

MOST_PUT = most_items(pb.BatchPutRecordsRequest, "records")


# ---- facts, episodes, records ----


STORED = {
    "record_id": Const(NO_RECORD),
    "confidence": Const(Origin.STORED.first_confidence),
    **dict.fromkeys(("event_time", "create_time", "update_time", "valid_from"), Const(EPOCH)),
}
TIME_TO_ANSWER = 1.0  # seconds before a call's deadline at which it waits no longer


def _until(_: Checks, __: pb.StoreFactRequest) -> float | None:
    deadline = caller().deadline
    return None if deadline is None else deadline - TIME_TO_ANSWER


store_fact = reading(
    StoreFact,
    pb.StoreFactRequest,
    until=_until,
    adding=Within(
        AddRecord,
        {
            "record": Within(
                Record,
                {
                    **STORED,
                    "kind": Const(RecordKind.FACT),
                    "category": Else("category", default_category(RecordKind.FACT)),
                    **dict.fromkeys(
                        ("event_time", "create_time", "update_time", "valid_from"), Else("event_time", EPOCH)
                    ),
                },
            ),
            "dated": lambda _, request: request.HasField("event_time"),
            "place": Const(""),
        },
    ),
)
store_episode = reading(
    AddRecord,
    pb.StoreEpisodeRequest,
    record=Within(
        Record,
        {
            **STORED,
            "kind": Const(RecordKind.EPISODE),
            "category": Const(default_category(RecordKind.EPISODE)),
            "content": "goal",
            "steps": Const(()),
            "episode": Within(Episode),
        },
    ),
    dated=Const(value=False),
    place=Const(""),
)


def _no_recovery(check: Checks, request: pb.AddRecordRequest) -> None:
    if request.record.HasField("recovery"):
        check.wrong("record.recovery", "is made by RecordRecovery alone")


add_record = reading(
    AddRecord,
    pb.AddRecordRequest,
    _no_recovery,
    dated=lambda _, request: request.record.HasField("event_time"),
)


def _put(check: Checks, given: pb.Record) -> Put:
    if given.kind not in (pb.RECORD_KIND_UNSPECIFIED, pb.RECORD_KIND_MEMORY):
        check.wrong("kind", "must be MEMORY: StoreFact stores facts, StoreEpisode episodes")
    if given.HasField("recovery"):
        check.wrong("recovery", "is made by RecordRecovery alone")
    check.id("record_id", given.record_id)
    return Put(
        record=records.record.part(given, check),
        dated=given.HasField("event_time"),
        rated=given.HasField("confidence"),
        rewarded=given.HasField("reward"),
        place=check.place,
    )


def _one_put(check: Checks, request: pb.PutRecordRequest) -> tuple[Put, ...]:
    put = _put(check.within("record."), request.record)
    return (replace(put, if_revision=request.if_revision if request.HasField("if_revision") else None),)


put_record = reading(PutRecords, pb.PutRecordRequest, unread=("record",), puts=_one_put)


def _puts(check: Checks, request: pb.BatchPutRecordsRequest) -> tuple[Put, ...]:
    check.amount("records", request.records, MOST_PUT, least=0 if request.delete_ids else 1)
    given = request.records[:MOST_PUT]
    puts = tuple(_put(check.within(f"records[{place}]."), each) for place, each in enumerate(given))
    known = set[str]()
    for put in puts:
        if put.record.record_id in known:
            check.wrong(f"{put.place}record_id", "must not be there twice")
        known.add(put.record.record_id)
    for place, record_id in enumerate(request.delete_ids):
        if record_id in known:
            check.wrong(f"delete_ids[{place}]", "must not be one of records")
    return puts


batch_put_records = reading(
    PutRecords, pb.BatchPutRecordsRequest, unread=("records",), puts=_puts, deletes="delete_ids"
)


def _words_or_vector(check: Checks, request: pb.RetrieveFactsRequest) -> None:
    if request.WhichOneof("asked") is None:
        check.wrong("query", "must be given, or embedding")


def _nothing_that_waits(check: Checks, request: pb.RetrieveFactsRequest | pb.RetrieveMemoriesRequest) -> None:
    if request.filter.awaits_review:
        check.wrong("filter.awaits_review", "must not be set: what waits for a review is not found")


retrieve_facts = reading(RetrieveFacts, pb.RetrieveFactsRequest, _words_or_vector, _nothing_that_waits)
retrieve_memories = reading(RetrieveMemories, pb.RetrieveMemoriesRequest, _nothing_that_waits)


def _layers(check: Checks, given: pb.Route) -> tuple[Layer, ...]:
    layers = tuple(sorted(check.choices("layers", given.layers, LAYERS)))
    return tuple(map(Layer, layers)) or layers_of(check.choice("intent", given.intent, or_first(INTENTS)))


route = reading(Route, pb.Route, layers=_layers)


def _named_fields(check: Checks, request: pb.UpdateRecordRequest) -> None:
    """What is named must be there; what is not is not looked at, so that metadata stored before its depth was bounded
    comes back unchanged."""
    named, record = set(request.update_mask.paths), request.record
    for field in ("event_time", "confidence", "reward", "episode"):  # what cannot be cleared
        if field in named and not record.HasField(field):
            check.wrong(f"record.{field}", "must be given where update_mask names it")
    check.id("record.record_id", record.record_id)
    if "content" in named:
        check.text("record.content", record.content, least=1)
    if "category" in named and not record.category:
        check.wrong("record.category", "must not be empty")
    if "episode" in named:
        records.episode(check.within("record.episode."), record.episode)
        if "content" in named:
            check.wrong("record.content", "follows from the episode's goal")
    if "state" in named:
        check.choice("record.state", record.state, RECORD_STATES)
    if "metadata_json" in named:
        json_text(check, "record.metadata_json", record.metadata_json)


update_record = reading(
    UpdateRecord,
    pb.UpdateRecordRequest,
    _named_fields,
    named=FIELDS,
    unread=[f"record.{name}" for name in ("conversation_id", "steps", "invocation_id", "recovery")],
    given=MaskedFields(
        Record,
        "record",
        {
            "state": By(lambda _, path, state: RECORD_STATES.get(state)),
            "metadata_json": By(lambda _, path, text: text),
            "episode": By(lambda check, _, given: records.episode(check.quiet(), given)),
        },
    ),
)


def _ids_or_filter(check: Checks, request: pb.DeleteRecordsRequest) -> None:
    if bool(request.record_ids) is bool(request.filter.ListFields()):
        check.wrong("filter", "must say which records, where record_ids names none, and only there")
    if request.filter.awaits_review:
        check.wrong("filter.awaits_review", "must not be set: ReviewRecords settles what waits")


delete_records = reading(DeleteRecords, pb.DeleteRecordsRequest, _ids_or_filter)


# ---- review ----


def _one_correction(check: Checks, request: pb.ReviewRecordsRequest) -> None:
    if request.decision == pb.REVIEW_DECISION_CORRECT:
        check.amount("record_ids", request.record_ids, 1, least=1)
        check.text("content", request.content, least=1)
    elif request.content:
        check.wrong("content", "goes with CORRECT alone")


review_records = reading(ReviewRecords, pb.ReviewRecordsRequest, _one_correction)


# ---- retractions ----


def _ids_or_origin(check: Checks, request: pb.RetractRecordsRequest) -> None:
    given, written = request.filter, request.filter.written
    times = written.HasField("start") or written.HasField("end")
    if bool(request.record_ids) is bool(given.source or given.conversation_id or given.writer or times):
        check.wrong("filter", "must say what is taken back, where record_ids names none, and only there")


retract_records = reading(
    RetractRecords,
    pb.RetractRecordsRequest,
    _ids_or_origin,
    chosen=Within(
        Selection,
        {"writer": "filter.writer", "since": "filter.written.start", "until": "filter.written.end"},
    ),
)
release_retraction = reading(CloseRetraction, pb.ReleaseRetractionRequest, erases=Const(value=False))
erase_retraction = reading(CloseRetraction, pb.EraseRetractionRequest, erases=Const(value=True))


# ---- opinions, reflections, tools ----


def _opinion(check: Checks, request: pb.GiveFeedbackRequest) -> float:
    """Reads a thumb or stars, one of the two."""
    stars = request.HasField("stars")
    if stars is not (request.thumb == pb.THUMB_UNSPECIFIED):
        check.wrong("stars", "must be given, or thumb, and not both")
        return 0.0
    if stars:
        return opinion(stars=request.stars)
    return opinion(liked=check.choice("thumb", request.thumb, THUMBS))


give_feedback = reading(GiveFeedback, pb.GiveFeedbackRequest, value=_opinion)


def _of_something(check: Checks, request: pb.GenerateReflectionRequest) -> None:
    if not request.category and not request.record_ids:
        check.wrong("category", "must be given, or record_ids")
    if "\n" in request.title:
        check.wrong("title", "must be one line")


generate_reflection = reading(GenerateReflection, pb.GenerateReflectionRequest, _of_something)


declare_tools = reading(DeclareTools, pb.DeclareToolsRequest, form="tool_format")
