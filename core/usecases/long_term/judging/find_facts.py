"""What the Extractor finds in some passages, checked, as facts that can be kept.

Law: every fact passes core's own checks. One that holds something sensitive is withheld, and counted.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.agents.faithful import problem_of_candidate
from core.agents.memory_roles import MOST_CANDIDATES, MOST_KNOWN, Candidate, Passage, PassageKind
from core.agents.offline.thinking import think
from core.agents.usage import Ledger
from core.errors import CollectionNotFound
from core.ids import ConversationId, InvocationId, RecordId
from core.keys import CollectionKey
from core.long_term.ranking import RecordQuery, similarities
from core.long_term.texts import told
from core.model.record import NO_INVOCATION, NO_RECORD, Origin, Record, RecordKind
from core.text.sensitive import ALL, sort_in
from core.usecases.long_term.ports import FindingPorts, RecordPorts
from core.usecases.long_term.reading import looking
from core.usecases.ports import MakingPorts

FIRST_CONFIDENCE = 0.6  # of a fact that was found, at most
LOOKED_FOR = 2_000  # code points of the passages by which known facts are found


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where passages come from."""

    name: str
    conversation_id: ConversationId
    invocation_id: InvocationId = NO_INVOCATION


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsFound:
    """`doubtful`: what is a fact only if another conversation says so, too."""

    facts: tuple[Record, ...] = ()
    doubtful: tuple[Record, ...] = ()
    withheld: int = 0


async def find_facts(
    ports: FindingPorts, ledger: Ledger, key: CollectionKey, source: Source, passages: Sequence[Passage]
) -> FactsFound:
    """Raises AgentUnavailable, AgentReplyInvalid, BudgetSpent."""
    if not any(map(_may_teach, passages)):
        return FactsFound()
    known = await _known(ports, key, passages)
    with ledger.spending("extractor"):
        found = await ports.memory_agents.extractor.extract(passages, known)
    harmless, withheld = await think(_checked, found[:MOST_CANDIDATES], passages)
    facts, doubtful = (
        tuple(_record(ports, source, one, passages) for one in harmless if one.is_doubtful is is_so)
        for is_so in (False, True)
    )
    return FactsFound(facts=facts, doubtful=doubtful, withheld=withheld)


def _may_teach(passage: Passage) -> bool:
    return passage.kind is not PassageKind.REPLY and not passage.is_known


def _checked(found: Sequence[Candidate], passages: Sequence[Passage]) -> tuple[list[Candidate], int]:
    """Returns those that the passages bear out and that hold nothing sensitive; and how many of the others hold
    something sensitive."""
    sound = [one for one in found if not problem_of_candidate(one, passages)]
    harmless = [
        one for one in sound if sort_in((one.content, one.context, one.subcategory, one.speaker), ALL) is None
    ]
    return harmless, len(sound) - len(harmless)


async def _known(ports: RecordPorts, key: CollectionKey, passages: Sequence[Passage]) -> list[str]:
    """Returns the known facts that share the most words with the passages."""
    text = "\n".join(passage.text for passage in passages if _may_teach(passage))
    sought = RecordQuery(top_k=MOST_KNOWN, alpha=1.0, now=ports.clock.now(), text=text[:LOOKED_FOR])
    try:
        async with looking(ports, key) as opened:
            collection = opened.collection
            admits = (
                collection.standing.__contains__
                if opened.endless
                else lambda each: each in collection.standing and opened.lasts(collection.records[each])
            )
            similar = similarities(collection, sought, admits, ports.embedder.space)
            order: list[RecordId] = sorted(similar, key=lambda record_id: (-similar[record_id], record_id))
            return [told(collection.records[record_id]) for record_id in order[:MOST_KNOWN]]
    except CollectionNotFound:
        return []


def _record(ports: MakingPorts, source: Source, candidate: Candidate, passages: Sequence[Passage]) -> Record:
    cited = [passage for passage in passages if passage.number in candidate.passages]
    now = ports.clock.now()
    stated = max((p.event_time for p in cited if p.event_time is not None), default=now)
    return Record(
        record_id=NO_RECORD,
        kind=RecordKind.FACT,
        category=candidate.category,
        subcategory=candidate.subcategory,
        content=candidate.content,
        speaker=candidate.speaker,
        said_dates=candidate.said_dates,
        context=candidate.context,
        confidence=min(candidate.confidence, FIRST_CONFIDENCE),
        event_time=min(stated, now),
        create_time=now,
        update_time=now,
        valid_from=min(stated, now),
        source=source.name,
        origin=_origin(cited),
        conversation_id=source.conversation_id,
        steps=tuple(sorted({passage.step for passage in cited if passage.step})),
        invocation_id=source.invocation_id,
        writer=next((passage.writer for passage in cited if passage.writer), ""),
    )


def _origin(cited: Sequence[Passage]) -> Origin:
    """Returns how a fact came to be known: it is the user's statement where every input that it rests on is."""
    if any(passage.kind is PassageKind.TOOL_RESULT for passage in cited):
        return Origin.OBSERVED
    return Origin.STATED if all(passage.stated for passage in cited) else Origin.STORED
