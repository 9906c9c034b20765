"""The LongTerm service, method by method: message, parse, call, render."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from core.usecases.house import House
from core.usecases.long_term import (
    add_record,
    declare_tools,
    delete_collection,
    delete_records,
    delete_reflection,
    export_collection,
    export_feedback,
    find_recoveries,
    generate_reflection,
    get_collection,
    get_record,
    get_reflection,
    give_feedback,
    list_collections,
    list_records,
    list_reflections,
    recall_episodes,
    record_recovery,
    report_outcome,
    retrieve_facts,
    retrieve_memories,
    store_fact,
    update_collection,
    update_record,
)
from core.usecases.user import export_user, get_user, purge_user, update_user
from memorybank.v1 import long_term_pb2 as pb
from service.api.endpoint import Endpoint, as_it_is, client_stream, server_stream, unary
from service.api.from_proto import collections as whole
from service.api.from_proto import long_term as parse
from service.api.from_proto import users as parse_user
from service.api.to_proto import long_term as render
from service.api.to_proto import user_files
from service.api.to_proto import users as render_user
from service.api.uploads import collection_import

SERVICE = pb.DESCRIPTOR.services_by_name["LongTerm"].full_name


def endpoints(house: House) -> Mapping[str, Endpoint]:
    def of(verb: Callable[[House, Any], Awaitable[Any]]) -> Callable[[Any], Awaitable[Any]]:
        return partial(verb, house)

    return {
        "StoreFact": unary(
            pb.StoreFactRequest, parse.store_fact, of(store_fact.store_fact), render.store_fact
        ),
        "RetrieveFacts": unary(
            pb.RetrieveFactsRequest, parse.retrieve_facts, of(retrieve_facts.retrieve_facts), render.facts
        ),
        "StoreEpisode": unary(
            pb.StoreEpisodeRequest, parse.store_episode, of(add_record.add_record), render.store_episode
        ),
        "RecallEpisodes": unary(
            pb.RecallEpisodesRequest,
            parse.recall_episodes,
            of(recall_episodes.recall_episodes),
            render.episodes,
        ),
        "AddRecord": unary(
            pb.AddRecordRequest, parse.add_record, of(add_record.add_record), render.add_record
        ),
        "GetRecord": unary(
            pb.GetRecordRequest, parse.get_record, of(get_record.get_record), render.get_record
        ),
        "UpdateRecord": unary(
            pb.UpdateRecordRequest, parse.update_record, of(update_record.update_record), render.update_record
        ),
        "ListRecords": unary(
            pb.ListRecordsRequest, parse.list_records, of(list_records.list_records), render.list_records
        ),
        "DeleteRecords": unary(
            pb.DeleteRecordsRequest,
            parse.delete_records,
            of(delete_records.delete_records),
            render.delete_records,
        ),
        "RetrieveMemories": unary(
            pb.RetrieveMemoriesRequest,
            parse.retrieve_memories,
            of(retrieve_memories.retrieve_memories),
            render.memories,
        ),
        "RecordRecovery": unary(
            pb.RecordRecoveryRequest,
            parse.record_recovery,
            of(record_recovery.record_recovery),
            render.record_recovery,
        ),
        "FindRecoveries": unary(
            pb.FindRecoveriesRequest,
            parse.find_recoveries,
            of(find_recoveries.find_recoveries),
            render.recoveries,
        ),
        "ReportOutcome": unary(
            pb.ReportOutcomeRequest,
            parse.report_outcome,
            of(report_outcome.report_outcome),
            render.report_outcome,
        ),
        "GiveFeedback": unary(
            pb.GiveFeedbackRequest, parse.give_feedback, of(give_feedback.give_feedback), render.give_feedback
        ),
        "ExportFeedback": server_stream(
            pb.ExportFeedbackRequest,
            parse.export_feedback,
            partial(export_feedback.export_feedback, house),
            render.preference_pair,
        ),
        "GenerateReflection": unary(
            pb.GenerateReflectionRequest,
            parse.generate_reflection,
            of(generate_reflection.generate_reflection),
            render.generate_reflection,
        ),
        "GetReflection": unary(
            pb.GetReflectionRequest,
            parse.get_reflection,
            of(get_reflection.get_reflection),
            render.get_reflection,
        ),
        "ListReflections": unary(
            pb.ListReflectionsRequest,
            parse.list_reflections,
            of(list_reflections.list_reflections),
            render.list_reflections,
        ),
        "DeleteReflection": unary(
            pb.DeleteReflectionRequest,
            parse.delete_reflection,
            of(delete_reflection.delete_reflection),
            render.delete_reflection,
        ),
        "GetCollection": unary(
            pb.GetCollectionRequest,
            whole.get_collection,
            of(get_collection.get_collection),
            render.get_collection,
        ),
        "UpdateCollection": unary(
            pb.UpdateCollectionRequest,
            whole.update_collection,
            of(update_collection.update_collection),
            render.update_collection,
        ),
        "ListCollections": unary(
            pb.ListCollectionsRequest,
            whole.list_collections,
            of(list_collections.list_collections),
            render.list_collections,
        ),
        "DeleteCollection": unary(
            pb.DeleteCollectionRequest,
            whole.delete_collection,
            of(delete_collection.delete_collection),
            render.delete_collection,
        ),
        "ExportCollection": server_stream(
            pb.ExportCollectionRequest,
            whole.export_collection,
            partial(export_collection.export_collection, house),
            render.file_part,
        ),
        "ImportCollection": client_stream(
            pb.ImportCollectionRequest, partial(collection_import, house), render.import_collection
        ),
        "GetUser": unary(pb.GetUserRequest, parse_user.get_user, of(get_user.get_user), render_user.get_user),
        "UpdateUser": unary(
            pb.UpdateUserRequest, parse_user.update_user, of(update_user.update_user), render_user.update_user
        ),
        "PurgeUser": unary(
            pb.PurgeUserRequest, parse_user.purge_user, of(purge_user.purge_user), render_user.purge_user
        ),
        "ExportUser": server_stream(
            pb.ExportUserRequest,
            parse_user.export_user,
            lambda command: user_files.parts(export_user.export_user(house, command)),
            as_it_is,
        ),
        "DeclareTools": unary(
            pb.DeclareToolsRequest, parse.declare_tools, declare_tools.declare_tools, render.declare_tools
        ),
    }
