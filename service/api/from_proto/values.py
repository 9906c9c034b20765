"""Values that several requests about banks share."""

from core.model.bank import EmbeddingSpace, RetrievalSettings, SpaceSource
from core.model.interaction import Attachment, TaskReport
from memorybank.v1 import memory_bank_pb2
from memorybank.v1 import types_pb2 as pb
from service.api.enums import SPACE_SOURCES, or_first
from service.api.from_proto.checks import Checks
from service.api.mapping.lines import Else
from service.api.mapping.reading import reading
from service.api.mapping.rules import greatest, longest

ContextRequest = (
    memory_bank_pb2.MemorizeRequest | memory_bank_pb2.StartTaskRequest | memory_bank_pb2.AdvanceTaskRequest
)
DEFAULT_TYPE = "document"


def check_context(check: Checks, request: ContextRequest) -> None:
    """A context comes in one way; whether there must be one is the caller's to check."""
    if request.text and request.messages:
        check.wrong("messages", "must be empty where text is given")
    named = [each.attachment_id for each in request.attachments]
    if len(set(named)) < len(named):
        check.wrong("attachments", "must not name one twice")


attachment = reading(Attachment, pb.Attachment, type=Else("type", DEFAULT_TYPE))


def _is_a_word(check: Checks, report: pb.TaskReport) -> None:
    if report.type and not any(map(str.isalpha, report.type)):
        check.wrong("type", "must be a word, as SEARCH")


task_report = reading(TaskReport, pb.TaskReport, _is_a_word)


def space(check: Checks, path: str, asked: pb.EmbeddingSpace) -> EmbeddingSpace:
    """Reads a space. For SERVER an empty name and dimension 0 mean the embedder's; a CLIENT space is described in
    full."""
    source = check.choice(f"{path}.source", asked.source, or_first(SPACE_SOURCES))
    least = 0 if source is SpaceSource.SERVER else 1
    floor = check.finite(f"{path}.cosine_floor", asked.cosine_floor)
    ceiling = 1.0
    if asked.HasField("cosine_ceiling"):
        ceiling = check.finite(f"{path}.cosine_ceiling", asked.cosine_ceiling)
    if not -1.0 <= floor <= 1.0:
        check.wrong(f"{path}.cosine_floor", "must be -1 to 1")
    if not floor < ceiling <= 1.0:
        check.wrong(f"{path}.cosine_ceiling", "must be above cosine_floor, and at most 1")
    widest = int(greatest(pb.EmbeddingSpace, "dimension"))
    return EmbeddingSpace(
        name=check.text(f"{path}.name", asked.name, longest(pb.EmbeddingSpace, "name"), least=least),
        dimension=check.between(f"{path}.dimension", asked.dimension, least, widest),
        source=source,
        cosine_floor=floor,
        cosine_ceiling=ceiling,
    )


settings = reading(
    RetrievalSettings,
    pb.Bank,
    unread=[
        field.name
        for field in pb.Bank.DESCRIPTOR.fields
        if field.name not in RetrievalSettings.__dataclass_fields__
    ],
)
