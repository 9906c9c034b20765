"""A user's memory written out: files of JSON lines, in parts.

Law: what stands on a line is a message of the contract. A part is handed on when it is long enough, or its file ends.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator

from google.protobuf.json_format import MessageToJson
from google.protobuf.message import Message

from core.model.collection import Feedback
from core.model.conversation import ConversationRecord, KeyMemory, StepRange, Summary
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
from service.api.enums import SUMMARY_KINDS, numbers
from service.api.to_proto import conversation, instructions, invocations, long_term, users
from service.api.to_proto.export import Writer
from service.api.to_proto.values import time

PART = 262_144  # bytes after which a part is handed on
LARGEST_PART = 1_048_576
_KINDS = numbers(SUMMARY_KINDS)


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


def _range(value: StepRange) -> conversation_pb2.StepRange:
    return conversation_pb2.StepRange(first_step=value.first_step, last_step=value.last_step)


def _running(value: InvocationRecord) -> conversation_pb2.InvocationSummary:
    return conversation_pb2.InvocationSummary(
        invocation_id=value.key.invocation_id, query=value.query, event_time=time(value.create_time)
    )


def _run(value: InvocationRecord) -> pb.RunningInvocation:
    return pb.RunningInvocation(
        conversation_id=value.conversation_id,
        collection=value.collection,
        threshold=value.threshold,
        keep_steps=value.keep_steps,
        unstated=not value.stated,
        writer=value.writer,
        tokens_spent=value.tokens_spent,
    )


def _progress(value: Progress) -> pb.ConversationProgress:
    return pb.ConversationProgress(
        placed_to=value.placed_to,
        summarised_to=value.summarised_to,
        attempts=value.attempts,
        unstated_steps=value.unstated,
        anew_steps=value.anew,
        actions=dict(sorted(value.actions.items())),
        seen_to=dict(sorted(value.seen_to.items())),
        fact_ids=value.taught.fact_ids,
        episode_id=value.taught.episode_id,
        withheld=value.taught.withheld,
        owed=[
            pb.SummaryOwed(
                summary_id=each.summary_id,
                kind=_KINDS[each.kind],
                ranges=[
                    conversation_pb2.StepRange(first_step=r.first_step, last_step=r.last_step)
                    for r in each.ranges
                ],
            )
            for each in value.owed
        ],
        forgetting=[
            pb.ForgettingOwed(
                number=each.number, steps=each.steps, everything=each.everything, again=each.again
            )
            for each in value.forgetting
        ],
    )


def _tombstone(value: TombstoneLine) -> pb.Tombstone:
    stone = value.tombstone
    return pb.Tombstone(
        record_id=stone.record_id,
        time=time(stone.time),
        salt=value.salt,
        text_hash=stone.text_hash,
        term_hashes=stone.term_hashes,
        source_hash=stone.source_hash,
    )


def _feedback(value: Feedback) -> pb.Feedback:
    return pb.Feedback(
        feedback_id=value.feedback_id,
        record_ids=value.record_ids,
        value=value.value,
        reason=value.reason,
        query=value.query,
        response=value.response,
        time=time(value.time),
    )
