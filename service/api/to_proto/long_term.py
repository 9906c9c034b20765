"""Answers of LongTerm."""

from collections.abc import Iterable

from core.long_term.ranking import RankedRecord
from core.model.collection import CollectionRecord
from core.model.record import Record, Recovery, Uses
from core.model.retraction import Retraction
from core.ports.aggregates import CommitResult
from core.usecases.long_term.answers import RecordsKept, RecordWithUses
from core.usecases.long_term.exchange.export_collection import FilePart
from core.usecases.long_term.verbs.delete_collection import CollectionPurged
from core.usecases.long_term.verbs.find_recoveries import RecoveriesFound
from core.usecases.long_term.verbs.get_collection import CollectionSeen
from core.usecases.long_term.verbs.get_record import RecordSeen
from core.usecases.long_term.verbs.list_collections import CollectionsListed
from core.usecases.long_term.verbs.list_records import RecordsListed
from core.usecases.long_term.verbs.put_records import RecordsPut
from core.usecases.long_term.verbs.retrieve_facts import RecordsFound
from core.usecases.long_term.verbs.retrieve_memories import MemoriesFound
from core.usecases.long_term.verbs.store_fact import FactStored
from memorybank.v1 import long_term_pb2 as pb
from service.api.mapping.rendering import UNSET, rendering
from service.api.to_proto.retractions import written
from service.api.to_proto.scalars import time

# ---- values ----


def seen(value: RecordWithUses) -> pb.Record:
    """Renders a record; of one that is gone its id alone."""
    if value.record is None:
        return pb.Record(record_id=value.record_id)
    made = record(value.record, value.uses)
    made.supersedes.extend(value.supersedes)
    return made


_recovery = rendering(Recovery, pb.Recovery, success=lambda _: True)
_record = rendering(Record, pb.Record, last_use_time=UNSET, access_count=UNSET, supersedes=UNSET)


def record(value: Record, uses: Uses | None) -> pb.Record:
    made = _record(value)
    if uses is not None:
        made.access_count = uses.count
        if uses.last_time is not None:
            made.last_use_time.CopyFrom(time(uses.last_time))
    return made


def _ranked(found: Iterable[tuple[RankedRecord, Uses | None]]) -> list[pb.RankedRecord]:
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


_without_revision = rendering(CollectionRecord, pb.Collection, revision=UNSET)


def _collection(value: CollectionRecord, revision: int) -> pb.Collection:
    made = _without_revision(value)
    made.revision = revision
    return made


# ---- records ----


def _seen(kept: RecordsKept | RecordsListed) -> Iterable[pb.Record]:
    return map(seen, kept.records)


def _found(found: RecordsFound | MemoriesFound) -> list[pb.RankedRecord]:
    return _ranked(found.found)


def _first(kept: RecordsKept) -> pb.Record | None:
    return seen(kept.records[0]) if kept.records else None


store_fact = rendering(
    FactStored,
    pb.StoreFactResponse,
    record=lambda stored: _first(stored.kept),
    known="kept.kept.known",
    forgotten="kept.kept.forgotten",
)


store_episode = rendering(RecordsKept, pb.StoreEpisodeResponse, record=_first)


add_record = rendering(RecordsKept, pb.AddRecordResponse, record=_first)


put_record = rendering(
    RecordsKept, pb.PutRecordResponse, record=_first, created=lambda kept: not kept.kept.known
)


batch_put_records = rendering(
    CommitResult[RecordsPut],
    pb.BatchPutRecordsResponse,
    created_ids="result.created",
    awaiting_ids="result.awaiting",
    deleted_ids="result.deleted",
)


facts = rendering(RecordsFound, pb.RetrieveFactsResponse, facts=_found)


episodes = rendering(RecordsFound, pb.RecallEpisodesResponse, episodes=_found)


memories = rendering(MemoriesFound, pb.RetrieveMemoriesResponse, memories=_found)


get_record = rendering(RecordSeen, pb.GetRecordResponse, record=lambda found: seen(found.seen))


update_record = rendering(RecordsKept, pb.UpdateRecordResponse, record=_first)


list_records = rendering(RecordsListed, pb.ListRecordsResponse, records=_seen)


review_records = rendering(RecordsKept, pb.ReviewRecordsResponse, records=_seen)


# ---- retractions ----


_filter = rendering(Retraction, pb.RetractionFilter, written=written)
retraction = rendering(Retraction, pb.Retraction, filter=_filter)


# ---- recoveries, outcomes, opinions ----


record_recovery = rendering(RecordsKept, pb.RecordRecoveryResponse, record=_first)


def recoveries(found: RecoveriesFound) -> pb.FindRecoveriesResponse:
    return pb.FindRecoveriesResponse(
        recoveries=[pb.FoundRecovery(record=record(r, uses), match=match) for r, match, uses in found.found],
        revision=found.revision,
        truncated=found.truncated,
    )


report_outcome = rendering(RecordsKept, pb.ReportOutcomeResponse, records=_seen)


give_feedback = rendering(RecordsKept, pb.GiveFeedbackResponse, records=_seen)


# ---- reflections ----


# ---- collections ----


get_collection = rendering(
    CollectionSeen,
    pb.GetCollectionResponse,
    collection=lambda found: _collection(found.record, found.revision),
)


update_collection = rendering(
    CommitResult[CollectionRecord],
    pb.UpdateCollectionResponse,
    collection=lambda done: _collection(done.result, done.revision),
)


list_collections = rendering(
    CollectionsListed,
    pb.ListCollectionsResponse,
    collections=lambda listed: [_collection(*each) for each in listed.collections],
)


delete_collection = rendering(CollectionPurged, pb.DeleteCollectionResponse, replayed=UNSET)


file_part = rendering(FilePart, pb.ExportCollectionResponse, content=lambda part: part.content.encode())


def declare_tools(tools: tuple[str, ...]) -> pb.DeclareToolsResponse:
    return pb.DeclareToolsResponse(tools=tools)
