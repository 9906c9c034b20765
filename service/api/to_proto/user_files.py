"""A user's memory written out: files of JSON lines, in parts.

Law: what stands on a line is a message of the contract. A part is handed on when it is long enough, or its file ends.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator

from google.protobuf.json_format import MessageToJson
from google.protobuf.message import Message

from core.model.collection import Feedback
from core.model.conversation import ConversationRecord, KeyMemory, Summary
from core.model.invocation import InvocationRecord, InvocationSummary, Item
from core.usecases.conversation.verbs.list_turns import PlacedTurn
from core.usecases.long_term.exchange.export_collection import FilePart
from core.usecases.long_term.verbs.get_collection import CollectionSeen
from core.usecases.user.get_user import UserSeen
from core.usecases.whole_user.user_lines import (
    HitCluster,
    Line,
    OwnedSource,
    Progress,
    Running,
    TombstoneLine,
    Value,
)
from memorybank.v1 import conversation_pb2
from memorybank.v1 import long_term_pb2 as pb
from service.api.mapping.rendering import UNSET, rendering
from service.api.to_proto import conversation, instructions, invocations, long_term, users
from service.api.to_proto.export import Writer

PART = 262_144  # bytes after which a part is handed on
LARGEST_PART = 1_048_576


async def parts(pieces: AsyncIterator[Line | FilePart]) -> AsyncGenerator[pb.ExportUserResponse, None]:
    """Yields the parts of all files."""
    path, gathered, bank = "", bytearray(), Writer()
    async for piece in pieces:
        if piece.path != path:
            for part in _cut(path, gathered):
                yield part
            path, gathered, bank = piece.path, bytearray(), Writer()
        gathered += (piece.content if isinstance(piece, FilePart) else _line(piece.value, bank)).encode()
        if len(gathered) >= PART:
            for part in _cut(path, gathered):
                yield part
            gathered = bytearray()
    for part in _cut(path, gathered):
        yield part


def _cut(path: str, content: bytearray) -> Iterator[pb.ExportUserResponse]:
    for start in range(0, len(content), LARGEST_PART):
        yield pb.ExportUserResponse(path=path, content=bytes(content[start : start + LARGEST_PART]))


def _line(value: Value, bank: Writer) -> str:
    name, message = _message(value, bank)
    line = MessageToJson(message, indent=None, preserving_proto_field_name=True, ensure_ascii=False)
    return f'{{"{name}": {line}}}\n' if name else line + "\n"


def _message(value: Value, bank: Writer) -> tuple[str, Message]:
    """Renders a message under the name that it has on its line; with no name it is the line."""
    match value:
        case UserSeen():
            return "", users.get_user(value)
        case OwnedSource():
            return "source", instructions.source(value.owner, value.source)
        case ConversationRecord():
            return "conversation", conversation.record(value)
        case Progress():
            return "progress", _progress(value)
        case PlacedTurn():
            return "turn", conversation.placed_turn(value)
        case HitCluster():
            return "cluster", conversation.cluster(value.cluster, value.hits)
        case Summary():
            return "summary", conversation.summary(value)
        case KeyMemory():
            return "key", conversation.key(value)
        case InvocationSummary():
            return "invocation", invocations.summary(value)
        case InvocationRecord():
            return "invocation", _running(value)
        case Running():
            return "running", _run(value.record)
        case Item():
            return "item", invocations.item(value)
        case CollectionSeen():
            return "", long_term.get_collection(value).collection
        case Feedback():
            return "feedback", _feedback(value)
        case TombstoneLine():
            return "tombstone", _tombstone(value)
        case _:
            return "", bank.response(value).record


_running = rendering(
    InvocationRecord,
    conversation_pb2.InvocationSummary,
    event_time="create_time",
    **dict.fromkeys(("summary", "result", "succeeded", "step"), UNSET),
)
_run = rendering(InvocationRecord, pb.RunningInvocation, unstated=lambda record: not record.stated)
_progress = rendering(
    Progress,
    pb.ConversationProgress,
    unstated_steps="unstated",
    anew_steps="anew",
    actions=lambda progress: dict(sorted(progress.actions.items())),
    seen_to=lambda progress: dict(sorted(progress.seen_to.items())),
)
_tombstone = rendering(TombstoneLine, pb.Tombstone)
_feedback = rendering(Feedback, pb.Feedback)
