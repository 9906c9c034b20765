"""AddTurns: turns word for word, in the order they came. No model and no embedder is asked here."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from core.conversation.conversation import Conversation
from core.conversation.steps import ConversationPut, Step, TurnAdd, TurnMetadataPut
from core.ids import Collection
from core.keys import ConversationKey
from core.model.conversation import ConversationRecord, ConversationState, Turn, TurnMetadata
from core.model.expiry import expiry_after
from core.ports.aggregates import Draft, RequestKey
from core.usecases.conversation.founding import require_on, written
from core.usecases.conversation.ports import TurnPorts
from core.usecases.ports import HasConversations

RESUME_AFTER = timedelta(
    minutes=1
)  # so long the process that took the turns has for the tiers, before others look


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTurn:
    """A turn as it came. Without an `event_time`: now. `stated`: its input counts as the user's own words.
    `writer`: the subject of the API key that adds it."""

    input: str
    reply: str
    input_speaker: str = ""
    reply_speaker: str = ""
    event_time: datetime | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    stated: bool = True
    writer: str = ""
    metadata_json: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddTurns:
    """`collection`: of a conversation that is made here."""

    key: ConversationKey
    collection: Collection
    turns: tuple[NewTurn, ...]
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepsGiven:
    """What is kept for a repetition: names, no texts."""

    steps: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsAdded:
    """The turns with their steps; one that was deleted since the first answer has no text any more."""

    turns: tuple[Turn, ...]
    revision: int
    replayed: bool


async def add_turns(ports: TurnPorts, command: AddTurns) -> TurnsAdded:
    """Raises MemoryOff, LimitReached, RequestIdReused."""
    now = ports.clock.now()
    staged: tuple[Turn, ...] = ()

    def stage(conversation: Conversation, _revision: int) -> Draft[StepsGiven]:
        nonlocal staged
        require_on(conversation)
        staged = _numbered(command.turns, conversation.record.last_step, now)
        record = grown(conversation.record, staged, now)
        ports.settings.limits.check_conversation(record)
        steps: tuple[Step, ...] = (
            *(TurnAdd(turn=turn) for turn in staged),
            *_metadata(command.turns, staged),
            ConversationPut(record=record),
        )
        result = StepsGiven(steps=tuple(turn.step for turn in staged))
        return Draft(result=result, steps=steps, touches=frozenset({"conversation"}))

    done = await written(ports, command.key, command.collection, stage, command.request, StepsGiven)
    turns = await _read_back(ports, command.key, done.result.steps, now) if done.replayed else staged
    return TurnsAdded(turns=turns, revision=done.revision, replayed=done.replayed)


def _numbered(turns: tuple[NewTurn, ...], last_step: int, now: datetime) -> tuple[Turn, ...]:
    return tuple(
        Turn(
            step=step,
            input=new.input,
            reply=new.reply,
            event_time=new.event_time or now,
            create_time=now,
            input_speaker=new.input_speaker,
            reply_speaker=new.reply_speaker,
            labels=new.labels,
            stated=new.stated,
            writer=new.writer,
            metadata_bytes=len(new.metadata_json.encode()),
        )
        for step, new in enumerate(turns, start=last_step + 1)
    )


def _metadata(turns: tuple[NewTurn, ...], staged: tuple[Turn, ...]) -> Iterator[Step]:
    for new, turn in zip(turns, staged, strict=True):
        if new.metadata_json:
            yield TurnMetadataPut(step=turn.step, metadata=TurnMetadata(metadata_json=new.metadata_json))


def grown(record: ConversationRecord, turns: tuple[Turn, ...], now: datetime) -> ConversationRecord:
    """Returns the record of a conversation that has these turns, too."""
    return replace(
        record,
        state=ConversationState.ACTIVE,
        end_time=None,
        turn_count=record.turn_count + len(turns),
        last_step=turns[-1].step,
        text_bytes=record.text_bytes + sum(turn.text_bytes for turn in turns),
        metadata_bytes=record.metadata_bytes + sum(turn.metadata_bytes for turn in turns),
        last_turn_time=now,
        due_time=now + RESUME_AFTER,
        purge_time=expiry_after(now, record.ttl),
    )


async def _read_back(
    ports: HasConversations, key: ConversationKey, steps: tuple[int, ...], now: datetime
) -> tuple[Turn, ...]:
    async with ports.conversations.reading(key) as conversation:
        return tuple(
            conversation.turn(step)
            if conversation.has_turn(step)
            else Turn(step=step, input="", reply="", event_time=now, create_time=now)
            for step in steps
        )
