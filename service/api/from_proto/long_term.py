"""Requests of LongTerm."""

from dataclasses import replace

from core.caller import Caller
from core.ids import ConversationId, RecordId, ReflectionId
from core.long_term.recovery import Failure
from core.long_term.routing import Layer, Route, layers_of
from core.long_term.standing import MOST_OPPONENTS
from core.long_term.unlearning import Selection
from core.long_term.worth import opinion
from core.model.access import Scope
from core.model.record import Recovery
from core.model.review import ReviewDecision
from core.usecases.long_term.exchange.export_feedback import ExportFeedback
from core.usecases.long_term.verbs.add_record import AddRecord
from core.usecases.long_term.verbs.close_retraction import CloseRetraction
from core.usecases.long_term.verbs.declare_tools import DeclareTools
from core.usecases.long_term.verbs.delete_records import DeleteRecords
from core.usecases.long_term.verbs.delete_reflection import DeleteReflection
from core.usecases.long_term.verbs.find_recoveries import FindRecoveries
from core.usecases.long_term.verbs.generate_reflection import GenerateReflection
from core.usecases.long_term.verbs.get_record import GetRecord
from core.usecases.long_term.verbs.get_reflection import GetReflection
from core.usecases.long_term.verbs.give_feedback import GiveFeedback
from core.usecases.long_term.verbs.list_records import ListRecords, RecordFilter
from core.usecases.long_term.verbs.list_reflections import ListReflections
from core.usecases.long_term.verbs.list_retractions import ListRetractions
from core.usecases.long_term.verbs.put_records import Put, PutRecords
from core.usecases.long_term.verbs.recall_episodes import RecallEpisodes
from core.usecases.long_term.verbs.record_recovery import RecordRecovery
from core.usecases.long_term.verbs.report_outcome import ReportOutcome
from core.usecases.long_term.verbs.retract_records import RetractRecords
from core.usecases.long_term.verbs.retrieve_facts import RetrieveFacts
from core.usecases.long_term.verbs.retrieve_memories import RetrieveMemories
from core.usecases.long_term.verbs.review_records import ReviewRecords
from core.usecases.long_term.verbs.store_fact import StoreFact
from core.usecases.long_term.verbs.update_record import FIELDS, UpdateRecord
from memorybank.v1 import long_term_pb2 as pb
from service.api.enums import (
    INTENTS,
    LAYERS,
    REVIEW_DECISIONS,
    THUMBS,
    TOOL_FORMATS,
    or_first,
)
from service.api.from_proto.checks import (
    GOAL,
    MOST_RESULTS,
    NAME,
    SENTENCE,
    SOURCE,
    Checks,
    checking,
)
from service.api.from_proto.records import (
    DETAIL,
    MOST_IDS,
    categories,
    category,
    given_fields,
    json_object,
    key_of,
    new_record,
    record_filter,
    record_ids,
)
from service.api.from_proto.retrieval import time_range

MOST_REFLECTED = 50
MOST_PUT = 1_000
TITLE = 256


# ---- facts, episodes, records ----


def store_fact(request: pb.StoreFactRequest, caller: Caller) -> StoreFact:
    with checking(caller, request) as check:
        given = pb.Record(
            kind=pb.RECORD_KIND_FACT,
            content=request.content,
            category=request.category,
            source=request.source,
            conversation_id=request.conversation_id,
            metadata_json=request.metadata_json,
        )
        if request.HasField("event_time"):
            given.event_time.CopyFrom(request.event_time)
        if request.HasField("ttl"):
            given.ttl.CopyFrom(request.ttl)
        adding = AddRecord(
            key=key_of(check, caller, request),
            record=new_record(check, given, ""),
            dated=request.HasField("event_time"),
            allow_sensitive=request.allow_sensitive,
            place="",
            supersedes=tuple(map(RecordId, check.ids("supersedes", request.supersedes, MOST_OPPONENTS))),
            approves=caller.may(Scope.APPROVE),
            request=check.request(request, "wait"),
        )
        return StoreFact(adding=adding, wait=request.wait)


def store_episode(request: pb.StoreEpisodeRequest, caller: Caller) -> AddRecord:
    with checking(caller, request) as check:
        episode = pb.Episode(
            goal=request.goal, steps=request.steps, outcome=request.outcome, lessons=request.lessons
        )
        given = pb.Record(
            kind=pb.RECORD_KIND_EPISODE,
            episode=episode,
            metadata_json=request.metadata_json,
            source=request.source,
        )
        return AddRecord(
            key=key_of(check, caller, request),
            record=new_record(check, given, "", episode_path=""),
            dated=False,
            allow_sensitive=request.allow_sensitive,
            place="",
            approves=caller.may(Scope.APPROVE),
            request=check.request(request),
        )


def add_record(request: pb.AddRecordRequest, caller: Caller) -> AddRecord:
    with checking(caller, request) as check:
        if request.record.HasField("recovery"):
            check.wrong("record.recovery", "is made by RecordRecovery alone")
        return AddRecord(
            key=key_of(check, caller, request),
            record=new_record(check, request.record, "record."),
            dated=request.record.HasField("event_time"),
            allow_sensitive=request.allow_sensitive,
            approves=caller.may(Scope.APPROVE),
            request=check.request(request),
        )


def put_record(request: pb.PutRecordRequest, caller: Caller) -> PutRecords:
    with checking(caller, request) as check:
        put = _put(check, request.record, "record.")
        return PutRecords(
            key=key_of(check, caller, request),
            puts=(replace(put, if_revision=check.revision(request, "if_revision")),),
            allow_sensitive=request.allow_sensitive,
            approves=caller.may(Scope.APPROVE),
            request=check.request(request),
        )


def batch_put_records(request: pb.BatchPutRecordsRequest, caller: Caller) -> PutRecords:
    with checking(caller, request) as check:
        check.amount("records", request.records, MOST_PUT, least=0 if request.delete_ids else 1)
        puts = [
            _put(check, each, f"records[{place}].") for place, each in enumerate(request.records[:MOST_PUT])
        ]
        known = set[str]()
        for put in puts:
            if put.record.record_id in known:
                check.wrong(f"{put.place}record_id", "must not be there twice")
            known.add(put.record.record_id)
        deletes = check.ids("delete_ids", request.delete_ids, MOST_PUT)
        for place, record_id in enumerate(deletes):
            if record_id in known:
                check.wrong(f"delete_ids[{place}]", "must not be one of records")
        return PutRecords(
            key=key_of(check, caller, request),
            puts=tuple(puts),
            deletes=tuple(map(RecordId, deletes)),
            allow_sensitive=request.allow_sensitive,
            approves=caller.may(Scope.APPROVE),
            request=check.request(request),
        )


def _put(check: Checks, given: pb.Record, place: str) -> Put:
    if given.kind not in (pb.RECORD_KIND_UNSPECIFIED, pb.RECORD_KIND_MEMORY):
        check.wrong(f"{place}kind", "must be MEMORY: StoreFact stores facts, StoreEpisode episodes")
    if given.HasField("recovery"):
        check.wrong(f"{place}recovery", "is made by RecordRecovery alone")
    check.id(f"{place}record_id", given.record_id)
    return Put(
        record=new_record(check, given, place),
        dated=given.HasField("event_time"),
        rated=given.HasField("confidence"),
        rewarded=given.HasField("reward"),
        place=place,
    )


def retrieve_facts(request: pb.RetrieveFactsRequest, caller: Caller) -> RetrieveFacts:
    with checking(caller, request) as check:
        asked = request.WhichOneof("asked")
        if asked is None:
            check.wrong("query", "must be given, or embedding")
        if asked == "query":
            check.text("query", request.query, GOAL, least=1)
        return RetrieveFacts(
            key=key_of(check, caller, request),
            query=request.query,
            embedding=check.optional_vector(request, "embedding"),
            top_k=check.optional_int(request, "top_k", 1, MOST_RESULTS),
            categories=frozenset(categories(check, "categories", request.categories)),
            as_of=check.optional_time(request, "as_of"),
            include_superseded=request.include_superseded,
            min_similarity=check.optional_share(request, "min_similarity") or 0.0,
            observe=request.observe,
            filter=_found_filter(check, request.filter),
            min_revision=check.min_revision(request),
        )


def recall_episodes(request: pb.RecallEpisodesRequest, caller: Caller) -> RecallEpisodes:
    with checking(caller, request) as check:
        return RecallEpisodes(
            key=key_of(check, caller, request),
            query=check.text("query", request.query, GOAL, least=1),
            state=check.text("state", request.state, GOAL),
            top_k=check.optional_int(request, "top_k", 1, MOST_RESULTS),
            observe=request.observe,
            min_revision=check.min_revision(request),
        )


def retrieve_memories(request: pb.RetrieveMemoriesRequest, caller: Caller) -> RetrieveMemories:
    with checking(caller, request) as check:
        return RetrieveMemories(
            key=key_of(check, caller, request),
            query=check.text("query", request.query, GOAL, least=1),
            route=_route(check, request.route) if request.HasField("route") else None,
            top_k=check.optional_int(request, "top_k", 1, MOST_RESULTS),
            observe=request.observe,
            filter=_found_filter(check, request.filter),
            strict=request.strict,
            wait=request.wait,
            min_revision=check.min_revision(request),
        )


def _found_filter(check: Checks, given: pb.RecordFilter) -> RecordFilter:
    if given.awaits_review:
        check.wrong("filter.awaits_review", "must not be set: what waits for a review is not found")
    return record_filter(check, "filter", given)


def _route(check: Checks, given: pb.Route) -> Route:
    intent = check.choice("route.intent", given.intent, or_first(INTENTS))
    layers = tuple(sorted(check.choices("route.layers", given.layers, LAYERS)))
    return Route(
        intent=intent,
        categories=categories(check, "route.categories", given.categories),
        layers=tuple(map(Layer, layers)) or layers_of(intent),
    )


def get_record(request: pb.GetRecordRequest, caller: Caller) -> GetRecord:
    with checking(caller, request) as check:
        return GetRecord(
            key=key_of(check, caller, request),
            record_id=RecordId(check.id("record_id", request.record_id)),
            min_revision=check.min_revision(request),
        )


def update_record(request: pb.UpdateRecordRequest, caller: Caller) -> UpdateRecord:
    with checking(caller, request) as check:
        named, record = check.mask("update_mask", request.update_mask, FIELDS), request.record
        for field in ("event_time", "confidence", "reward", "episode"):  # what cannot be cleared
            if field in named and not record.HasField(field):
                check.wrong(f"record.{field}", "must be given where update_mask names it")
        return UpdateRecord(
            key=key_of(check, caller, request),
            record_id=RecordId(check.id("record.record_id", record.record_id)),
            given={
                name: value for name, value in given_fields(check, record, named).items() if name in named
            },
            if_revision=check.revision(request, "if_revision"),
            allow_sensitive=request.allow_sensitive,
            stated=caller.may(Scope.SPEAK_FOR_USER),
            approves=caller.may(Scope.APPROVE),
            writer=caller.subject,
            request=check.request(request),
        )


def list_records(request: pb.ListRecordsRequest, caller: Caller) -> ListRecords:
    with checking(caller, request) as check:
        return ListRecords(
            key=key_of(check, caller, request),
            filter=record_filter(check, "filter", request.filter),
            page_size=check.page_size(request.page_size),
            page_token=check.page_token(request.page_token),
            min_revision=check.min_revision(request),
        )


def delete_records(request: pb.DeleteRecordsRequest, caller: Caller) -> DeleteRecords:
    with checking(caller, request) as check:
        chosen = record_filter(check, "filter", request.filter)
        if bool(request.record_ids) is not chosen.admits_all:
            check.wrong("filter", "must say which records, where record_ids names none, and only there")
        if chosen.awaits_review:
            check.wrong("filter.awaits_review", "must not be set: ReviewRecords settles what waits")
        return DeleteRecords(
            key=key_of(check, caller, request),
            record_ids=record_ids(check, request.record_ids, least=0),
            filter=chosen,
            request=check.request(request),
        )


# ---- review ----


def review_records(request: pb.ReviewRecordsRequest, caller: Caller) -> ReviewRecords:
    with checking(caller, request) as check:
        decision = check.choice("decision", request.decision, REVIEW_DECISIONS)
        corrects = decision is ReviewDecision.CORRECT
        named = record_ids(check, request.record_ids, 1 if corrects else MOST_IDS)
        if request.content and not corrects:
            check.wrong("content", "goes with CORRECT alone")
        return ReviewRecords(
            key=key_of(check, caller, request),
            record_ids=named,
            decision=decision,
            content=check.text("content", request.content, SENTENCE, least=int(corrects)),
            allow_sensitive=request.allow_sensitive,
            stated=caller.may(Scope.SPEAK_FOR_USER),
            writer=caller.subject,
            request=check.request(request),
        )


# ---- retractions ----


def retract_records(request: pb.RetractRecordsRequest, caller: Caller) -> RetractRecords:
    with checking(caller, request) as check:
        given = request.filter
        since, until = time_range(check, "filter.written", given.written)
        chosen = Selection(
            record_ids=frozenset(record_ids(check, request.record_ids, least=0)),
            source=check.text("filter.source", given.source, SOURCE),
            conversation_id=ConversationId(
                check.id_or_none("filter.conversation_id", given.conversation_id) or ""
            ),
            writer=check.text("filter.writer", given.writer, NAME),
            since=since,
            until=until,
        )
        if bool(request.record_ids) is chosen.filters:
            check.wrong("filter", "must say what is taken back, where record_ids names none, and only there")
        return RetractRecords(
            key=key_of(check, caller, request),
            chosen=chosen,
            reason=check.text("reason", request.reason, SOURCE),
            dry_run=request.dry_run,
            request=check.request(request),
        )


def release_retraction(request: pb.ReleaseRetractionRequest, caller: Caller) -> CloseRetraction:
    return _close_retraction(request, caller, erases=False)


def erase_retraction(request: pb.EraseRetractionRequest, caller: Caller) -> CloseRetraction:
    return _close_retraction(request, caller, erases=True)


def _close_retraction(
    request: pb.ReleaseRetractionRequest | pb.EraseRetractionRequest, caller: Caller, *, erases: bool
) -> CloseRetraction:
    with checking(caller, request) as check:
        return CloseRetraction(
            key=key_of(check, caller, request),
            retraction_id=check.id("retraction_id", request.retraction_id),
            erases=erases,
            request=check.request(request),
        )


def list_retractions(request: pb.ListRetractionsRequest, caller: Caller) -> ListRetractions:
    with checking(caller, request) as check:
        return ListRetractions(
            key=key_of(check, caller, request),
            page_size=check.page_size(request.page_size),
            page_token=check.page_token(request.page_token),
            min_revision=check.min_revision(request),
        )


# ---- recoveries, outcomes, opinions ----


def record_recovery(request: pb.RecordRecoveryRequest, caller: Caller) -> RecordRecovery:
    with checking(caller, request) as check:
        recovery = Recovery(
            error_type=check.text("error_type", request.error_type, NAME, least=1),
            tool=check.text("tool", request.tool, NAME, least=1),
            message=check.text("message", request.message, SENTENCE),
            original_json=json_object(check, "original_json", request.original_json),
            fixed_json=json_object(check, "fixed_json", request.fixed_json),
        )
        return RecordRecovery(
            key=key_of(check, caller, request),
            recovery=recovery,
            explanation=check.text("explanation", request.explanation, SENTENCE),
            success=request.success,
            allow_sensitive=request.allow_sensitive,
            approves=caller.may(Scope.APPROVE),
            writer=caller.subject,
            request=check.request(request),
        )


def find_recoveries(request: pb.FindRecoveriesRequest, caller: Caller) -> FindRecoveries:
    with checking(caller, request) as check:
        failure = Failure(
            error_type=check.text("error_type", request.error_type, NAME, least=1),
            tool=check.text("tool", request.tool, NAME, least=1),
            message=check.text("message", request.message, SENTENCE),
        )
        return FindRecoveries(
            key=key_of(check, caller, request),
            failure=failure,
            top_k=check.optional_int(request, "top_k", 1, MOST_RESULTS),
            min_match=check.optional_share(request, "min_match"),
            observe=request.observe,
            min_revision=check.min_revision(request),
        )


def report_outcome(request: pb.ReportOutcomeRequest, caller: Caller) -> ReportOutcome:
    with checking(caller, request) as check:
        return ReportOutcome(
            key=key_of(check, caller, request),
            record_ids=record_ids(check, request.record_ids),
            succeeded=request.succeeded,
            response=check.text("response", request.response, DETAIL),
            by_citation=request.by_citation,
            request=check.request(request),
        )


def give_feedback(request: pb.GiveFeedbackRequest, caller: Caller) -> GiveFeedback:
    with checking(caller, request) as check:
        return GiveFeedback(
            key=key_of(check, caller, request),
            record_ids=record_ids(check, request.record_ids),
            value=_opinion(check, request),
            reason=check.text("reason", request.reason, SENTENCE),
            query=check.text("query", request.query, GOAL),
            response=check.text("response", request.response, DETAIL),
            by_citation=request.by_citation,
            request=check.request(request),
        )


def _opinion(check: Checks, request: pb.GiveFeedbackRequest) -> float:
    """Reads a thumb or stars, one of the two."""
    stars = check.optional_int(request, "stars", 1, 5)
    if (stars is None) is (request.thumb == pb.THUMB_UNSPECIFIED):
        check.wrong("stars", "must be given, or thumb, and not both")
        return 0.0
    if stars is not None:
        return opinion(stars=stars)
    return opinion(liked=check.choice("thumb", request.thumb, THUMBS))


def export_feedback(request: pb.ExportFeedbackRequest, caller: Caller) -> ExportFeedback:
    with checking(caller, request) as check:
        return ExportFeedback(key=key_of(check, caller, request), min_revision=check.min_revision(request))


# ---- reflections ----


def generate_reflection(request: pb.GenerateReflectionRequest, caller: Caller) -> GenerateReflection:
    with checking(caller, request) as check:
        if not request.category and not request.record_ids:
            check.wrong("category", "must be given, or record_ids")
        title = check.text("title", request.title, TITLE, least=1)
        if "\n" in title:
            check.wrong("title", "must be one line")
        return GenerateReflection(
            key=key_of(check, caller, request),
            title=title,
            category=category(check, "category", request.category),
            record_ids=record_ids(check, request.record_ids, MOST_REFLECTED, least=0),
            approves=caller.may(Scope.APPROVE),
            request=check.request(request),
        )


def get_reflection(request: pb.GetReflectionRequest, caller: Caller) -> GetReflection:
    with checking(caller, request) as check:
        return GetReflection(
            key=key_of(check, caller, request),
            reflection_id=ReflectionId(check.id("reflection_id", request.reflection_id)),
            min_revision=check.min_revision(request),
        )


def list_reflections(request: pb.ListReflectionsRequest, caller: Caller) -> ListReflections:
    with checking(caller, request) as check:
        return ListReflections(
            key=key_of(check, caller, request),
            category=category(check, "category", request.category),
            page_size=check.page_size(request.page_size),
            page_token=check.page_token(request.page_token),
            min_revision=check.min_revision(request),
        )


def delete_reflection(request: pb.DeleteReflectionRequest, caller: Caller) -> DeleteReflection:
    with checking(caller, request) as check:
        return DeleteReflection(
            key=key_of(check, caller, request),
            reflection_id=ReflectionId(check.id("reflection_id", request.reflection_id)),
            request=check.request(request),
        )


def declare_tools(request: pb.DeclareToolsRequest, caller: Caller) -> DeclareTools:
    with checking(caller, request) as check:
        return DeclareTools(form=check.choice("tool_format", request.tool_format, or_first(TOOL_FORMATS)))
