"""What the tools of `adapters.mcp` answer: words for a model, and the same as an object for a program.

Law: pure, over messages of the contract.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, Field

from memorybank.v1 import conversation_pb2 as conversation
from memorybank.v1 import long_term_pb2 as pb
from memorybank.v1 import types_pb2 as types
from memorybank_client.quoting import day, quotation, quoted, side

NOTHING = "(nothing found)"


class Memory(BaseModel):
    """One memory. `time`: when it was so, ISO 8601."""

    id: str
    kind: Literal["fact", "episode", "memory"]
    content: str
    time: str
    category: str = ""
    contested_with: list[str] = Field(default_factory=list)
    state: Literal["active", "contested", "superseded"] = "active"


class Memories(BaseModel):
    """Memories, in the order of the answer."""

    memories: list[Memory]


class StoreResult(BaseModel):
    """What became of a fact. `known`: it was there already. `superseded_ids`: facts that gave way to it;
    `contested`: facts that say otherwise. `awaits_review`: a person must approve it first. `judged`: it was compared
    with what is known, or need not be. An empty `id`: a person rejected it before."""

    id: str
    known: bool
    superseded_ids: list[str]
    contested: list[Memory]
    awaits_review: bool = False
    judged: bool = True


class ForgetResult(BaseModel):
    """What goes, or with `dry_run` would go; what comes back in its place."""

    dry_run: bool
    memories: list[Memory]
    revived: list[Memory]


class FoundPassage(BaseModel):
    """A passage, and where it stands. `time`: when it was said or happened, ISO 8601. `source`: the document or the
    tool that it is of. `refuted`: words of it that a verdict refuted since."""

    place: str
    text: str
    time: str = ""
    speaker: str = ""
    source: str = ""
    refuted: list[str] = Field(default_factory=list)


class Passages(BaseModel):
    """Passages, best first."""

    passages: list[FoundPassage]


class Document(BaseModel):
    """A version of an instruction document."""

    path: str
    version: int


def answer(text: str, structured: BaseModel) -> CallToolResult:
    """Returns both forms of one answer."""
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=structured.model_dump(mode="json")
    )


def memories_answer(records: Sequence[pb.Record]) -> CallToolResult:
    return answer(listed(map(line, records)), Memories(memories=[memory(record) for record in records]))


def forgotten_answer(
    going: Sequence[pb.Record], back: Sequence[pb.Record], *, dry_run: bool
) -> CallToolResult:
    """`going`: what is deleted, or with `dry_run` would be. `back`: what comes back in its place."""
    said = f"{'would be deleted' if dry_run else 'deleted'}:\n{listed(map(line, going))}"
    if back:
        what = "had been replaced by these" if dry_run else "back in their place"
        said += f"\n{what}:\n{listed(map(line, back))}"
    if dry_run:
        said += "\nNothing is deleted yet: call again with dry_run false once the user agrees."
    structured = ForgetResult(
        dry_run=dry_run, memories=[memory(one) for one in going], revived=[memory(one) for one in back]
    )
    return answer(said, structured)


def passages_answer(found: Iterable[FoundPassage]) -> CallToolResult:
    passages = list(found)
    return answer(listed(map(_passage, passages)), Passages(passages=passages))


def turn_passage(hit: conversation.TurnHit, conversation_id: str = "") -> FoundPassage:
    """Returns the piece of a turn that fits; `conversation_id`, where several were searched, is told."""
    place = f"turn {hit.turn.step}"
    named = hit.turn.reply_speaker if hit.in_reply else hit.turn.input_speaker
    return FoundPassage(
        place=f"{conversation_id}, {place}" if conversation_id else place,
        text=hit.segment,
        time=hit.turn.event_time.ToJsonString(),
        speaker=named or side(hit.segment, is_reply=hit.in_reply),
    )


def segment_passage(segment: types.Segment) -> FoundPassage:
    """Returns a segment of a bank's record, with what a verdict speaks against in it."""
    return FoundPassage(
        place=f"{segment.interaction_id}#{segment.index}",
        text=segment.text,
        time=segment.event_time.ToJsonString(),
        speaker=segment.speaker,
        source=segment.source,
        refuted=[segment.text[words.start : words.end] for words in segment.refuted],
    )


def _passage(found: FoundPassage) -> str:
    who = ", ".join(filter(None, (found.source, found.speaker)))
    mark = "".join(f" (REFUTED by a verdict since: “{words.strip()}”)" for words in found.refuted)
    return f"[{found.place}] {found.time[:10]} {quotation(found.text, who, ())}{mark}"


def document_answer(path: str, version: int) -> CallToolResult:
    return answer(f"{path} is at version {version}", Document(path=path, version=version))


def memory(record: pb.Record) -> Memory:
    kinds = {pb.RECORD_KIND_FACT: "fact", pb.RECORD_KIND_EPISODE: "episode"}
    states = {pb.RECORD_STATE_CONTESTED: "contested", pb.RECORD_STATE_SUPERSEDED: "superseded"}
    return Memory.model_validate(
        {
            "id": record.record_id,
            "kind": kinds.get(record.kind, "memory"),
            "content": quoted(record),
            "time": record.event_time.ToJsonString(),
            "category": record.category,
            "contested_with": list(record.contested_with),
            "state": states.get(record.state, "active"),
        }
    )


def listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines) or NOTHING


def line(record: pb.Record) -> str:
    """Returns a memory on one line, behind its day, or an episode with its steps below."""
    if record.kind == pb.RECORD_KIND_EPISODE:
        return _episode(record)
    others = ", ".join(record.contested_with)
    mark = f" (CONTESTED by {others})" if record.state == pb.RECORD_STATE_CONTESTED and others else ""
    return f"[{record.record_id}] {day(record)} {quoted(record)}{mark}"


def _episode(record: pb.Record) -> str:
    episode = record.episode
    parts = [f"[{record.record_id}] {day(record)} {episode.goal}"]
    parts += [f"  {number}. {step}" for number, step in enumerate(episode.steps, 1)]
    parts += [f"  outcome: {episode.outcome}"] if episode.outcome else []
    parts += [f"  lessons: {episode.lessons}"] if episode.lessons else []
    return "\n".join(parts)
