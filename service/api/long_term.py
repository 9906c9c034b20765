"""The LongTerm service, method by method: message, parse, call, render."""

from collections.abc import Mapping
from functools import partial

from core.usecases.house import House
from core.usecases.long_term.exchange import export_collection, export_feedback
from core.usecases.long_term.verbs import (
    add_record,
    close_retraction,
    declare_tools,
    delete_collection,
    delete_records,
    delete_reflection,
    find_recoveries,
    generate_reflection,
    get_collection,
    get_record,
    get_reflection,
    give_feedback,
    list_collections,
    list_records,
    list_reflections,
    list_retractions,
    put_records,
    recall_episodes,
    record_recovery,
    report_outcome,
    retract_records,
    retrieve_facts,
    retrieve_memories,
    review_records,
    store_fact,
    update_collection,
    update_record,
)
from core.usecases.user import get_user, list_users, update_user
from core.usecases.whole_user import erase_mentions, export_user, purge_user
from memorybank.v1 import long_term_pb2 as pb
from service.api.endpoint import Endpoint, client_stream, identity, server_stream, unary
from service.api.from_proto import collections as whole
from service.api.from_proto import long_term as parse
from service.api.from_proto import users as parse_user
from service.api.to_proto import long_term as render
from service.api.to_proto import user_files
from service.api.to_proto import users as render_user
from service.api.uploads import collection_import, user_import

SERVICE = pb.DESCRIPTOR.services_by_name["LongTerm"].full_name


def endpoints(house: House) -> Mapping[str, Endpoint]:
    return {
        **_facts_and_episodes(house),
        **_records(house),
        **_retractions(house),
        **_recoveries_and_outcomes(house),
        **_reflections(house),
        **_collections(house),
        **_users(house),
    }


def _facts_and_episodes(house: House) -> Mapping[str, Endpoint]:
    return {
        "StoreFact": unary(
            pb.StoreFactRequest, parse.store_fact, partial(store_fact.store_fact, house), render.store_fact
        ),
        "RetrieveFacts": unary(
            pb.RetrieveFactsRequest,
            parse.retrieve_facts,
            partial(retrieve_facts.retrieve_facts, house),
            render.facts,
        ),
        "StoreEpisode": unary(
            pb.StoreEpisodeRequest,
            parse.store_episode,
            partial(add_record.add_record, house),
            render.store_episode,
        ),
        "RecallEpisodes": unary(
            pb.RecallEpisodesRequest,
            parse.recall_episodes,
            partial(recall_episodes.recall_episodes, house),
            render.episodes,
        ),
    }


def _records(house: House) -> Mapping[str, Endpoint]:
    return {
        "AddRecord": unary(
            pb.AddRecordRequest, parse.add_record, partial(add_record.add_record, house), render.add_record
        ),
        "PutRecord": unary(
            pb.PutRecordRequest, parse.put_record, partial(put_records.put_record, house), render.put_record
        ),
        "BatchPutRecords": unary(
            pb.BatchPutRecordsRequest,
            parse.batch_put_records,
            partial(put_records.put_records, house),
            render.batch_put_records,
        ),
        "GetRecord": unary(
            pb.GetRecordRequest, parse.get_record, partial(get_record.get_record, house), render.get_record
        ),
        "UpdateRecord": unary(
            pb.UpdateRecordRequest,
            parse.update_record,
            partial(update_record.update_record, house),
            render.update_record,
        ),
        "ListRecords": unary(
            pb.ListRecordsRequest,
            parse.list_records,
            partial(list_records.list_records, house),
            render.list_records,
        ),
        "DeleteRecords": unary(
            pb.DeleteRecordsRequest,
            parse.delete_records,
            partial(delete_records.delete_records, house),
            render.delete_records,
        ),
        "ReviewRecords": unary(
            pb.ReviewRecordsRequest,
            parse.review_records,
            partial(review_records.review_records, house),
            render.review_records,
        ),
        "RetrieveMemories": unary(
            pb.RetrieveMemoriesRequest,
            parse.retrieve_memories,
            partial(retrieve_memories.retrieve_memories, house),
            render.memories,
        ),
    }


def _retractions(house: House) -> Mapping[str, Endpoint]:
    close = partial(close_retraction.close_retraction, house)
    return {
        "RetractRecords": unary(
            pb.RetractRecordsRequest,
            parse.retract_records,
            partial(retract_records.retract_records, house),
            render.retract_records,
        ),
        "ReleaseRetraction": unary(
            pb.ReleaseRetractionRequest, parse.release_retraction, close, render.release_retraction
        ),
        "EraseRetraction": unary(
            pb.EraseRetractionRequest, parse.erase_retraction, close, render.erase_retraction
        ),
        "ListRetractions": unary(
            pb.ListRetractionsRequest,
            parse.list_retractions,
            partial(list_retractions.list_retractions, house),
            render.list_retractions,
        ),
    }


def _recoveries_and_outcomes(house: House) -> Mapping[str, Endpoint]:
    return {
        "RecordRecovery": unary(
            pb.RecordRecoveryRequest,
            parse.record_recovery,
            partial(record_recovery.record_recovery, house),
            render.record_recovery,
        ),
        "FindRecoveries": unary(
            pb.FindRecoveriesRequest,
            parse.find_recoveries,
            partial(find_recoveries.find_recoveries, house),
            render.recoveries,
        ),
        "ReportOutcome": unary(
            pb.ReportOutcomeRequest,
            parse.report_outcome,
            partial(report_outcome.report_outcome, house),
            render.report_outcome,
        ),
        "GiveFeedback": unary(
            pb.GiveFeedbackRequest,
            parse.give_feedback,
            partial(give_feedback.give_feedback, house),
            render.give_feedback,
        ),
        "ExportFeedback": server_stream(
            pb.ExportFeedbackRequest,
            parse.export_feedback,
            partial(export_feedback.export_feedback, house),
            render.preference_pair,
        ),
    }


def _reflections(house: House) -> Mapping[str, Endpoint]:
    return {
        "GenerateReflection": unary(
            pb.GenerateReflectionRequest,
            parse.generate_reflection,
            partial(generate_reflection.generate_reflection, house),
            render.generate_reflection,
        ),
        "GetReflection": unary(
            pb.GetReflectionRequest,
            parse.get_reflection,
            partial(get_reflection.get_reflection, house),
            render.get_reflection,
        ),
        "ListReflections": unary(
            pb.ListReflectionsRequest,
            parse.list_reflections,
            partial(list_reflections.list_reflections, house),
            render.list_reflections,
        ),
        "DeleteReflection": unary(
            pb.DeleteReflectionRequest,
            parse.delete_reflection,
            partial(delete_reflection.delete_reflection, house),
            render.delete_reflection,
        ),
    }


def _collections(house: House) -> Mapping[str, Endpoint]:
    return {
        "GetCollection": unary(
            pb.GetCollectionRequest,
            whole.get_collection,
            partial(get_collection.get_collection, house),
            render.get_collection,
        ),
        "UpdateCollection": unary(
            pb.UpdateCollectionRequest,
            whole.update_collection,
            partial(update_collection.update_collection, house),
            render.update_collection,
        ),
        "ListCollections": unary(
            pb.ListCollectionsRequest,
            whole.list_collections,
            partial(list_collections.list_collections, house),
            render.list_collections,
        ),
        "DeleteCollection": unary(
            pb.DeleteCollectionRequest,
            whole.delete_collection,
            partial(delete_collection.delete_collection, house),
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
    }


def _users(house: House) -> Mapping[str, Endpoint]:
    return {
        "ListUsers": unary(
            pb.ListUsersRequest,
            parse_user.list_users,
            partial(list_users.list_users, house),
            render_user.list_users,
        ),
        "GetUser": unary(
            pb.GetUserRequest, parse_user.get_user, partial(get_user.get_user, house), render_user.get_user
        ),
        "UpdateUser": unary(
            pb.UpdateUserRequest,
            parse_user.update_user,
            partial(update_user.update_user, house),
            render_user.update_user,
        ),
        "PurgeUser": unary(
            pb.PurgeUserRequest,
            parse_user.purge_user,
            partial(purge_user.purge_user, house),
            render_user.purge_user,
        ),
        "EraseMentions": unary(
            pb.EraseMentionsRequest,
            parse_user.erase_mentions,
            partial(erase_mentions.erase_mentions, house),
            render_user.erase_mentions,
        ),
        "ExportUser": server_stream(
            pb.ExportUserRequest,
            parse_user.export_user,
            lambda command: user_files.parts(export_user.export_user(house, command)),
            identity,
        ),
        "ImportUser": client_stream(
            pb.ImportUserRequest, partial(user_import, house), render_user.import_user
        ),
        "DeclareTools": unary(
            pb.DeclareToolsRequest, parse.declare_tools, declare_tools.declare_tools, render.declare_tools
        ),
    }
