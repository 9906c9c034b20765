"""Covering mentions in a bank: records that name a person or a thing are stored anew with these sentences overwritten,
and those of before are erased with all that rests on them.

A record keeps its times, its segments' places and who said them, and has another id; it is structured anew. One that
was no context (a verdict, the record beside a node), and all of a bank with its caller's own vectors, is erased alone.

Law: first the new record is stored, under a request of its own, then those of before are taken back and erased: a call
that was cut short is made again, and stores nothing twice.
"""

from collections.abc import Sequence
from dataclasses import replace

from core.agents.offline.thinking import think
from core.bank.bank import Bank
from core.bank.steps import RetractionPut
from core.errors import BankNotFound
from core.ids import InteractionId, RequestId
from core.keys import BankKey
from core.model.interaction import Interaction, InteractionOrigin, Span, TaskReport
from core.model.interaction_retraction import InteractionRetraction
from core.model.retraction import RetractionState
from core.model.structuring import Purpose
from core.ports.aggregates import Draft, RequestKey
from core.text.mentions import Mentions, says_something
from core.usecases.bank.ports import BankPorts, ClosingPorts
from core.usecases.bank.record import RecordedAnswer, record_steps
from core.usecases.bank.structuring.take_up import take_up
from core.usecases.bank.verbs.close_interactions import CloseInteractions, close_interactions
from core.usecases.bank.verbs.retract_interactions import RetractInteractions, retract_interactions

REASON = "mentions erased"
AT_ONCE = 100  # records taken back in one change


async def cover_interactions(
    ports: ClosingPorts, key: BankKey, mentions: Mentions, *, dry_run: bool = False
) -> int:
    """Returns how many records named it; none where the bank is gone. Raises LimitReached, EmbedderUnavailable,
    EmbeddingSpaceMismatch."""
    try:
        async with ports.banks.reading(key) as bank:
            embeds, told = bank.embeds, list(bank.tree.interactions.values())
            left = [each.retraction_id for each in bank.retractions.values() if _is_left(each)]
        named = await think(_naming, told, mentions)
        if dry_run:
            return len(named)
        for retraction_id in left:
            await close_interactions(
                ports, CloseInteractions(key=key, retraction_id=retraction_id, erases=True)
            )
        for start in range(0, len(named), AT_ONCE):
            await _cover(ports, key, named[start : start + AT_ONCE], mentions, again=embeds)
        await _cover_retractions(ports, key, mentions)
    except BankNotFound:
        return 0
    return len(named)


def _is_left(retraction: InteractionRetraction) -> bool:
    """Whether an earlier call took it back, and did not come to erase it."""
    return retraction.state is RetractionState.QUARANTINED and retraction.reason == REASON


def _naming(told: Sequence[Interaction], mentions: Mentions) -> list[Interaction]:
    return [one for one in told if mentions.are_in(*_texts(one))]


def _texts(one: Interaction) -> list[str]:
    task = (one.task.description, one.task.result) if one.task is not None else ()
    speakers = (span.speaker for span in one.spans)
    return [one.text, one.source, *speakers, *task, *one.labels, *one.labels.values()]


async def _cover(
    ports: ClosingPorts, key: BankKey, named: Sequence[Interaction], mentions: Mentions, *, again: bool
) -> None:
    new = [await _stored(ports, key, one, mentions) for one in named] if again else []
    command = RetractInteractions(
        key=key, interaction_ids=tuple(one.interaction_id for one in named), reason=REASON
    )
    done = (await retract_interactions(ports, command)).result
    if done.retraction is not None:
        closing = CloseInteractions(key=key, retraction_id=done.retraction.retraction_id, erases=True)
        await close_interactions(ports, closing)
    for interaction_id in filter(None, new):
        take_up(ports, key, interaction_id)


async def _cover_retractions(ports: BankPorts, key: BankKey, mentions: Mentions) -> None:
    """Overwrites the names in what callers said of their retractions: the source and the reason."""

    def stage(bank: Bank, _revision: int) -> Draft[None]:
        named = [each for each in bank.retractions.values() if mentions.are_in(each.source, each.reason)]
        steps = [
            RetractionPut(
                retraction=replace(
                    each, source=mentions.covered(each.source), reason=mentions.covered(each.reason)
                )
            )
            for each in named
        ]
        touches = frozenset(f"retraction:{each.retraction_id}" for each in named)
        return Draft(result=None, steps=tuple(steps), touches=touches, sees_all=True, erase=bool(steps))

    await ports.banks.commit(key, stage)


async def _stored(
    ports: BankPorts, key: BankKey, one: Interaction, mentions: Mentions
) -> InteractionId | None:
    """Stores what is left of a record; None: nothing is, or it was no context."""
    new = _covered(one, mentions)
    if one.origin is not InteractionOrigin.CONTEXT or not new.spans:
        return None
    new = replace(new, interaction_id=InteractionId(ports.ids.new("i")), create_time=ports.clock.now())

    def stage(bank: Bank, _revision: int) -> Draft[RecordedAnswer]:
        return Draft(
            result=RecordedAnswer(interaction_id=new.interaction_id),
            steps=tuple(record_steps(ports, bank, new, Purpose.MEMORIZE)),
            touches=frozenset((f"interaction:{new.interaction_id}",)),
        )

    name = f"cover-{one.interaction_id}"
    request = RequestKey(request_id=RequestId(name), verb="EraseMentions", digest=name)
    done = await ports.banks.commit(key, stage, request, RecordedAnswer)
    return done.result.interaction_id


def _covered(one: Interaction, mentions: Mentions) -> Interaction:
    text = mentions.covered(one.text)
    return replace(
        one,
        text=text,
        spans=tuple(
            _without_name(span, mentions) for span in one.spans if says_something(text[span.start : span.end])
        ),
        source=mentions.covered(one.source),
        labels=mentions.left_out(one.labels),
        task=_task(one.task, mentions) if one.task is not None else None,
    )


def _without_name(span: Span, mentions: Mentions) -> Span:
    return replace(span, speaker=mentions.covered(span.speaker))


def _task(task: TaskReport, mentions: Mentions) -> TaskReport:
    return replace(task, description=mentions.covered(task.description), result=mentions.covered(task.result))
