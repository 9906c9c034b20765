"""Which doubtful facts the user said in another conversation, too: what two say is worth keeping.

Law: reads only. Their own words count, in the newest conversations that teach the same collection; a few are compared.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.agents.offline.essentials import have_equal_essentials
from core.agents.offline.judging.comparing import JudgeThresholds
from core.conversation.conversation import Conversation
from core.conversation.search import search_turns
from core.keys import CollectionKey, ConversationKey
from core.long_term.texts import normalised, statement
from core.model.record import Record
from core.model.vector import Vector
from core.ports.store import NamedConversation
from core.text.analysis import terms
from core.text.own_words import own_sentences
from core.text.questions import asks
from core.usecases.conversation.across import AllConversations, newest, read_each
from core.usecases.conversation.ports import ExtractionPorts, TurnPorts
from core.usecases.ports import HasComparer, MomentPorts
from core.usecases.user.permission import permission_of
from core.verbatim.query import Query

CONVERSATIONS = 10
TURNS = 2  # of each conversation, that are nearest to a fact
SENTENCES = 8  # of a turn
COMPARED = 4  # sentences with each fact
LINES = JudgeThresholds()


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidElsewhere:
    """A sentence of another conversation, and how near its turn is to the fact."""

    text: str
    score: float


async def said_twice(
    ports: ExtractionPorts, key: ConversationKey, collection: CollectionKey, doubtful: Sequence[Record]
) -> list[Record]:
    """Returns those of doubtful facts that are said in another conversation of their user. Raises
    EmbedderUnavailable."""
    if not doubtful or not (others := await _others(ports, key, collection)):
        return []
    texts = [statement(fact) for fact in doubtful]
    vectors = await ports.embedder.embed_queries(texts)

    def read(conversation: Conversation) -> list[list[SaidElsewhere]]:
        return [
            _nearest(ports, conversation, text, vector) for text, vector in zip(texts, vectors, strict=True)
        ]

    found = [nearest for _, nearest in await read_each(ports, others, read)]
    return [
        fact
        for number, (fact, text) in enumerate(zip(doubtful, texts, strict=True))
        if await _is_said(ports, text, [each for nearest in found for each in nearest[number]])
    ]


async def _others(ports: TurnPorts, key: ConversationKey, collection: CollectionKey) -> list[ConversationKey]:
    def teaches_it(one: NamedConversation) -> bool:
        return one.collection == collection.collection and one.key != key

    among = AllConversations(
        tenant=key.tenant, user=key.user, collection=collection.collection, most=CONVERSATIONS
    )
    found, _ = await newest(ports, among, await permission_of(ports, among), teaches_it)
    return [one.key for one in found]


def _nearest(
    ports: MomentPorts, conversation: Conversation, text: str, vector: Vector
) -> list[SaidElsewhere]:
    """Returns the sentences of the turns nearest to a text that share a word with it."""
    query = Query(top_k=TURNS, alpha=ports.settings.retrieval.alpha, text=text, vector=vector)
    known = frozenset(terms(text))
    return [
        SaidElsewhere(text=sentence.text, score=hit.score)
        for hit in search_turns(conversation, query, ports.embedder.space)
        if hit.turn.stated
        for sentence in own_sentences(hit.turn.input, SENTENCES)
        if not asks(sentence.text) and not known.isdisjoint(terms(sentence.text))
    ]


async def _is_said(ports: HasComparer, text: str, elsewhere: Sequence[SaidElsewhere]) -> bool:
    """Whether one of the nearest sentences says the same."""
    others = [one.text for one in sorted(elsewhere, key=lambda one: -one.score)[:COMPARED]]
    if any(normalised(text) == normalised(other) for other in others):
        return True
    told = await ports.comparer.compare([(text, other) for other in others]) if others else []
    return any(
        likely is not None
        and likely.sameness >= LINES.same
        and likely.contradiction < LINES.not_contrary
        and have_equal_essentials(text, other)
        for likely, other in zip(told, others, strict=True)
    )
