"""The key of a cluster: what its turns come to, and what was said elsewhere since that changes it.

Law: of two keys that say the same the older one stands. Only the user's own words change what a key says.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.agents.faithful import problem_of_key
from core.agents.offline.overtaking import overtaking
from core.agents.usage import Ledger
from core.conversation.conversation import Conversation
from core.conversation.keys import displaced, later_elsewhere, says_the_same
from core.conversation.steps import KeyDrop, KeyPut, MidPut, Step
from core.errors import AgentReplyInvalid
from core.long_term.texts import without_speaker
from core.model.conversation import KeyMemory, KeyType, Turn, TurnCluster
from core.text.own_words import own_sentences
from core.text.questions import asks
from core.usecases.conversation.ports import TierPorts
from core.usecases.conversation.tiers.tending import have_words, passages_of
from core.usecases.ports import HasComparer

SENTENCES = 8  # of a turn, that may change a key


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsOfCluster:
    """A cluster as it was read: its turns, and those of other clusters or of none that came later. `asked`: how many
    questions a turn answered, by its step."""

    cluster: TurnCluster
    turns: tuple[Turn, ...]
    later: tuple[Turn, ...]
    asked: Mapping[int, int]

    @classmethod
    def of(cls, conversation: Conversation, cluster: TurnCluster) -> "TurnsOfCluster":
        hits = conversation.hits.get(cluster.cluster_id)
        return cls(
            cluster=cluster,
            turns=tuple(map(conversation.turn, cluster.steps)),
            later=tuple(map(conversation.turn, later_elsewhere(conversation, cluster))),
            asked=Counter(hits.answers if hits else ()),
        )


async def key_of(ports: TierPorts, ledger: Ledger, read: TurnsOfCluster) -> KeyMemory | None:
    """Returns the key, its revision still to be told; None where nothing of the cluster is worth keeping. Raises
    AgentUnavailable, AgentReplyInvalid, BudgetSpent, EmbedderUnavailable."""
    made = await _distilled(ports, ledger, read, read.turns)
    if made is None or not (changing := await changes_of(ports, made, read.later)):
        return made
    together = sorted((*read.turns, *changing), key=lambda turn: turn.step)
    return await _distilled(ports, ledger, read, together)


async def changes_of(ports: HasComparer, key: KeyMemory, turns: Iterable[Turn]) -> list[Turn]:
    """Returns the turns, later than those that a key rests on, which say of the same thing that it is otherwise. Raises
    EmbedderUnavailable."""
    newest = max(key.from_steps, default=0)
    said = [
        (turn, sentence.text)
        for turn in turns
        if turn.step > newest and turn.stated
        for sentence in own_sentences(turn.input, SENTENCES)
        if not asks(sentence.text)
    ]
    lines = [text for line in key.text.splitlines() if not asks(text := without_speaker(line))]
    found = await overtaking(ports.comparer, lines, [text for _, text in said])
    return list({said[place][0].step: said[place][0] for _, place in sorted(found)}.values())


def keys_with(conversation: Conversation, cluster: TurnCluster, made: KeyMemory | None) -> Iterator[Step]:
    """Yields what becomes of the keys: the one made stands in the place of the cluster's own, if there is one; and the
    cluster is noted as promoted."""
    yield from _keys(conversation, cluster, made)
    yield MidPut(cluster=replace(cluster, promoted=True))


def _keys(conversation: Conversation, cluster: TurnCluster, made: KeyMemory | None) -> Iterator[Step]:
    own = [key for key in conversation.keys_in_order(KeyType.SYSTEM) if key.cluster_id == cluster.cluster_id]
    others = [key for key in conversation.keys.values() if key not in own]
    if made is None or any(_stands_for(other, made) for other in others):
        yield from (KeyDrop(key_id=key.key_id) for key in own)
        return
    first = own[0] if own else made
    text_changed = first.text != made.text or not own
    made = replace(
        made,
        create_time=first.create_time,
        update_time=made.update_time if text_changed else first.update_time,
        revision=conversation.revision + 1 if text_changed else first.revision,
    )
    yield from (KeyDrop(key_id=each.key_id) for each in displaced(conversation, made))
    yield KeyPut(key=made)


def _stands_for(other: KeyMemory, made: KeyMemory) -> bool:
    """Whether another key says as much, or is the user's wording of this one."""
    return other.key_id == made.key_id or says_the_same(made.text, other.text)


async def _distilled(
    ports: TierPorts, ledger: Ledger, read: TurnsOfCluster, turns: Sequence[Turn]
) -> KeyMemory | None:
    cluster, passages = read.cluster, passages_of(turns, read.asked)
    if not have_words(passages):
        return None
    with ledger.spending("distiller"):
        opinion = await ports.memory_agents.distiller.key(passages)
        if problem := problem_of_key(opinion, passages):
            raise AgentReplyInvalid("distiller", problem)
    if not opinion.text:
        return None
    now = ports.clock.now()
    return KeyMemory(
        key_id=f"k-{cluster.cluster_id}",
        type=KeyType.SYSTEM,
        text=opinion.text,
        create_time=now,
        update_time=now,
        revision=0,
        cluster_id=cluster.cluster_id,
        from_steps=tuple(sorted({passages[number].step for number in opinion.passages})),
        event_time=max(filter(None, (passages[n].event_time for n in opinion.passages)), default=None),
        seen_to=cluster.steps[-1],
    )
