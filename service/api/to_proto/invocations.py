"""Answers of Conversation about invocations."""

from core.conversation.working import size_of
from core.model.invocation import InvocationSummary, Item
from core.usecases.conversation.verbs.end_invocation import InvocationEndedAnswer
from memorybank.v1 import conversation_pb2 as pb
from service.api.enums import ITEM_TYPES, numbers
from service.api.mapping.rendering import rendering
from service.api.to_proto.values import usage

_TYPES = numbers(ITEM_TYPES)


item = rendering(Item, pb.Item, tokens=size_of)


summary = rendering(InvocationSummary, pb.InvocationSummary)


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
