"""Counting that prompts recalled clusters, and when they last showed keys. Nothing waits for it, and what it counts
adds up over replicas.

Law: a question hits once what it used, and with it what is of the same matter: as turns are placed one by one, one
matter may lie in several clusters.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

from core.conversation.conversation import Conversation
from core.conversation.hits import LATEST
from core.conversation.mid import same_matter
from core.conversation.steps import HitsPut, KeyPut, Step
from core.errors import ConversationNotFound
from core.keys import ConversationKey
from core.model.conversation import ClusterHits, KeyMemory
from core.ports.aggregates import Draft
from core.usecases.conversation.ports import ClusterPorts, TurnVectorPorts
from core.usecases.conversation.tiers.place_turns import line_of
from core.usecases.ports import HasEmbedder

SHOWN_AGAIN = timedelta(days=1)
"""When a key is written as shown once more: a key of which each prompt made a write would cost more than it tells."""


async def write_hits(ports: ClusterPorts) -> None:
    """Writes what was counted. Raises StoreUnavailable; what was not written is lost then."""
    for (key, uid), waiting in ports.hits.take().items():
        with suppress(ConversationNotFound):  # it is gone, and so are its hits
            await count_hits(ports, key, uid, waiting.counts, waiting.last, waiting.keys, waiting.answers)


async def count_hits(
    ports: TurnVectorPorts,
    key: ConversationKey,
    uid: str,
    counted: Mapping[frozenset[str], int],
    last: datetime,
    shown: Iterable[str] = (),
    answers: Sequence[int] = (),
) -> None:
    """Adds to the hits of clusters, by the questions that used them, and notes when keys were shown, and which turns
    were the `answers`; what is gone is passed over. Raises ConversationNotFound."""

    def stage(conversation: Conversation, _revision: int) -> Draft[None]:
        if conversation.uid != uid:
            return Draft(result=None)
        hits: Counter[str] = Counter()
        for used, questions in counted.items():
            hits.update(dict.fromkeys(_hit(ports, conversation, used), questions))
        keys = [conversation.keys[key_id] for key_id in sorted(conversation.keys.keys() & shown)]
        steps: list[Step] = [
            HitsPut(hits=_added(conversation, name, hits[name], last, answers)) for name in sorted(hits)
        ]
        steps += [KeyPut(key=replace(each, shown_time=last)) for each in keys if is_news(each, last)]
        return Draft(
            result=None, steps=tuple(steps), touches=frozenset({"hits", *(["keys"] if keys else [])})
        )

    await ports.conversations.commit(key, stage)


def is_news(key: KeyMemory, shown: datetime) -> bool:
    """Whether it is worth a write that a prompt showed the key then."""
    return key.shown_time is None or shown - key.shown_time >= SHOWN_AGAIN


def _hit(ports: HasEmbedder, conversation: Conversation, used: Collection[str]) -> set[str]:
    there = conversation.clusters.keys() & used
    return there | same_matter(
        conversation, there, ports.embedder.space, line_of(ports.embedder, conversation)
    )


def _added(
    conversation: Conversation, name: str, more: int, last: datetime, answers: Sequence[int]
) -> ClusterHits:
    steps = frozenset(conversation.clusters[name].steps)
    own = [step for step in answers if step in steps]
    before = conversation.hits.get(name)
    if before is None:
        return ClusterHits(cluster_id=name, hits=more, last_hit_time=last, answers=tuple(own[-LATEST:]))
    return ClusterHits(
        cluster_id=name,
        hits=before.hits + more,
        last_hit_time=max(last, before.last_hit_time),
        answers=(*before.answers, *own)[-LATEST:],
    )
