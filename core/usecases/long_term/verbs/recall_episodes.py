"""RecallEpisodes: what was tried before, like a query, and like the state of affairs."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.context.repeating import told_once
from core.ids import RecordId
from core.keys import CollectionKey
from core.long_term.ranking import RankedRecord, RecordQuery, admitting, best, similarities, weighed
from core.model.record import Record, RecordKind
from core.usecases.long_term.ports import RankingPorts, RetrievalPorts
from core.usecases.long_term.reading import OpenCollection, retrieving
from core.usecases.long_term.verbs.retrieve_facts import NOTHING, RecordsFound, used

TWICE = 2  # as many are looked for as are wanted: a conversation and a run of it may tell the same


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallEpisodes:
    key: CollectionKey
    query: str
    state: str = ""
    top_k: int | None = None
    observe: bool = False
    min_revision: int = 0


async def recall_episodes(ports: RetrievalPorts, command: RecallEpisodes) -> RecordsFound:
    """Returns episodes by the mean of their similarity to the query and to the state, if one is given; none of a
    conversation whose runs are found themselves. Raises EmbedderUnavailable, RevisionNotReached."""
    texts = [text for text in (command.query, command.state) if text]
    vectors = await ports.embedder.embed_queries(texts)
    async with retrieving(ports, command.key, command.min_revision) as opened:
        if opened is None:
            return NOTHING
        top_k = command.top_k or ports.settings.long_term.top_episodes
        sought = [
            RecordQuery(
                top_k=TWICE * top_k,
                alpha=ports.settings.retrieval.alpha,
                now=opened.now,
                text=text,
                vector=vector,
            )
            for text, vector in zip(texts, vectors, strict=True)
        ]
        found = {one.record.record_id: one for one in alike(ports, opened, sought, TWICE * top_k)}
        once = told_once([one.record for one in found.values()], top_k)
        return used(
            ports,
            opened,
            None if command.observe else command.key,
            [found[record.record_id] for record in once],
        )


def alike(
    ports: RankingPorts, opened: OpenCollection, sought: Sequence[RecordQuery], top_k: int
) -> list[RankedRecord]:
    """Returns the best episodes by their mean similarity to all that is sought."""

    def allowed(record: Record) -> bool:
        return record.kind is RecordKind.EPISODE and opened.lasts(record)

    if not opened.collection.episodes:
        return []
    sums: dict[RecordId, float] = {}
    for one in sought:
        admits = admitting(opened.collection, allowed)
        found = similarities(opened.collection, one, admits, ports.embedder.space)
        for key, similarity in found.items():
            sums[key] = sums.get(key, 0.0) + similarity / len(sought)
    return best(weighed(opened.collection, sums, opened.now, ports.settings.long_term), top_k)
