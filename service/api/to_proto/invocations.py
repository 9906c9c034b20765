"""Answers of Conversation about invocations."""

from core.conversation.working import size_of
from core.model.invocation import InvocationSummary, Item
from core.usecases.conversation.verbs.end_invocation import InvocationEndedAnswer
from memorybank.v1 import conversation_pb2 as pb
from service.api.mapping.rendering import rendering

item = rendering(Item, pb.Item, tokens=size_of)


summary = rendering(InvocationSummary, pb.InvocationSummary)


end_invocation = rendering(InvocationEndedAnswer, pb.EndInvocationResponse, step="concluded.step")
