"""What the chores of a conversation share: what they work from, and how they land.

Law: a chore reads, lets go, asks its agents, then commits one change. What it made of turns that were deleted
meanwhile, of another conversation under the same name, or after a switch-off, does not land.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from core.agents.faithful import problem_of_summary
from core.agents.memory_roles import Passage, PassageKind, Purpose, Unit
from core.agents.usage import Ledger
from core.conversation.conversation import Conversation
from core.conversation.steps import ConversationPut, Step
from core.errors import AgentReplyInvalid
from core.keys import ConversationKey
from core.language import language_of
from core.model.conversation import ConversationRecord, Turn
from core.ports.aggregates import Draft
from core.usecases.conversation.ports import ConversationPorts
from core.usecases.ports import HasMemoryAgents
from core.usecases.user.permission import permission_of

Outcome = tuple[ConversationRecord, Sequence[Step]]
"""What a chore wants to change: the record, and the steps beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenConversation:
    """The conversation that a chore began with."""

    uid: str
    generation: int

    @classmethod
    def of(cls, conversation: Conversation) -> "SeenConversation":
        return cls(uid=conversation.uid, generation=conversation.record.generation)

    def stands(self, conversation: Conversation) -> bool:
        return self == SeenConversation.of(conversation)


async def land(
    ports: ConversationPorts,
    key: ConversationKey,
    seen: SeenConversation,
    ledger: Ledger,
    make: Callable[[Conversation], Outcome | None],
) -> bool:
    """Commits what a chore made, with what its agents cost; returns whether anything landed.

    Raises ConversationNotFound, MemoryOff, UserNotFound."""
    tender = (await permission_of(ports, key)).tender()
    tokens = recorded = 0

    def stage(conversation: Conversation, _revision: int) -> Draft[bool]:
        nonlocal tokens, recorded
        made = make(conversation) if seen.stands(conversation) else None
        tokens = ledger.unrecorded
        recorded = conversation.record.tokens_spent + tokens
        if made is None and not tokens:
            return Draft(result=False)
        record, others = made or (conversation.record, ())
        return Draft(
            result=made is not None,
            steps=(ConversationPut(record=replace(record, tokens_spent=recorded)), *others),
            touches=frozenset({"conversation"}),
            requires=(tender,),
        )

    done = await ports.conversations.commit(key, stage)
    ledger.put_on_record(tokens, recorded)
    return done.result


NOBODY_ASKED: Mapping[int, int] = MappingProxyType({})


def passages_of(turns: Iterable[Turn], asked: Mapping[int, int] = NOBODY_ASKED) -> list[Passage]:
    """Inputs and replies in the order they were said. `asked`: how many questions a turn answered, by its step."""
    found: list[Passage] = []
    for turn in turns:
        for kind, speaker, text in (
            (PassageKind.INPUT, turn.input_speaker, turn.input),
            (PassageKind.REPLY, turn.reply_speaker, turn.reply),
        ):
            if text.strip():
                found.append(
                    Passage(
                        number=len(found),
                        kind=kind,
                        text=text,
                        speaker=speaker,
                        event_time=turn.event_time,
                        step=turn.step,
                        stated=turn.stated,
                        writer=turn.writer,
                        asked=asked.get(turn.step, 0),
                    )
                )
    return found


async def summary_of(
    ports: HasMemoryAgents, ledger: Ledger, passages: Sequence[Passage], limit: int, purpose: Purpose
) -> str:
    """Returns the summariser's text of passages; of those without a word (`?`, `…`), themselves.

    Raises AgentUnavailable, AgentReplyInvalid, BudgetSpent."""
    if not have_words(passages):
        return " ".join(passage.text.strip() for passage in passages)[:limit]
    unit = unit_of(passages)
    with ledger.spending("summariser"):
        text = await ports.memory_agents.summariser.summarise(passages, limit, unit, purpose)
        if problem := problem_of_summary(text, passages, limit, unit):
            raise AgentReplyInvalid("summariser", problem)
    return text


def have_words(passages: Iterable[Passage]) -> bool:
    """Whether they say anything that could be summed up."""
    return any(any(map(str.isalnum, passage.text)) for passage in passages)


def unit_of(passages: Sequence[Passage]) -> Unit:
    """Returns what the length of a text about these is counted in."""
    sample = "".join(passage.text[:1_000] for passage in passages)
    return Unit.WORDS if language_of(sample).is_spaced else Unit.CHARACTERS
