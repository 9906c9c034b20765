"""Judges new facts against the nearest ones, by the same Judge as nodes: the chore all of them, a call that waits its
own.

Law: nothing is held while the Judge thinks but the collection's turn, one fact long: who waits for a fact is served
between two others, in the order of asking. What is stored was decided on the collection as it stood just before, all
of it seen, so that two racing facts are always compared, whichever is judged first.
"""

from collections.abc import Callable, Sequence
from functools import partial

from core.agents.offline.corrections import corrects, denies
from core.agents.offline.essentials import have_equal_essentials
from core.agents.opinions import OpinionPending, Opinions
from core.agents.roles import ConflictOpinion, Grade, MergeOpinion, OpinionSource, Topic
from core.errors import CollectionNotFound, MemoryOff
from core.ids import NodeId, RecordId
from core.keys import CollectionKey
from core.long_term.collection import Collection
from core.long_term.ranking import RecordQuery, similarities
from core.long_term.standing import Contradiction, Rewriting, by_rank
from core.long_term.texts import embedded, normalised, quotation, statement, told
from core.model.record import Record, Rival, SupersededReason
from core.model.vector import Vector
from core.ports.aggregates import Draft
from core.ports.reader import Reader
from core.text.analysis import terms
from core.usecases.long_term.account import Account
from core.usecases.long_term.embed_records import embed_records
from core.usecases.long_term.ports import JudgingPorts, RankingPorts
from core.usecases.user.permission import permission_of

Choose = Callable[[Collection], RecordId | None]
"""Returns which fact is judged next: None for none."""


async def judge_facts(ports: JudgingPorts, key: CollectionKey) -> None:
    """Judges every fact that has not been, oldest first.

    Raises MemoryOff, AgentUnavailable, AgentReplyInvalid, BudgetSpent, EmbedderUnavailable."""
    await embed_records(ports, key)
    while await _judge_in_turn(ports, key, lambda collection: next(iter(collection.unjudged), None)):
        pass


async def judge_fact(ports: JudgingPorts, key: CollectionKey, record_id: RecordId) -> None:
    """Judges one fact, unless it has been, before others that are older. Raises as `judge_facts`."""
    await embed_records(ports, key, [record_id])
    await _judge_in_turn(
        ports, key, lambda collection: record_id if record_id in collection.unjudged else None
    )


async def _judge_in_turn(ports: JudgingPorts, key: CollectionKey, choose: Choose) -> bool:
    async with ports.workshop.turn(key):
        return await _judge(ports, key, choose)


async def _judge(ports: JudgingPorts, key: CollectionKey, choose: Choose) -> bool:
    """Judges the fact that is chosen. False: there is none."""
    tender = (await permission_of(ports, key)).tender()
    account = Account(ports.workshop.ledger(key))
    opinions = Opinions(ports.agents, ports.embedder, ports.ids, account.ledger)
    likelihood = _Corrections(ports.reader)

    def compose(collection: Collection, _revision: int) -> Draft[bool]:
        record_id = choose(collection)
        if record_id is None:
            return Draft(result=False)
        if not collection.record.enabled:
            raise MemoryOff("collection")
        fact = collection.records[record_id]
        nearest = _nearest(ports, collection, fact, opinions)
        found = opinions.conflicts_and_merges(
            topic_of_fact(fact), [topic_of_fact(other) for other in nearest]
        )
        rewriting = Rewriting(collection, ports.settings.long_term)
        contradictions = _contradictions(collection, fact, nearest, found, likelihood)
        rivals = _rivals(collection, fact, found, contradictions)
        rewriting.judge(record_id, contradictions, _merges(collection, fact, found), rivals)
        return Draft(result=True, steps=tuple(rewriting.steps), sees_all=True, requires=(tender,))

    def stage(collection: Collection, revision: int) -> Draft[bool]:
        return account.booked(compose(collection, revision), collection)

    while True:
        try:
            async with ports.collections.reading(key) as collection:
                account.saw(collection)
                compose(collection, collection.revision + 1)  # gathers opinions without holding up the writer
            done = await ports.collections.commit(key, stage)
            account.settle()
            return done.result
        except OpinionPending as missing:
            await missing.ask()
        except CollectionNotFound:
            return False


class _Corrections:
    """How likely sentences take something back, each read once, when it is asked for. Raises OpinionPending."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._known: dict[str, float] = {}

    def __call__(self, sentence: str) -> float:
        if sentence not in self._known:
            raise OpinionPending(partial(self._read, sentence))
        return self._known[sentence]

    async def _read(self, sentence: str) -> None:
        (reading,) = await self._reader.read([sentence])
        self._known[sentence] = reading.correction if reading else 0.0


def _contradictions(
    collection: Collection,
    fact: Record,
    nearest: Sequence[Record],
    found: Sequence[ConflictOpinion | MergeOpinion],
    likelihood: Callable[[str], float],
) -> list[Contradiction]:
    """Returns what the fact contradicts, the surest first. A user takes back one thing at a time, for which a likely
    contradiction is enough. A denial of what was just said contests it. Raises OpinionPending."""
    contradictions: list[Contradiction] = []
    corrected = False
    for opinion in found:
        if not isinstance(opinion, ConflictOpinion):
            continue
        other = collection.records[RecordId(opinion.existing)]
        reason = None
        if opinion.by is OpinionSource.MODEL and opinion.verbatim and _are_of_one_person(fact, other):
            reason = SupersededReason.MODEL
        elif not corrected and corrects(fact, other, likelihood):
            reason, corrected = SupersededReason.CORRECTION, True
        if reason is None and (opinion.grade is not Grade.SURE or not _of_one_matter(fact, other)):
            continue  # what is only likely contests nothing
        contradictions.append(Contradiction(with_id=other.record_id, reason=reason))
    told = {each.with_id for each in contradictions}
    for other in nearest if not corrected else ():
        if other.record_id not in told and denies(
            fact, other, likelihood
        ):  # both stand: it says too little alone
            return [*contradictions, Contradiction(with_id=other.record_id, reason=None)]
    return contradictions


def _rivals(
    collection: Collection,
    fact: Record,
    found: Sequence[ConflictOpinion | MergeOpinion],
    contradictions: Sequence[Contradiction],
) -> list[Rival]:
    """Returns the facts that it may contradict, and does not for sure."""
    sure = {each.with_id for each in contradictions}
    likely = [opinion for opinion in found if isinstance(opinion, ConflictOpinion)]
    others = [(collection.records[RecordId(opinion.existing)], opinion.confidence) for opinion in likely]
    return [
        Rival(other.record_id, likelihood)
        for other, likelihood in others
        if other.record_id not in sure and _of_one_matter(fact, other)
    ]


def _are_of_one_person(fact: Record, other: Record) -> bool:
    """Whether two facts are of one speaker and of one matter: then a newer one may stand for an older one."""
    return quotation(fact).speaker == quotation(other).speaker and _of_one_matter(fact, other)


def _of_one_matter(fact: Record, other: Record) -> bool:
    """Whether none of two facts refers to what the other one does not: "she" may be another person."""
    return normalised(fact.context) == normalised(other.context)


def _merges(
    collection: Collection, fact: Record, found: Sequence[ConflictOpinion | MergeOpinion]
) -> list[RecordId]:
    """Returns the facts that say the same, with the same amounts, names, dates and denials; without a model's opinion
    only those of which no word would be lost."""
    merges = [opinion for opinion in found if isinstance(opinion, MergeOpinion)]
    others = [(opinion, collection.records[RecordId(opinion.existing)]) for opinion in merges]
    return [
        other.record_id
        for opinion, other in others
        if agree_in_essentials(fact, other)
        and (opinion.by is OpinionSource.MODEL or loses_no_word(fact, other))
    ]


def agree_in_essentials(one: Record, other: Record) -> bool:
    said, also = quotation(one), quotation(other)
    if said.dates != also.dates or not _of_one_matter(one, other):
        return False
    return have_equal_essentials(said.statement, also.statement)


def loses_no_word(fact: Record, other: Record) -> bool:
    """Whether the one of two facts that stays has all words of the one that goes."""
    stays, goes = by_rank(fact, other)
    return set(terms(statement(goes))) <= set(terms(statement(stays)))


def _nearest(
    ports: RankingPorts, collection: Collection, fact: Record, opinions: Opinions
) -> Sequence[Record]:
    """Returns the facts most like it, its own vector being the query's. Raises OpinionPending."""
    vector = collection.vectors.get(fact.record_id)
    if vector is None:
        (vector,) = opinions.vectors([embedded(fact)])
    what = (by_nearness.__name__, fact.record_id, collection.vectors.edits)
    order = opinions.once(collection.head, what, lambda: by_nearness(ports, collection, fact, vector))
    return [collection.records[record_id] for record_id in order[: ports.settings.long_term.judged_against]]


def by_nearness(ports: RankingPorts, collection: Collection, fact: Record, vector: Vector) -> list[RecordId]:
    """Returns the facts that a fact may be compared with, those most like it first; not what another person said of
    himself."""
    sought = RecordQuery(
        top_k=ports.settings.long_term.judged_against,
        alpha=ports.settings.retrieval.alpha,
        now=fact.create_time,
        text=told(fact),
        vector=vector,
    )

    def other_fact(record_id: RecordId) -> bool:
        if record_id not in collection.standing or record_id == fact.record_id:
            return False
        other = quotation(collection.records[record_id]).speaker
        return not speaker or not other or other == speaker

    speaker = quotation(fact).speaker
    similar = similarities(collection, sought, other_fact, ports.embedder.space)
    return sorted(similar, key=lambda record_id: (-similar[record_id], record_id))


def topic_of_fact(fact: Record) -> Topic:
    return Topic(node_id=NodeId(fact.record_id), summary=statement(fact), context="", keywords=())
