"""The chore that looks for facts in a conversation's turns, each turn once.

Law: the turns are fixed first, then looked through, then what was found is stored under a request that follows from
them, then the mark goes on. A crash repeats what is not done. What was found in turns that are deleted meanwhile, or
after a switch-off, is not stored.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.agents.memory_roles import Passage, PassageKind
from core.agents.offline.turn_worth import worths
from core.agents.usage import Ledger
from core.conversation.conversation import Conversation
from core.conversation.extraction import done, fixed, next_extraction
from core.conversation.worths import rated_anew
from core.ids import RequestId
from core.internal_errors import RequirementFailed
from core.keys import CollectionKey, ConversationKey
from core.model.conversation import ExtractionOwed, Turn
from core.ports.aggregates import RequestKey
from core.ports.store import Require
from core.usecases.conversation.learning.said_twice import said_twice
from core.usecases.conversation.ports import ConversationPorts, ExtractionPorts
from core.usecases.conversation.tiers.tending import Outcome, SeenConversation, land, passages_of
from core.usecases.long_term.judging.find_facts import FactsFound, Source, find_facts
from core.usecases.long_term.judging.keep_found import FoundKept, KeepFound, keep_found
from core.usecases.long_term.ports import WritingPorts
from core.usecases.ports import HasConversations
from core.usecases.user.permission import permission_of

VERB = "ExtractFacts"
SOURCE = "conversation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """The turns at work, as they were read. `read`: those of which the worth is wanted; `spoken`: those of them whose
    words are looked through; `before`: others that came just before one of these, which may refer to them."""

    seen: SeenConversation
    owed: ExtractionOwed
    collection: CollectionKey
    read: tuple[Turn, ...]
    spoken: tuple[Turn, ...]
    before: tuple[Turn, ...]

    @property
    def passages(self) -> list[Passage]:
        """What is looked through, and behind it what it may refer to."""
        found = passages_of(self.spoken)
        known = [one for one in passages_of(self.before) if one.kind is PassageKind.INPUT]
        return [
            *found,
            *(replace(one, number=len(found) + n, is_known=True) for n, one in enumerate(known)),
        ]


async def extract_facts(ports: ExtractionPorts, key: ConversationKey, ledger: Ledger) -> None:
    """Extracts facts until nothing is left to be looked through. Raises ConversationNotFound, MemoryOff,
    AgentUnavailable, AgentReplyInvalid, BudgetSpent."""
    while (stretch := await _fix(ports, key, ledger)) is not None:
        kept = FoundKept()
        if stretch.spoken:
            kept = await _keep(ports, key, stretch, await _find(ports, key, stretch, ledger))
        rated = await worths(ports.reader, stretch.read)
        marking = _marking(stretch, kept, rated, ports.reader.model)
        await land(ports, key, stretch.seen, ledger, marking)


async def _fix(ports: ConversationPorts, key: ConversationKey, ledger: Ledger) -> Stretch | None:
    """Returns the next turns, written down as those at work; None where there are none, or they are not this
    process's to do."""
    async with ports.conversations.reading(key) as conversation:
        seen, owed = SeenConversation.of(conversation), next_extraction(conversation)
        is_fixed = conversation.record.extraction is not None
    if owed is None:
        return None

    def make(conversation: Conversation) -> Outcome | None:
        if next_extraction(conversation) != owed:
            return None
        return fixed(conversation.record, owed), ()

    if not is_fixed and not await land(ports, key, seen, ledger, make):
        return None
    return await _read(ports, key, seen, owed)


async def _read(
    ports: HasConversations, key: ConversationKey, seen: SeenConversation, owed: ExtractionOwed
) -> Stretch | None:
    async with ports.conversations.reading(key) as conversation:
        if not seen.stands(conversation) or conversation.record.extraction != owed:
            return None
        wanted = conversation.tiers.extract_facts
        turns = [conversation.turn(step) for step in owed.steps if conversation.has_turn(step)]
        again = conversation.record.anew
        spoken = tuple(t for t in turns if wanted and (not t.invocation_id or t.step in again))
        steps = {turn.step for turn in spoken}
        before = sorted({step - 1 for step in steps} - steps)
        return Stretch(
            seen=seen,
            owed=owed,
            collection=CollectionKey(
                tenant=key.tenant, user=key.user, collection=conversation.record.collection
            ),
            read=tuple(turns if wanted else ()),
            spoken=spoken,
            before=tuple(conversation.turn(step) for step in before if conversation.has_turn(step)),
        )


async def _find(ports: ExtractionPorts, key: ConversationKey, stretch: Stretch, ledger: Ledger) -> FactsFound:
    source = Source(name=SOURCE, conversation_id=key.conversation_id)
    found = await find_facts(ports, ledger, stretch.collection, source, stretch.passages)
    twice = await said_twice(ports, key, stretch.collection, found.doubtful)
    return replace(found, facts=(*found.facts, *twice))


async def _keep(ports: WritingPorts, key: ConversationKey, stretch: Stretch, found: FactsFound) -> FoundKept:
    """Stores what was found, or nothing where the conversation is no longer what was read."""
    if not found.facts:
        return FoundKept(withheld=found.withheld)
    permission = await permission_of(ports, key)
    origin = Require(key=key, uid=stretch.seen.uid, generation=stretch.seen.generation)
    name = f"extract-{stretch.seen.uid}-{stretch.owed.attempt}"
    command = KeepFound(
        key=stretch.collection,
        records=found.facts,
        permission=permission,
        requires=(permission.tender(), origin),
        request=RequestKey(request_id=RequestId(name), verb=VERB, digest=name),
        withheld=found.withheld,
    )
    try:
        return (await keep_found(ports, command)).result
    except RequirementFailed as failed:
        if failed.key != key:
            raise
        return FoundKept(withheld=found.withheld)


def _marking(
    stretch: Stretch, kept: FoundKept, rated: Sequence[float] | None, reader: str
) -> Callable[[Conversation], Outcome | None]:
    owed = stretch.owed
    worth = dict(zip((turn.step for turn in stretch.read), rated or (), strict=rated is not None))

    def make(conversation: Conversation) -> Outcome | None:
        if conversation.record.extraction != owed:
            return None
        put = rated_anew(conversation, worth, reader)
        return done(conversation.record, owed, kept.fact_ids, kept.withheld), put

    return make
