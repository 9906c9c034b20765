"""EraseMentions: sentences that name a person or a thing go out of a user's conversations and long-term memory.

This is the one exception to records that are never rewritten: a person's right to be forgotten by others' memory.

Law: an aggregate at a time, so a call that was cut short is simply made again: what is done names nothing any more.
What it does not change (nodes and plans that callers wrote, instructions, runs that go on) is named; files are named
without a look into them.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from core.agents.offline.thinking import think
from core.bank.bank import Bank
from core.errors import AggregateNotFound
from core.keys import BankKey, CollectionKey, ConversationKey, InvocationKey, UserKey
from core.model.instructions import Level, Owner
from core.text.mentions import Mentions
from core.usecases.bank.retraction.cover_interactions import cover_interactions
from core.usecases.conversation.cover_turns import cover_turns
from core.usecases.long_term.drop_mentions import drop_mentions
from core.usecases.whole_user.export_user import records_of_user
from core.usecases.whole_user.ports import ErasurePorts

MOST_LEFT = 1_000
"""Places that an answer names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseMentions:
    """`names`: what the person or the thing is called. `dry_run`: only tell what would go."""

    key: UserKey
    names: tuple[str, ...]
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionsErased:
    """`turns` were overwritten, `interactions` stored anew; all else went, or is made anew. `left`: where a name, or a
    file, still stands."""

    turns: int = 0
    keys: int = 0
    summaries: int = 0
    records: int = 0
    reflections: int = 0
    feedback: int = 0
    interactions: int = 0
    left: tuple[str, ...] = ()


async def erase_mentions(ports: ErasurePorts, command: EraseMentions) -> MentionsErased:
    """Works also where memory is off; a user of whom nothing is kept is a success. Raises what `cover_interactions`
    raises."""
    key, mentions, total = command.key, Mentions(command.names), MentionsErased()
    async for record in records_of_user(ports, key, ConversationKey.kind):
        done = await cover_turns(ports, record.key, mentions, dry_run=command.dry_run)
        total = replace(
            total,
            turns=total.turns + done.turns,
            keys=total.keys + done.keys,
            summaries=total.summaries + done.summaries + done.invocations,
        )
    async for record in records_of_user(ports, key, CollectionKey.kind):
        dropped = await drop_mentions(ports, record.key, mentions, dry_run=command.dry_run)
        total = replace(
            total,
            records=total.records + dropped.records,
            reflections=total.reflections + dropped.reflections,
            feedback=total.feedback + dropped.feedback,
        )
    async for record in records_of_user(ports, key, BankKey.kind):
        count = await cover_interactions(ports, record.key, mentions, dry_run=command.dry_run)
        total = replace(total, interactions=total.interactions + count)
    left = [place async for place in _left(ports, key, mentions)]
    return replace(total, left=tuple(left[:MOST_LEFT]))


async def _left(ports: ErasurePorts, key: UserKey, mentions: Mentions) -> AsyncIterator[str]:
    async for place in _in_banks(ports, key, mentions):
        yield place
    async for record in records_of_user(ports, key, InvocationKey.kind):
        with suppress(AggregateNotFound):
            async with ports.invocations.reading(record.key) as run:
                items = [text for item in run.in_order() for text in (item.content, item.arguments_json)]
                if mentions.are_in(run.record.query, *items):
                    yield f"invocations/{record.key.invocation_id}"
    owner = Owner(level=Level.USER, name=key.user)
    with suppress(AggregateNotFound):
        async with ports.instructions.reading(owner.key(key.tenant)) as kept:
            for path in kept.paths:
                if mentions.are_in(path, *(source.text for source in kept.versions(path).values())):
                    yield f"instructions/{path}"


async def _in_banks(ports: ErasurePorts, key: UserKey, mentions: Mentions) -> AsyncIterator[str]:
    """Yields what of banks holds a name, and every file; looked through off the loop."""
    async for record in records_of_user(ports, key, BankKey.kind):
        texts: list[tuple[str, str]] = []
        with suppress(AggregateNotFound):
            async with ports.banks.reading(record.key) as bank:
                texts = list(_texts_of(bank))
        for place in await think(_naming, texts, mentions):
            yield f"banks/{record.key.bank_id}/{place}"


def _texts_of(bank: Bank) -> Iterator[tuple[str, str]]:
    """Yields every place of a bank with its text; of a file none."""
    yield "insight", str(bank.insight)
    for interaction in bank.tree.interactions.values():
        place = f"interactions/{interaction.interaction_id}"
        yield place, interaction.text
        yield from ((f"{place}/attachments/{each.attachment_id}", "") for each in interaction.attachments)
    yield from (
        (f"retractions/{each.retraction_id}", each.held) for each in bank.retractions.values() if each.held
    )
    for node in bank.nodes.values():
        yield f"nodes/{node.node_id}", "\n".join((node.summary, node.context, *node.keywords))


def _naming(texts: Sequence[tuple[str, str]], mentions: Mentions) -> list[str]:
    return [place for place, text in texts if not text or mentions.are_in(text)]
