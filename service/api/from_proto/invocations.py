"""Requests of Conversation about invocations."""

from datetime import UTC, datetime

from core.caller import Caller
from core.ids import ConversationId, InvocationId, RecordId, User
from core.keys import InvocationKey
from core.model.access import Scope
from core.model.invocation import InvocationSummary, ItemType
from core.usecases.conversation.verbs.add_invocation_summary import AddInvocationSummary
from core.usecases.conversation.verbs.add_working_items import AddWorkingItems, NewItem
from core.usecases.conversation.verbs.end_invocation import EndInvocation
from core.usecases.conversation.verbs.get_working_memory import GetWorkingMemory
from core.usecases.conversation.verbs.list_invocations import ListInvocations
from core.usecases.conversation.verbs.list_turns import LAST as LAST_TURN
from core.usecases.conversation.verbs.start_invocation import StartInvocation
from memorybank.v1 import conversation_pb2 as pb
from service.api.enums import ITEM_TYPES
from service.api.from_proto.checks import NAME, Checks, checking
from service.api.from_proto.conversation import collection_of
from service.api.from_proto.records import json_object
from service.api.from_proto.values import conversation_key

MOST_ITEMS = 100  # of one call
MOST_RECORDS = 100
TEXT = 100_000  # code points of a query, a result, an item
LAST_STEP = 1_000_000
SHOWN, SUMMARY = 2_000, 4_096  # code points of what is left of an invocation
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)  # stands until the time is known
GIVEN = {int(number): type_ for number, type_ in ITEM_TYPES.items() if type_ is not ItemType.COMPRESSED}


def _key(check: Checks, caller: Caller, user: str, invocation_id: str) -> InvocationKey | None:
    """Returns None where the id is empty: memory was not enabled."""
    owner = check.text("user", user, NAME, least=1)
    given = check.id_or_none("invocation_id", invocation_id)
    if given is None:
        return None
    return caller.invocation(owner, given)


def start_invocation(request: pb.StartInvocationRequest, caller: Caller) -> StartInvocation:
    with checking(caller, request) as check:
        conversation = check.id_or_none("conversation_id", request.conversation_id)
        given = check.id_or_none("invocation_id", request.invocation_id)
        return StartInvocation(
            tenant=caller.tenant,
            user=User(check.text("user", request.user, NAME, least=1)),
            collection=collection_of(check, request.collection),
            conversation_id=ConversationId(conversation) if conversation else None,
            invocation_id=InvocationId(given) if given else None,
            query=check.text("query", request.query, TEXT, least=1),
            enable_memory=request.enable_memory,
            threshold=check.optional_int(request, "threshold_tokens", 400, 1_000_000),
            context_window=check.optional_int(request, "context_window", 800, 10_000_000),
            stated=caller.may(Scope.SPEAK_FOR_USER),
            writer=caller.subject,
            keep_steps=check.optional_int(request, "keep_steps", 1, 100),
            request=check.request(request),
        )


def add_working_items(request: pb.AddWorkingItemsRequest, caller: Caller) -> AddWorkingItems:
    with checking(caller, request) as check:
        items = request.items
        check.amount("items", items, MOST_ITEMS, least=1)
        return AddWorkingItems(
            key=_key(check, caller, request.user, request.invocation_id),
            items=tuple([_item(check.within(f"items[{i}]."), t) for i, t in enumerate(items[:MOST_ITEMS])]),
            request=check.request(request),
        )


def _item(check: Checks, given: pb.Item) -> NewItem:
    if not (given.content.strip() or given.tool.strip()):
        check.wrong("content", "must not be empty or blank, unless tool is given")
    return NewItem(
        type=check.choice("type", int(given.type), GIVEN),
        content=check.text("content", given.content, TEXT),
        step=check.between("step", given.step, 0, LAST_STEP),
        tool=check.text("tool", given.tool, NAME),
        arguments_json=json_object(check, "arguments_json", given.arguments_json),
        failed=given.failed,
        error_type=check.text("error_type", given.error_type, NAME),
        record_ids=tuple(map(RecordId, check.ids("record_ids", given.record_ids, MOST_RECORDS))),
        event_time=check.optional_time(given, "event_time"),
        metadata=check.labels("metadata", given.metadata),
    )


def get_working_memory(request: pb.GetWorkingMemoryRequest, caller: Caller) -> GetWorkingMemory:
    with checking(caller, request) as check:
        return GetWorkingMemory(
            key=_key(check, caller, request.user, request.invocation_id),
            raw=request.raw,
            min_revision=check.min_revision(request),
        )


def end_invocation(request: pb.EndInvocationRequest, caller: Caller) -> EndInvocation:
    with checking(caller, request) as check:
        return EndInvocation(
            key=_key(check, caller, request.user, request.invocation_id),
            result=check.text("result", request.result, TEXT),
            succeeded=request.succeeded,
            skip_turn=request.skip_turn,
            wait=request.wait,
            request=check.request(request, "wait"),
        )


def add_invocation_summary(request: pb.AddInvocationSummaryRequest, caller: Caller) -> AddInvocationSummary:
    with checking(caller, request) as check:
        given, within = request.summary, check.within("summary.")
        event_time = within.optional_time(given, "event_time")
        return AddInvocationSummary(
            key=conversation_key(check, caller, request.user, request.conversation_id),
            summary=InvocationSummary(
                invocation_id=InvocationId(within.id("invocation_id", given.invocation_id)),
                query=within.text("query", given.query, SHOWN, least=1),
                summary=within.text("summary", given.summary, SUMMARY),
                result=within.text("result", given.result, SHOWN),
                succeeded=given.succeeded,
                step=within.between("step", given.step, 0, LAST_TURN),
                event_time=event_time or EPOCH,
            ),
            dated=event_time is not None,
            request=check.request(request),
        )


def list_invocations(request: pb.ListInvocationsRequest, caller: Caller) -> ListInvocations:
    with checking(caller, request) as check:
        return ListInvocations(
            key=conversation_key(check, caller, request.user, request.conversation_id),
            page_size=check.page_size(request.page_size),
            page_token=check.page_token(request.page_token),
            min_revision=check.min_revision(request),
        )
