"""The LongTerm service, row by row."""

from core.usecases.long_term.exchange.export_collection import export_collection
from core.usecases.long_term.exchange.export_feedback import export_feedback
from core.usecases.long_term.verbs.add_record import add_record
from core.usecases.long_term.verbs.close_retraction import close_retraction
from core.usecases.long_term.verbs.declare_tools import declare_tools
from core.usecases.long_term.verbs.delete_collection import delete_collection
from core.usecases.long_term.verbs.delete_records import delete_records
from core.usecases.long_term.verbs.delete_reflection import delete_reflection
from core.usecases.long_term.verbs.find_recoveries import find_recoveries
from core.usecases.long_term.verbs.generate_reflection import generate_reflection
from core.usecases.long_term.verbs.get_collection import get_collection
from core.usecases.long_term.verbs.get_record import get_record
from core.usecases.long_term.verbs.get_reflection import get_reflection
from core.usecases.long_term.verbs.give_feedback import give_feedback
from core.usecases.long_term.verbs.list_collections import list_collections
from core.usecases.long_term.verbs.list_records import list_records
from core.usecases.long_term.verbs.list_reflections import list_reflections
from core.usecases.long_term.verbs.list_retractions import list_retractions
from core.usecases.long_term.verbs.put_records import put_record, put_records
from core.usecases.long_term.verbs.recall_episodes import recall_episodes
from core.usecases.long_term.verbs.record_recovery import record_recovery
from core.usecases.long_term.verbs.report_outcome import report_outcome
from core.usecases.long_term.verbs.retract_records import retract_records
from core.usecases.long_term.verbs.retrieve_facts import retrieve_facts
from core.usecases.long_term.verbs.retrieve_memories import retrieve_memories
from core.usecases.long_term.verbs.review_records import review_records
from core.usecases.long_term.verbs.store_fact import store_fact
from core.usecases.long_term.verbs.update_collection import update_collection
from core.usecases.long_term.verbs.update_record import update_record
from core.usecases.user.get_user import get_user
from core.usecases.user.list_users import list_users
from core.usecases.user.update_user import update_user
from core.usecases.whole_user.erase_mentions import erase_mentions
from core.usecases.whole_user.purge_user import purge_user
from memorybank.v1 import long_term_pb2 as pb
from service.api import streams
from service.api.endpoint import identity
from service.api.from_proto import collections as read_collections
from service.api.from_proto import long_term as read
from service.api.from_proto import users as read_users
from service.api.rows import rpc, rpc_in, rpc_out
from service.api.to_proto import long_term as render
from service.api.to_proto import users as render_users
from service.api.uploads import collection_import, user_import

SERVICE = pb.DESCRIPTOR.services_by_name["LongTerm"]
ROWS = (
    rpc("StoreFact", store_fact, read.store_fact, render.store_fact),
    rpc("RetrieveFacts", retrieve_facts, read.retrieve_facts, render.facts),
    rpc("StoreEpisode", add_record, read.store_episode, render.store_episode),
    rpc("RecallEpisodes", recall_episodes, render=render.episodes),
    rpc("AddRecord", add_record, read.add_record, render.add_record),
    rpc("PutRecord", put_record, read.put_record, render.put_record),
    rpc("BatchPutRecords", put_records, read.batch_put_records, render.batch_put_records),
    rpc("GetRecord", get_record, render=render.get_record),
    rpc("UpdateRecord", update_record, read.update_record, render.update_record),
    rpc("ListRecords", list_records, render=render.list_records),
    rpc("DeleteRecords", delete_records, read.delete_records),
    rpc("ReviewRecords", review_records, read.review_records, render.review_records),
    rpc("RetrieveMemories", retrieve_memories, read.retrieve_memories, render.memories),
    rpc("RetractRecords", retract_records, read.retract_records),
    rpc("ReleaseRetraction", close_retraction, read.release_retraction),
    rpc("EraseRetraction", close_retraction, read.erase_retraction),
    rpc("ListRetractions", list_retractions),
    rpc("RecordRecovery", record_recovery, render=render.record_recovery),
    rpc("FindRecoveries", find_recoveries, render=render.recoveries),
    rpc("ReportOutcome", report_outcome, render=render.report_outcome),
    rpc("GiveFeedback", give_feedback, read.give_feedback, render.give_feedback),
    rpc_out("ExportFeedback", export_feedback),
    rpc("GenerateReflection", generate_reflection, read.generate_reflection),
    rpc("GetReflection", get_reflection),
    rpc("ListReflections", list_reflections),
    rpc("DeleteReflection", delete_reflection),
    rpc("GetCollection", get_collection, render=render.get_collection),
    rpc("UpdateCollection", update_collection, read_collections.update_collection, render.update_collection),
    rpc("ListCollections", list_collections, render=render.list_collections),
    rpc("DeleteCollection", delete_collection, render=render.delete_collection),
    rpc_out("ExportCollection", export_collection, render=render.file_part),
    rpc_in("ImportCollection", collection_import),
    rpc("DeclareTools", declare_tools, read.declare_tools, render.declare_tools),
    rpc("ListUsers", list_users, render=render_users.list_users),
    rpc("GetUser", get_user, render=render_users.get_user),
    rpc("UpdateUser", update_user, read_users.update_user, render_users.update_user),
    rpc("PurgeUser", purge_user, render=render_users.purge_user),
    rpc("EraseMentions", erase_mentions, read_users.erase_mentions, render_users.erase_mentions),
    rpc_out("ExportUser", streams.write_user, render=identity),
    rpc_in("ImportUser", user_import),
)
