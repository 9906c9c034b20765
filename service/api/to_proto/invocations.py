"""Answers of Conversation about invocations."""

from core.conversation.working import size_of
from core.model.invocation import InvocationSummary, Item
from core.ports.aggregates import Committed
from core.usecases.conversation.verbs.add_invocation_summary import SummaryNamed
from core.usecases.conversation.verbs.add_working_items import WorkingItemsAdded
from core.usecases.conversation.verbs.end_invocation import InvocationEndedAnswer
from core.usecases.conversation.verbs.get_working_memory import WorkingMemory
from core.usecases.conversation.verbs.list_invocations import InvocationsListed
from core.usecases.conversation.verbs.start_invocation import InvocationStarted
from memorybank.v1 import conversation_pb2 as pb
from service.api.enums import ITEM_TYPES, numbers
from service.api.to_proto.values import time, usage

_TYPES = numbers(ITEM_TYPES)


def item(value: Item) -> pb.Item:
    return pb.Item(
        number=value.number,
        step=value.step,
        type=_TYPES[value.type],
        content=value.content,
        tool=value.tool,
        arguments_json=value.arguments_json,
        failed=value.failed,
        error_type=value.error_type,
        record_ids=value.record_ids,
        event_time=time(value.event_time),
        tokens=size_of(value),
        metadata=value.metadata,
    )


def summary(value: InvocationSummary) -> pb.InvocationSummary:
    return pb.InvocationSummary(
        invocation_id=value.invocation_id,
        query=value.query,
        summary=value.summary,
        result=value.result,
        succeeded=value.succeeded,
        step=value.step,
        event_time=time(value.event_time),
    )


def start_invocation(started: InvocationStarted) -> pb.StartInvocationResponse:
    return pb.StartInvocationResponse(
        invocation_id=started.invocation_id, revision=started.revision, replayed=started.replayed
    )


def add_working_items(added: WorkingItemsAdded) -> pb.AddWorkingItemsResponse:
    return pb.AddWorkingItemsResponse(
        tokens=added.kept.tokens,
        compressed=added.kept.compressed,
        revision=added.revision,
        replayed=added.replayed,
    )


def get_working_memory(memory: WorkingMemory) -> pb.GetWorkingMemoryResponse:
    return pb.GetWorkingMemoryResponse(
        items=map(item, memory.items), tokens=memory.tokens, revision=memory.revision
    )


def end_invocation(ended: InvocationEndedAnswer) -> pb.EndInvocationResponse:
    concluded = ended.concluded
    return pb.EndInvocationResponse(
        summary=None if ended.summary is None else summary(ended.summary),
        step=concluded.step if concluded else 0,
        revision=concluded.revision if concluded else 0,
        replayed=ended.replayed,
        episode_id=concluded.episode_id if concluded else "",
        strategy_ids=concluded.strategy_ids if concluded else (),
        fact_ids=concluded.fact_ids if concluded else (),
        withheld=concluded.withheld if concluded else 0,
        usage=usage(concluded.usage) if concluded else None,
    )


def add_invocation_summary(done: Committed[SummaryNamed]) -> pb.AddInvocationSummaryResponse:
    return pb.AddInvocationSummaryResponse(revision=done.revision, replayed=done.replayed)


def list_invocations(listed: InvocationsListed) -> pb.ListInvocationsResponse:
    return pb.ListInvocationsResponse(
        invocations=map(summary, listed.invocations),
        next_page_token=listed.next_page_token,
        revision=listed.revision,
    )
