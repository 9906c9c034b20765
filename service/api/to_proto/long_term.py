"""Answers of LongTerm."""

from collections.abc import Iterable, Mapping

from core.ids import RecordId
from core.long_term.ranking import Ranked
from core.long_term.routing import Route
from core.model.collection import CollectionRecord
from core.model.record import Provenance, Record, Reflection, SupersededReason, Uses
from core.model.retraction import Retraction
from core.ports.aggregates import Committed
from core.usecases.long_term.answers import RecordsKept, Seen
from core.usecases.long_term.exchange.export_collection import FilePart
from core.usecases.long_term.exchange.export_feedback import PreferencePair
from core.usecases.long_term.exchange.import_collection import CollectionImported
from core.usecases.long_term.verbs.close_retraction import RetractionEnded
from core.usecases.long_term.verbs.delete_collection import CollectionPurged
from core.usecases.long_term.verbs.delete_records import RecordsDeleted
from core.usecases.long_term.verbs.delete_reflection import ReflectionDeleted
from core.usecases.long_term.verbs.find_recoveries import RecoveriesFound
from core.usecases.long_term.verbs.generate_reflection import ReflectionGenerated
from core.usecases.long_term.verbs.get_collection import CollectionCounts, CollectionSeen
from core.usecases.long_term.verbs.get_record import RecordSeen
from core.usecases.long_term.verbs.get_reflection import ReflectionSeen
from core.usecases.long_term.verbs.list_collections import CollectionsListed
from core.usecases.long_term.verbs.list_records import RecordsListed
from core.usecases.long_term.verbs.list_reflections import ReflectionsListed
from core.usecases.long_term.verbs.list_retractions import RetractionsListed
from core.usecases.long_term.verbs.put_records import RecordsPut
from core.usecases.long_term.verbs.retract_records import RecordsRetracted
from core.usecases.long_term.verbs.retrieve_facts import RecordsFound
from core.usecases.long_term.verbs.retrieve_memories import MemoriesFound
from core.usecases.long_term.verbs.store_fact import FactStored
from memorybank.v1 import long_term_pb2 as pb
from memorybank.v1 import types_pb2
from service.api.enums import (
    INTENTS,
    LAYERS,
    RECORD_KINDS,
    RECORD_ORIGINS,
    RECORD_STATES,
    RETRACTION_STATES,
    REVIEWS,
    SUPERSEDED_REASONS,
    numbers,
)
from service.api.to_proto.values import duration, time, time_or_none, usage

_KINDS = numbers(RECORD_KINDS)
_ORIGINS = numbers(RECORD_ORIGINS)
_STATES = numbers(RECORD_STATES)
_REASONS: Mapping[SupersededReason | None, pb.SupersededReason.ValueType] = {**numbers(SUPERSEDED_REASONS)}
_INTENTS = numbers(INTENTS)
_LAYERS = numbers(LAYERS)
_REVIEWS = numbers(REVIEWS)
_RETRACTIONS = numbers(RETRACTION_STATES)


# ---- values ----


def seen(value: Seen) -> pb.Record:
    """Renders a record; of one that is gone its id alone."""
    if value.record is None:
        return pb.Record(record_id=value.record_id)
    made = record(value.record, value.uses)
    made.supersedes.extend(value.supersedes)
    return made


def record(value: Record, uses: Uses | None) -> pb.Record:
    made = pb.Record(
        record_id=value.record_id,
        kind=_KINDS[value.kind],
        category=value.category,
        subcategory=value.subcategory,
        tags=value.tags,
        content=value.content,
        detail=value.detail,
        confidence=value.confidence,
        reward=value.reward,
        source=value.source,
        origin=_ORIGINS[value.origin],
        conversation_id=value.conversation_id,
        steps=value.steps,
        invocation_id=value.invocation_id,
        agent=value.agent,
        event_time=time(value.event_time),
        create_time=time(value.create_time),
        update_time=time(value.update_time),
        last_use_time=time_or_none(uses.last_time if uses else None),
        access_count=uses.count if uses else 0,
        needs_revision=value.needs_revision,
        judged=value.judged,
        metadata_json=value.metadata_json,
        metadata_bytes=value.metadata_bytes,
        reflection_id=value.reflection_id,
        state=_STATES[value.state],
        superseded_by=value.superseded_by,
        superseded_reason=_REASONS.get(value.superseded_reason, pb.SUPERSEDED_REASON_UNSPECIFIED),
        valid_from=time(value.valid_from),
        valid_until=time_or_none(value.valid_until),
        contested_with=value.contested_with,
        ttl=None if value.ttl is None else duration(value.ttl),
        also_from=map(_provenance, value.also_from),
        revision=value.revision,
        awaits_review=value.awaits_review,
        writer=value.writer,
        speaker=value.speaker,
        said_dates=value.said_dates,
    )
    if value.episode is not None:
        episode = value.episode
        made.episode.CopyFrom(
            pb.Episode(
                goal=episode.goal, steps=episode.steps, outcome=episode.outcome, lessons=episode.lessons
            )
        )
    if value.recovery is not None:
        mended = value.recovery
        made.recovery.CopyFrom(
            pb.Recovery(
                error_type=mended.error_type,
                tool=mended.tool,
                message=mended.message,
                original_json=mended.original_json,
                fixed_json=mended.fixed_json,
                success=True,
                successes=mended.successes,
                failures=mended.failures,
                examples=[
                    pb.RecoveryExample(original_json=each.original_json, fixed_json=each.fixed_json)
                    for each in mended.examples
                ],
            )
        )
    return made


def _provenance(value: Provenance) -> pb.Provenance:
    return pb.Provenance(
        origin=_ORIGINS[value.origin],
        source=value.source,
        conversation_id=value.conversation_id,
        steps=value.steps,
        invocation_id=value.invocation_id,
        event_time=time(value.event_time),
        writer=value.writer,
    )


def _ranked(found: Iterable[tuple[Ranked, Uses | None]]) -> list[pb.RankedRecord]:
    return [
        pb.RankedRecord(
            record=record(one.record, uses),
            score=one.score,
            similarity=one.similarity,
            weight=one.weight,
            decay=one.decay,
        )
        for one, uses in found
    ]


def _reflection(value: Reflection) -> pb.Reflection:
    return pb.Reflection(
        reflection_id=value.reflection_id,
        title=value.title,
        category=value.category,
        text=value.text,
        record_ids=value.record_ids,
        create_time=time(value.create_time),
        update_time=time(value.update_time),
        revision=value.revision,
    )


def _collection(value: CollectionRecord, revision: int) -> pb.Collection:
    return pb.Collection(
        user=value.user,
        collection=value.collection,
        half_life_days=value.half_life_days,
        retention=None if value.retention is None else duration(value.retention),
        enabled=value.enabled,
        create_time=time(value.create_time),
        update_time=time(value.update_time),
        revision=revision,
        tokens_spent=value.tokens_spent,
        review=_REVIEWS[value.review],
    )


def _counts(value: CollectionCounts) -> pb.CollectionCounts:
    return pb.CollectionCounts(
        facts=value.facts,
        episodes=value.episodes,
        memories=value.memories,
        reflections=value.reflections,
        feedback=value.feedback,
        tombstones=value.tombstones,
        contested=value.contested,
        unjudged=value.unjudged,
        awaiting_review=value.awaiting_review,
    )


def _route(value: Route) -> pb.Route:
    return pb.Route(
        intent=_INTENTS[value.intent],
        categories=value.categories,
        layers=[_LAYERS[layer] for layer in value.layers],
        widened=value.widened,
    )


# ---- records ----


def _first(kept: RecordsKept) -> pb.Record | None:
    return seen(kept.records[0]) if kept.records else None


def store_fact(stored: FactStored) -> pb.StoreFactResponse:
    kept = stored.kept
    return pb.StoreFactResponse(
        record=_first(kept),
        known=kept.kept.known,
        superseded_ids=stored.superseded_ids,
        contested_ids=stored.contested_ids,
        revision=kept.revision,
        replayed=kept.replayed,
        forgotten=kept.kept.forgotten,
    )


def store_episode(kept: RecordsKept) -> pb.StoreEpisodeResponse:
    return pb.StoreEpisodeResponse(
        record=_first(kept),
        revision=kept.revision,
        replayed=kept.replayed,
        forgotten=kept.kept.forgotten,
    )


def add_record(kept: RecordsKept) -> pb.AddRecordResponse:
    return pb.AddRecordResponse(
        record=_first(kept),
        known=kept.kept.known,
        forgotten=kept.kept.forgotten,
        revision=kept.revision,
        replayed=kept.replayed,
    )


def put_record(kept: RecordsKept) -> pb.PutRecordResponse:
    return pb.PutRecordResponse(
        record=_first(kept), created=not kept.kept.known, revision=kept.revision, replayed=kept.replayed
    )


def batch_put_records(done: Committed[RecordsPut]) -> pb.BatchPutRecordsResponse:
    return pb.BatchPutRecordsResponse(
        created_ids=done.result.created,
        awaiting_ids=done.result.awaiting,
        deleted_ids=done.result.deleted,
        revision=done.revision,
        replayed=done.replayed,
    )


def facts(found: RecordsFound) -> pb.RetrieveFactsResponse:
    return pb.RetrieveFactsResponse(
        facts=_ranked(found.found), revision=found.revision, truncated=found.truncated
    )


def episodes(found: RecordsFound) -> pb.RecallEpisodesResponse:
    return pb.RecallEpisodesResponse(
        episodes=_ranked(found.found), revision=found.revision, truncated=found.truncated
    )


def memories(found: MemoriesFound) -> pb.RetrieveMemoriesResponse:
    return pb.RetrieveMemoriesResponse(
        memories=_ranked(found.found),
        reflections=map(_reflection, found.reflections),
        route=_route(found.route),
        revision=found.revision,
        truncated=found.truncated,
    )


def get_record(found: RecordSeen) -> pb.GetRecordResponse:
    return pb.GetRecordResponse(record=seen(found.seen), revision=found.revision)


def update_record(kept: RecordsKept) -> pb.UpdateRecordResponse:
    return pb.UpdateRecordResponse(record=_first(kept), revision=kept.revision, replayed=kept.replayed)


def list_records(listed: RecordsListed) -> pb.ListRecordsResponse:
    return pb.ListRecordsResponse(
        records=map(seen, listed.records), next_page_token=listed.next_page_token, revision=listed.revision
    )


def delete_records(done: Committed[RecordsDeleted]) -> pb.DeleteRecordsResponse:
    return pb.DeleteRecordsResponse(
        records=done.result.records,
        feedback=done.result.feedback,
        reflections=done.result.reflections,
        revived_ids=list[RecordId](done.result.revived_ids),
        revision=done.revision,
        replayed=done.replayed,
    )


def review_records(kept: RecordsKept) -> pb.ReviewRecordsResponse:
    return pb.ReviewRecordsResponse(
        records=map(seen, kept.records), revision=kept.revision, replayed=kept.replayed
    )


# ---- retractions ----


def retract_records(done: Committed[RecordsRetracted]) -> pb.RetractRecordsResponse:
    made = done.result
    return pb.RetractRecordsResponse(
        retraction=None if made.retraction is None else _retraction(made.retraction),
        record_ids=list[RecordId](made.record_ids),
        changed_ids=list[RecordId](made.changed_ids),
        feedback=made.feedback,
        reflections=made.reflections,
        revision=done.revision,
        replayed=done.replayed,
    )


def release_retraction(done: Committed[RetractionEnded]) -> pb.ReleaseRetractionResponse:
    return pb.ReleaseRetractionResponse(
        retraction=_retraction(done.result.retraction),
        records=done.result.records,
        revision=done.revision,
        replayed=done.replayed,
    )


def erase_retraction(done: Committed[RetractionEnded]) -> pb.EraseRetractionResponse:
    return pb.EraseRetractionResponse(
        retraction=_retraction(done.result.retraction),
        records=done.result.records,
        revision=done.revision,
        replayed=done.replayed,
    )


def list_retractions(listed: RetractionsListed) -> pb.ListRetractionsResponse:
    return pb.ListRetractionsResponse(
        retractions=map(_retraction, listed.retractions),
        next_page_token=listed.next_page_token,
        revision=listed.revision,
    )


def _retraction(value: Retraction) -> pb.Retraction:
    written = types_pb2.TimeRange(start=time_or_none(value.since), end=time_or_none(value.until))
    has_time = value.since is not None or value.until is not None
    return pb.Retraction(
        retraction_id=value.retraction_id,
        state=_RETRACTIONS[value.state],
        create_time=time(value.create_time),
        close_time=time_or_none(value.close_time),
        filter=pb.RetractionFilter(
            source=value.source,
            conversation_id=value.conversation_id,
            writer=value.writer,
            written=written if has_time else None,
        ),
        reason=value.reason,
        records=value.records,
        changed=value.changed,
    )


# ---- recoveries, outcomes, opinions ----


def record_recovery(kept: RecordsKept) -> pb.RecordRecoveryResponse:
    return pb.RecordRecoveryResponse(
        record=_first(kept),
        known=kept.kept.known,
        revision=kept.revision,
        replayed=kept.replayed,
        forgotten=kept.kept.forgotten,
    )


def recoveries(found: RecoveriesFound) -> pb.FindRecoveriesResponse:
    return pb.FindRecoveriesResponse(
        recoveries=[pb.FoundRecovery(record=record(r, uses), match=match) for r, match, uses in found.found],
        revision=found.revision,
        truncated=found.truncated,
    )


def report_outcome(kept: RecordsKept) -> pb.ReportOutcomeResponse:
    return pb.ReportOutcomeResponse(
        records=map(seen, kept.records),
        shares=kept.kept.shares,
        revision=kept.revision,
        replayed=kept.replayed,
    )


def give_feedback(kept: RecordsKept) -> pb.GiveFeedbackResponse:
    return pb.GiveFeedbackResponse(
        records=map(seen, kept.records),
        shares=kept.kept.shares,
        revision=kept.revision,
        replayed=kept.replayed,
    )


def preference_pair(pair: PreferencePair) -> pb.ExportFeedbackResponse:
    return pb.ExportFeedbackResponse(
        prompt=pair.prompt, chosen=pair.chosen, rejected=pair.rejected, reason=pair.reason
    )


# ---- reflections ----


def generate_reflection(done: ReflectionGenerated) -> pb.GenerateReflectionResponse:
    return pb.GenerateReflectionResponse(
        reflection=None if done.reflection is None else _reflection(done.reflection),
        usage=usage(done.usage),
        revision=done.revision,
        replayed=done.replayed,
    )


def get_reflection(found: ReflectionSeen) -> pb.GetReflectionResponse:
    return pb.GetReflectionResponse(reflection=_reflection(found.reflection), revision=found.revision)


def list_reflections(listed: ReflectionsListed) -> pb.ListReflectionsResponse:
    return pb.ListReflectionsResponse(
        reflections=map(_reflection, listed.reflections),
        next_page_token=listed.next_page_token,
        revision=listed.revision,
    )


def delete_reflection(done: Committed[ReflectionDeleted]) -> pb.DeleteReflectionResponse:
    return pb.DeleteReflectionResponse(revision=done.revision, replayed=done.replayed)


# ---- collections ----


def get_collection(found: CollectionSeen) -> pb.GetCollectionResponse:
    return pb.GetCollectionResponse(
        collection=_collection(found.record, found.revision),
        counts=_counts(found.counts),
        revision=found.revision,
    )


def update_collection(done: Committed[CollectionRecord]) -> pb.UpdateCollectionResponse:
    return pb.UpdateCollectionResponse(
        collection=_collection(done.result, done.revision), revision=done.revision, replayed=done.replayed
    )


def list_collections(listed: CollectionsListed) -> pb.ListCollectionsResponse:
    return pb.ListCollectionsResponse(
        collections=[_collection(value, revision) for value, revision in listed.collections],
        next_page_token=listed.next_page_token,
    )


def delete_collection(done: CollectionPurged) -> pb.DeleteCollectionResponse:
    return pb.DeleteCollectionResponse(counts=_counts(done.counts), revision=done.revision)


def file_part(part: FilePart) -> pb.ExportCollectionResponse:
    return pb.ExportCollectionResponse(path=part.path, content=part.content.encode())


def import_collection(done: Committed[CollectionImported]) -> pb.ImportCollectionResponse:
    return pb.ImportCollectionResponse(
        records=done.result.records,
        reflections=done.result.reflections,
        known_ids=done.result.known_ids,
        refused_ids=done.result.refused_ids,
        revision=done.revision,
        replayed=done.replayed,
    )


def declare_tools(tools: tuple[str, ...]) -> pb.DeclareToolsResponse:
    return pb.DeclareToolsResponse(tools=tools)
