"""Requests of Conversation about invocations: what does not follow from name and type."""

from core.model.invocation import InvocationSummary, ItemType
from core.usecases.conversation.verbs.add_invocation_summary import AddInvocationSummary
from core.usecases.conversation.verbs.add_working_items import NewItem
from core.usecases.conversation.verbs.start_invocation import StartInvocation
from memorybank.v1 import conversation_pb2 as pb
from service.api.enums import ITEM_TYPES
from service.api.from_proto.checks import EPOCH, Checks
from service.api.mapping.lines import By, Else
from service.api.mapping.reading import reading

GIVEN = {int(number): type_ for number, type_ in ITEM_TYPES.items() if type_ is not ItemType.COMPRESSED}


start_invocation = reading(StartInvocation, pb.StartInvocationRequest, threshold="threshold_tokens")


def _content_or_tool(check: Checks, given: pb.Item) -> None:
    if not (given.content.strip() or given.tool.strip()):
        check.wrong("content", "must not be empty or blank, unless tool is given")


item = reading(
    NewItem,
    pb.Item,
    _content_or_tool,
    type=By(lambda check, path, value: check.choice(path, int(value), GIVEN)),
)


summary = reading(
    InvocationSummary,
    pb.InvocationSummary,
    event_time=Else("event_time", EPOCH),
)
add_invocation_summary = reading(
    AddInvocationSummary,
    pb.AddInvocationSummaryRequest,
    dated=lambda _, request: request.summary.HasField("event_time"),
)
