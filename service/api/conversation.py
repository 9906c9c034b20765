"""The Conversation service, method by method: message, parse, call, render."""

from collections.abc import Mapping
from functools import partial

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
from core.usecases.house import House
from memorybank.v1 import conversation_pb2 as pb
from service.api.endpoint import Endpoint, unary
from service.api.from_proto import conversation as parse
from service.api.from_proto import invocations
from service.api.from_proto import turn_retractions as taking
from service.api.to_proto import conversation as render
from service.api.to_proto import invocations as render_invocations
from service.api.to_proto import turn_retractions as render_taking

SERVICE = pb.DESCRIPTOR.services_by_name["Conversation"].full_name


def endpoints(house: House) -> Mapping[str, Endpoint]:
    return {
        **_conversations(house),
        **_turns(house),
        **_retractions(house),
        **_keys_and_summaries(house),
        **_invocations(house),
    }


def _conversations(house: House) -> Mapping[str, Endpoint]:
    return {
        "CreateConversation": unary(
            pb.CreateConversationRequest,
            parse.create_conversation,
            partial(create_conversation, house),
            render.create_conversation,
        ),
        "GetConversation": unary(
            pb.GetConversationRequest,
            parse.get_conversation,
            partial(get_conversation, house),
            render.get_conversation,
        ),
        "ListConversations": unary(
            pb.ListConversationsRequest,
            parse.list_conversations,
            partial(list_conversations, house),
            render.list_conversations,
        ),
        "UpdateConversation": unary(
            pb.UpdateConversationRequest,
            parse.update_conversation,
            partial(update_conversation, house),
            render.update_conversation,
        ),
        "EndConversation": unary(
            pb.EndConversationRequest,
            parse.end_conversation,
            partial(end_conversation, house),
            render.end_conversation,
        ),
        "DeleteConversation": unary(
            pb.DeleteConversationRequest,
            parse.delete_conversation,
            partial(delete_conversation, house),
            render.delete_conversation,
        ),
    }


def _turns(house: House) -> Mapping[str, Endpoint]:
    return {
        "AddTurns": unary(pb.AddTurnsRequest, parse.add_turns, partial(add_turns, house), render.add_turns),
        "ListTurns": unary(
            pb.ListTurnsRequest, parse.list_turns, partial(list_turns, house), render.list_turns
        ),
        "DeleteTurns": unary(
            pb.DeleteTurnsRequest, parse.delete_turns, partial(delete_turns, house), render.delete_turns
        ),
        "SearchTurns": unary(
            pb.SearchTurnsRequest, parse.search_turns, partial(search_turns, house), render.search_turns
        ),
    }


def _retractions(house: House) -> Mapping[str, Endpoint]:
    close = partial(close_turns, house)
    return {
        "RetractTurns": unary(
            pb.RetractTurnsRequest, taking.retract, partial(retract_turns, house), render_taking.retract
        ),
        "ReleaseTurns": unary(pb.ReleaseTurnsRequest, taking.release, close, render_taking.release),
        "EraseTurns": unary(pb.EraseTurnsRequest, taking.erase, close, render_taking.erase),
        "ListTurnRetractions": unary(
            pb.ListTurnRetractionsRequest,
            taking.list_retractions,
            partial(list_turn_retractions, house),
            render_taking.list_retractions,
        ),
    }


def _keys_and_summaries(house: House) -> Mapping[str, Endpoint]:
    return {
        "AddKey": unary(pb.AddKeyRequest, parse.add_key, partial(add_key, house), render.add_key),
        "UpdateKey": unary(
            pb.UpdateKeyRequest, parse.update_key, partial(update_key, house), render.update_key
        ),
        "DeleteKey": unary(
            pb.DeleteKeyRequest, parse.delete_key, partial(delete_key, house), render.delete_key
        ),
        "ListKeys": unary(pb.ListKeysRequest, parse.list_keys, partial(list_keys, house), render.list_keys),
        "ListClusters": unary(
            pb.ListClustersRequest, parse.list_clusters, partial(list_clusters, house), render.list_clusters
        ),
        "DeleteCluster": unary(
            pb.DeleteClusterRequest,
            parse.delete_cluster,
            partial(delete_cluster, house),
            render.delete_cluster,
        ),
        "ListSummaries": unary(
            pb.ListSummariesRequest,
            parse.list_summaries,
            partial(list_summaries, house),
            render.list_summaries,
        ),
        "DeleteSummaries": unary(
            pb.DeleteSummariesRequest,
            parse.delete_summaries,
            partial(delete_summaries, house),
            render.delete_summaries,
        ),
    }


def _invocations(house: House) -> Mapping[str, Endpoint]:
    return {
        "StartInvocation": unary(
            pb.StartInvocationRequest,
            invocations.start_invocation,
            partial(start_invocation, house),
            render_invocations.start_invocation,
        ),
        "AddWorkingItems": unary(
            pb.AddWorkingItemsRequest,
            invocations.add_working_items,
            partial(add_working_items, house),
            render_invocations.add_working_items,
        ),
        "GetWorkingMemory": unary(
            pb.GetWorkingMemoryRequest,
            invocations.get_working_memory,
            partial(get_working_memory, house),
            render_invocations.get_working_memory,
        ),
        "EndInvocation": unary(
            pb.EndInvocationRequest,
            invocations.end_invocation,
            partial(end_invocation, house),
            render_invocations.end_invocation,
        ),
        "AddInvocationSummary": unary(
            pb.AddInvocationSummaryRequest,
            invocations.add_invocation_summary,
            partial(add_invocation_summary, house),
            render_invocations.add_invocation_summary,
        ),
        "ListInvocations": unary(
            pb.ListInvocationsRequest,
            invocations.list_invocations,
            partial(list_invocations, house),
            render_invocations.list_invocations,
        ),
    }
