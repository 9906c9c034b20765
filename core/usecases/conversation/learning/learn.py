"""What an invocation that ended leaves in long-term memory: facts, an episode, strategies or why it failed, and how
failed calls of tools were mended.

Law: all that was found in one change under a request of its own, each mending under another, so that an end that is
carried out again leaves them once. Facts come from the query and from tools' results. What holds a secret, finds no
room or meets memory switched off is not kept; nothing is, where the turn that it rests on was deleted meanwhile.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from core.agents.faithful import problem_of_distilled
from core.agents.memory_roles import MOST_PASSAGES, Distillation, Execution, Lesson, Passage, PassageKind
from core.agents.offline.distilling import recoveries
from core.agents.offline.thinking import think
from core.agents.usage import Ledger
from core.errors import ConversationNotFound, LimitReached, MemoryOff, SensitiveContent, UserNotFound
from core.ids import RecordId, RequestId
from core.internal_errors import RequirementFailed
from core.keys import CollectionKey, ConversationKey
from core.model.conversation import Tiers
from core.model.invocation import Ending, InvocationRecord, Item, ItemType
from core.model.record import NO_RECORD, STRATEGY, Episode, Origin, Provenance, Record, RecordKind
from core.ports.aggregates import RequestKey
from core.ports.store import Require
from core.usecases.conversation.ports import ConversationPorts, LearningPorts
from core.usecases.long_term.judging.find_facts import FactsFound, Source, find_facts
from core.usecases.long_term.judging.keep_found import FoundKept, KeepFound, keep_found
from core.usecases.long_term.new_records import is_harmless
from core.usecases.long_term.ports import FindingPorts, WritingPorts
from core.usecases.long_term.verbs.record_recovery import RecordRecovery, store_recovery
from core.usecases.ports import HasMemoryAgents
from core.usecases.user.permission import Permission, permission_of

SOURCE = "invocation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run that ended, and the turn that was added of it (0: none)."""

    record: InvocationRecord
    ending: Ending
    items: tuple[Item, ...]
    step: int

    @property
    def conversation(self) -> ConversationKey | None:
        of = self.record
        if not of.conversation_id:
            return None
        return ConversationKey(tenant=of.key.tenant, user=of.user, conversation_id=of.conversation_id)

    @property
    def collection(self) -> CollectionKey:
        of = self.record
        return CollectionKey(tenant=of.key.tenant, user=of.user, collection=of.collection)

    @property
    def source(self) -> Provenance:
        return Provenance(
            origin=Origin.DISTILLED,
            source=SOURCE,
            conversation_id=self.record.conversation_id,
            steps=(self.step,) if self.step else (),
            invocation_id=self.record.key.invocation_id,
            event_time=self.ending.end_time,
            writer=self.record.writer,
        )

    def request(self, part: str) -> RequestKey:
        uid = self.record.uid
        return RequestKey(request_id=RequestId(f"{part}-{uid}"), verb="EndInvocation", digest=uid)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """What must hold for the run to teach anything, and what it may."""

    permission: Permission
    requires: tuple[Require, ...]
    tiers: Tiers


async def learn(ports: LearningPorts, ledger: Ledger, run: Run) -> FoundKept:
    """Raises AgentUnavailable, AgentReplyInvalid, BudgetSpent."""
    place = await _place(ports, run)
    if place is None:
        return FoundKept()
    facts, records = FactsFound(), list[Record]()
    if place.tiers.extract_facts and not run.ending.idle:
        facts = await _facts(ports, ledger, run)
    if place.tiers.record_episodes:
        records = await _taught(ports, ledger, run)
    kept = FoundKept(withheld=facts.withheld)
    mended: dict[RecordId, None] = {}
    while place is not None:
        try:
            if found := (*facts.facts, *records):
                kept = await _keep(ports, run, place, found, facts.withheld)
            if place.tiers.record_episodes:
                mended = await _mendings(ports, run, place)
            break
        except RequirementFailed:
            place = await _place(ports, run)  # another turn was deleted, or all of it is over
        except (LimitReached, MemoryOff):
            break
    return FoundKept(
        fact_ids=kept.fact_ids,
        episode_id=kept.episode_id,
        strategy_ids=tuple(dict.fromkeys((*mended, *kept.strategy_ids))),
        withheld=kept.withheld,
    )


async def _place(ports: ConversationPorts, run: Run) -> _Place | None:
    """Returns None where there is nothing more to be taught: gone, switched off, or the turn was deleted."""
    try:
        permission = await permission_of(ports, run.record.key)
        tender = permission.tender()
        if (key := run.conversation) is None:
            return _Place(permission=permission, requires=(tender,), tiers=ports.settings.tiers)
        async with ports.conversations.reading(key) as conversation:
            is_there = conversation.uid == run.record.conversation_uid and conversation.record.enabled
            if not is_there or (run.step and not conversation.has_turn(run.step)):
                return None
            origin = Require(key=key, uid=conversation.uid, generation=conversation.record.generation)
            return _Place(permission=permission, requires=(tender, origin), tiers=conversation.tiers)
    except (ConversationNotFound, MemoryOff, UserNotFound):
        return None


async def _keep(
    ports: WritingPorts, run: Run, place: _Place, found: tuple[Record, ...], withheld: int
) -> FoundKept:
    command = KeepFound(
        key=run.collection,
        records=found,
        permission=place.permission,
        requires=place.requires,
        request=run.request("learned"),
        withheld=withheld,
    )
    return (await keep_found(ports, command)).result


async def _mendings(ports: WritingPorts, run: Run, place: _Place) -> dict[RecordId, None]:
    kept: dict[RecordId, None] = {}
    for number, recovery in enumerate(await think(recoveries, run.items)):
        with suppress(SensitiveContent, LimitReached):
            command = RecordRecovery(
                key=run.collection,
                recovery=recovery,
                source=run.source,
                approves=False,
                writer=run.record.writer,
                request=run.request(f"fix{number}"),
            )
            done = (await store_recovery(ports, command, place.permission, place.requires)).kept
            kept.update(dict.fromkeys(() if done.awaits_review else done.record_ids))
    return kept


# ---- facts ----


async def _facts(ports: FindingPorts, ledger: Ledger, run: Run) -> FactsFound:
    source = Source(
        name=SOURCE,
        conversation_id=run.record.conversation_id,
        invocation_id=run.record.key.invocation_id,
    )
    return await find_facts(ports, ledger, run.collection, source, list(_passages(run)))


def _passages(run: Run) -> Iterator[Passage]:
    """Yields the questions, and the latest of what tools answered."""
    record = run.record
    yield Passage(
        number=0,
        kind=PassageKind.INPUT,
        text=record.query,
        event_time=record.create_time,
        step=run.step,
        stated=record.stated,
        writer=record.writer,
    )
    seen = [i for i in run.items if i.type is ItemType.OBSERVATION and not i.failed and i.content.strip()]
    for number, item in enumerate(seen[-(MOST_PASSAGES - 1) :], start=1):
        yield Passage(
            number=number,
            kind=PassageKind.TOOL_RESULT,
            text=item.content,
            speaker=item.tool,
            event_time=item.event_time,
            step=run.step,
            writer=record.writer,
        )


# ---- what was done ----


async def _taught(ports: HasMemoryAgents, ledger: Ledger, run: Run) -> list[Record]:
    """Returns what the run teaches, checked off the loop: fifty runs that end at once take a tenth of a second for
    it."""
    execution = Execution(
        query=run.record.query,
        items=run.items,
        result=run.ending.result,
        succeeded=run.ending.succeeded,
    )
    with ledger.spending("distiller"):
        distilled = await ports.memory_agents.distiller.distil(execution)
    return await think(_sound, run, distilled, execution)


def _sound(run: Run, distilled: Distillation, execution: Execution) -> list[Record]:
    """Returns the records of what was distilled that hold no secret; none where the run does not bear it out."""
    if problem_of_distilled(distilled, execution):
        return []
    return [record for record in _records(run, distilled) if is_harmless(record)]


def _records(run: Run, distilled: Distillation) -> Iterator[Record]:
    if distilled.episode is not None:
        yield _record(run, RecordKind.EPISODE, distilled.episode.goal, episode=distilled.episode)
    for lesson in distilled.strategies:
        yield _lesson(run, lesson)
    if distilled.failure is not None:
        yield _lesson(run, distilled.failure)


def _lesson(run: Run, lesson: Lesson) -> Record:
    return _record(
        run, RecordKind.MEMORY, lesson.content, detail=lesson.detail, more_tags=_tools(run, lesson.items)
    )


def _tools(run: Run, numbers: Sequence[int]) -> tuple[str, ...]:
    cited = [item.tool for item in run.items if item.number in numbers and item.tool]
    return tuple(f"tool:{tool}" for tool in dict.fromkeys(cited))


def _record(
    run: Run,
    kind: RecordKind,
    content: str,
    *,
    more_tags: tuple[str, ...] = (),
    detail: str = "",
    episode: Episode | None = None,
) -> Record:
    time, source = run.ending.end_time, run.source
    return Record(
        record_id=NO_RECORD,
        kind=kind,
        category=STRATEGY,
        content=content,
        confidence=Origin.DISTILLED.first_confidence,
        event_time=time,
        create_time=time,
        update_time=time,
        valid_from=time,
        source=source.source,
        origin=source.origin,
        conversation_id=source.conversation_id,
        steps=source.steps,
        invocation_id=source.invocation_id,
        writer=source.writer,
        tags=("succeeded" if run.ending.succeeded else "failed", *more_tags),
        detail=detail,
        episode=episode,
    )
