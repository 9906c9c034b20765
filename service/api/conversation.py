"""The Conversation service, row by row."""

from core.usecases.conversation.verbs.add_invocation_summary import add_invocation_summary
from core.usecases.conversation.verbs.add_key import add_key
from core.usecases.conversation.verbs.add_turns import add_turns
from core.usecases.conversation.verbs.add_working_items import add_working_items
from core.usecases.conversation.verbs.close_turns import close_turns
from core.usecases.conversation.verbs.create_conversation import create_conversation
from core.usecases.conversation.verbs.delete_cluster import delete_cluster
from core.usecases.conversation.verbs.delete_conversation import delete_conversation
from core.usecases.conversation.verbs.delete_key import delete_key
from core.usecases.conversation.verbs.delete_summaries import delete_summaries
from core.usecases.conversation.verbs.delete_turns import delete_turns
from core.usecases.conversation.verbs.end_conversation import end_conversation
from core.usecases.conversation.verbs.end_invocation import end_invocation
from core.usecases.conversation.verbs.get_conversation import get_conversation
from core.usecases.conversation.verbs.get_working_memory import get_working_memory
from core.usecases.conversation.verbs.list_clusters import list_clusters
from core.usecases.conversation.verbs.list_conversations import list_conversations
from core.usecases.conversation.verbs.list_invocations import list_invocations
from core.usecases.conversation.verbs.list_keys import list_keys
from core.usecases.conversation.verbs.list_summaries import list_summaries
from core.usecases.conversation.verbs.list_turn_retractions import list_turn_retractions
from core.usecases.conversation.verbs.list_turns import list_turns
from core.usecases.conversation.verbs.retract_turns import retract_turns
from core.usecases.conversation.verbs.search_turns import search_turns
from core.usecases.conversation.verbs.start_invocation import start_invocation
from core.usecases.conversation.verbs.update_conversation import update_conversation
from core.usecases.conversation.verbs.update_key import update_key
from memorybank.v1 import conversation_pb2 as pb
from service.api.from_proto import conversation as read
from service.api.from_proto import invocations as read_invocations
from service.api.rows import rpc
from service.api.to_proto import conversation as render
from service.api.to_proto import invocations as render_invocations
from service.api.to_proto.retractions import retract_turns as turns_retracted

SERVICE = pb.DESCRIPTOR.services_by_name["Conversation"]
ROWS = (
    rpc("CreateConversation", create_conversation, render=render.create_conversation),
    rpc("GetConversation", get_conversation, render=render.get_conversation),
    rpc("ListConversations", list_conversations, read.list_conversations),
    rpc("UpdateConversation", update_conversation, read.update_conversation, render.update_conversation),
    rpc("EndConversation", end_conversation, render=render.end_conversation),
    rpc("DeleteConversation", delete_conversation, render=render.delete_conversation),
    rpc("AddTurns", add_turns),
    rpc("ListTurns", list_turns, read.list_turns),
    rpc("DeleteTurns", delete_turns, read.delete_turns),
    rpc("SearchTurns", search_turns, read.search_turns, render.search_turns),
    rpc("RetractTurns", retract_turns, read.retract_turns, turns_retracted),
    rpc("ReleaseTurns", close_turns, read.release_turns),
    rpc("EraseTurns", close_turns, read.erase_turns),
    rpc("ListTurnRetractions", list_turn_retractions),
    rpc("AddKey", add_key, render=render.add_key),
    rpc("UpdateKey", update_key, read.update_key, render.update_key),
    rpc("DeleteKey", delete_key),
    rpc("ListKeys", list_keys),
    rpc("ListClusters", list_clusters, render=render.list_clusters),
    rpc("DeleteCluster", delete_cluster),
    rpc("ListSummaries", list_summaries, read.list_summaries),
    rpc("DeleteSummaries", delete_summaries, read.delete_summaries),
    rpc("StartInvocation", start_invocation, read_invocations.start_invocation),
    rpc("AddWorkingItems", add_working_items),
    rpc("GetWorkingMemory", get_working_memory),
    rpc("EndInvocation", end_invocation, render=render_invocations.end_invocation),
    rpc("AddInvocationSummary", add_invocation_summary, read_invocations.add_invocation_summary),
    rpc("ListInvocations", list_invocations),
)
