"""The last part of a conversation's end: where something was done, the whole becomes an episode: runs of several calls,
or under a goal a run of any, or turns in which something was decided, changed or came of it.

Law: begins when nothing is left to be summarised or looked through. The episode is of the newest turns alone, and
names them: it goes with any of them. A later end puts another in its place.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.agents.faithful import problem_of_summary
from core.agents.memory_roles import FEWEST_CALLS, MOST_EPISODE_STEPS, Passage, PassageKind, Purpose, Unit
from core.agents.offline.turning import turns_on
from core.agents.usage import Ledger
from core.conversation.conversation import Conversation
from core.conversation.due import is_to_finish
from core.errors import AgentReplyInvalid, LimitReached
from core.ids import RecordId, RequestId
from core.internal_errors import RequirementFailed
from core.keys import CollectionKey, ConversationKey
from core.long_term.collection import Collection
from core.long_term.reviewing import awaits
from core.long_term.standing import same_episode
from core.long_term.steps import ProposalPut, RecordPut
from core.model.conversation import ConversationState, SummaryKind
from core.model.record import EPISODE_STEP, NO_RECORD, STRATEGY, Episode, Origin, Record, RecordKind
from core.model.review import Proposal
from core.ports.aggregates import RequestKey
from core.ports.store import Require
from core.usecases.conversation.ports import LearningPorts
from core.usecases.conversation.tiers.tending import Outcome, SeenConversation, land, passages_of, unit_of
from core.usecases.long_term.answers import StoredRecords
from core.usecases.long_term.new_records import is_harmless, stamped
from core.usecases.long_term.ports import WritingPorts
from core.usecases.long_term.verbs.add_record import was_forgotten
from core.usecases.long_term.writing import Edit, write
from core.usecases.ports import HasMemoryAgents
from core.usecases.user.permission import permission_of

VERB = "EndConversation"
SOURCE = "conversation"
NEWEST = 1_000  # turns that an episode is of
LATEST = 15  # of these are read where there is no summary
OUTCOME = {Unit.WORDS: 60, Unit.CHARACTERS: 120}
GOAL = 4_096  # code points


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """What an episode of a conversation is made of."""

    seen: SeenConversation
    collection: CollectionKey
    goal: str
    did: tuple[str, ...]
    passages: tuple[Passage, ...]
    steps: tuple[int, ...]
    writer: str


async def finish_conversation(ports: LearningPorts, key: ConversationKey, ledger: Ledger) -> None:
    """Raises ConversationNotFound, MemoryOff, AgentUnavailable, AgentReplyInvalid, BudgetSpent."""
    async with ports.conversations.reading(key) as conversation:
        if not is_to_finish(conversation):
            return
        seen, whole = SeenConversation.of(conversation), _whole(conversation)
    episode_id = NO_RECORD
    if whole is not None:
        record = await _record(ports, ledger, key, whole)
        if is_harmless(record):
            episode_id = await _keep(ports, key, whole, record)
    await land(ports, key, seen, ledger, _ended(episode_id))


def _ended(episode_id: RecordId) -> Callable[[Conversation], Outcome | None]:
    def make(conversation: Conversation) -> Outcome | None:
        record = conversation.record
        if not is_to_finish(conversation):
            return None
        taught = replace(record.taught, episode_id=episode_id)
        return replace(record, state=ConversationState.ENDED, taught=taught), ()

    return make


def _whole(conversation: Conversation) -> Whole | None:
    """Returns None where the conversation is no episode."""
    record = conversation.record
    turns = conversation.newest(NEWEST)
    first = turns[0].step if turns else 0
    of_turns = [run for run in conversation.invocations_in_order() if not run.step or run.step >= first]
    most = max((run.actions for run in of_turns), default=0)
    if not (conversation.tiers.record_episodes and turns and (record.goal.strip() or most >= FEWEST_CALLS)):
        return None
    told = [
        summary
        for summary in conversation.summaries_in_order()
        if summary.kind is SummaryKind.LONG and summary.first_step >= first
    ]
    passages = [
        Passage(number=number, kind=PassageKind.SUMMARY, text=summary.text, step=summary.last_step)
        for number, summary in enumerate(told)
    ]
    passages = passages or passages_of(turns[-LATEST:])
    if not most and not any(turns_on(passage.text) for passage in passages):
        return None  # it was talked, and nothing was done
    return Whole(
        seen=SeenConversation.of(conversation),
        collection=CollectionKey(tenant=record.key.tenant, user=record.user, collection=record.collection),
        goal=" ".join((record.goal.strip() or of_turns[0].query).split())[:GOAL],
        did=tuple(" ".join(run.query.split())[:EPISODE_STEP] for run in of_turns[-MOST_EPISODE_STEPS:]),
        passages=tuple(passages),
        steps=tuple(turn.step for turn in turns),
        writer=next((turn.writer for turn in turns if turn.writer), ""),
    )


async def _record(ports: LearningPorts, ledger: Ledger, key: ConversationKey, whole: Whole) -> Record:
    unit = unit_of(whole.passages)
    outcome = await _outcome(ports, ledger, whole.passages, unit)
    now = ports.clock.now()
    return Record(
        record_id=NO_RECORD,
        kind=RecordKind.EPISODE,
        category=STRATEGY,
        content=whole.goal,
        confidence=Origin.DISTILLED.first_confidence,
        event_time=now,
        create_time=now,
        update_time=now,
        valid_from=now,
        source=SOURCE,
        origin=Origin.DISTILLED,
        conversation_id=key.conversation_id,
        steps=whole.steps,
        writer=whole.writer,
        tags=("conversation",),
        episode=Episode(goal=whole.goal, steps=whole.did, outcome=outcome),
    )


async def _outcome(ports: HasMemoryAgents, ledger: Ledger, passages: Sequence[Passage], unit: Unit) -> str:
    if not any(any(map(str.isalnum, passage.text)) for passage in passages):
        return ""
    limit = OUTCOME[unit]
    with ledger.spending("summariser"):
        text = await ports.memory_agents.summariser.summarise(passages, limit, unit, Purpose.EPISODE)
        if problem := problem_of_summary(text, passages, limit, unit):
            raise AgentReplyInvalid("summariser", problem)
    return text


async def _keep(ports: WritingPorts, key: ConversationKey, whole: Whole, record: Record) -> RecordId:
    """Stores the episode and returns its id; None where the conversation is no longer what was read, or there is no
    room."""
    permission = await permission_of(ports, key)
    origin = Require(key=key, uid=whole.seen.uid, generation=whole.seen.generation)
    requires = (permission.tender(), origin)
    record_id, now = RecordId(ports.ids.new("r")), ports.clock.now()

    def compose(collection: Collection, revision: int) -> Edit[StoredRecords]:
        if was_forgotten(collection, record):
            return Edit(result=StoredRecords(record_ids=(), forgotten=True))
        if awaits(collection.record, record, approves=False):
            return _proposed(collection, replace(stamped(record, now, revision), record_id=record_id))
        before = same_episode(collection.records.values(), record)
        made = replace(stamped(record, now, revision), record_id=before.record_id if before else record_id)
        step = RecordPut(record=made, reworded=before is not None)
        return Edit(result=StoredRecords(record_ids=(made.record_id,)), steps=(step,), sees_all=True)

    name = f"episode-{whole.seen.uid}-{whole.seen.generation}-{whole.steps[-1]}"
    request = RequestKey(request_id=RequestId(name), verb=VERB, digest=name)
    try:
        done = await write(ports, whole.collection, compose, request, StoredRecords, permission, requires)
    except LimitReached:
        return NO_RECORD
    except RequirementFailed as failed:
        if failed.key != key:
            raise
        return NO_RECORD
    is_kept = done.result.record_ids and not done.result.awaits_review
    return done.result.record_ids[0] if is_kept else NO_RECORD


def _proposed(collection: Collection, record: Record) -> Edit[StoredRecords]:
    """Lets the episode wait for its review, in the place of what waits of an earlier end."""
    before = same_episode((one.record for one in collection.proposals.values()), record)
    record_id = before.record_id if before else record.record_id
    waiting = Proposal(record=replace(record, record_id=record_id, awaits_review=True))
    kept = StoredRecords(record_ids=(record_id,), awaits_review=True)
    return Edit(result=kept, steps=(ProposalPut(proposal=waiting),), sees_all=True)
