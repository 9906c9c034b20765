"""RetrieveMemories: records of any kind, looked for where the query's intent and domain lead.

Law: routing never costs recall. Everything is searched where the domain is not sure, where the route leads to fewer
than wanted, and where something beside the route answers better than the route's best.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from core.agents.recall_roles import SURE, RouteOpinion
from core.errors import AgentReplyInvalid
from core.keys import CollectionKey
from core.long_term.ranking import RankedRecord, RecordQuery, admitting, ranked
from core.long_term.routing import Layer, Route, leads_to
from core.model.record import Record, RecordState, Reflection, Uses
from core.usecases.long_term.embed_records import embed_records
from core.usecases.long_term.ports import RankingPorts, RecordPorts, RoutingPorts
from core.usecases.long_term.reading import OpenCollection, retrieving
from core.usecases.long_term.verbs.list_records import ALL, RecordFilter
from core.usecases.long_term.verbs.retrieve_facts import RecordsFound, used
from core.usecases.room import ROOM, fitted, weight

MOST_REFLECTIONS = 5
MOST_EMBEDDED = 32  # of what a search waits for


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieveMemories:
    """`route`: None lets the Router decide. `strict`: it is never widened. `wait`: what has no vector
    yet gets it first."""

    key: CollectionKey
    query: str
    route: Route | None = None
    top_k: int | None = None
    observe: bool = False
    filter: RecordFilter = ALL
    strict: bool = False
    wait: bool = False
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoriesFound:
    found: tuple[tuple[RankedRecord, Uses | None], ...]
    reflections: tuple[Reflection, ...]
    route: Route
    revision: int
    truncated: bool = False  # one message does not hold all


async def retrieve_memories(ports: RoutingPorts, command: RetrieveMemories) -> MemoriesFound:
    """Raises AgentUnavailable, AgentReplyInvalid, EmbedderUnavailable, RevisionNotReached."""
    route = command.route or await _routed(ports, command)
    vector = (await ports.embedder.embed_queries([command.query]))[0]
    if command.wait:
        await _embed(ports, command)
    async with retrieving(ports, command.key, command.min_revision) as opened:
        if opened is None:
            return MemoriesFound(found=(), reflections=(), route=route, revision=0)
        sought = RecordQuery(
            top_k=command.top_k or ports.settings.long_term.top_memories,
            alpha=ports.settings.retrieval.alpha,
            now=opened.now,
            text=command.query,
            vector=vector,
        )
        route, best = _looked(ports, opened, sought, route, command)
        records = used(ports, opened, None if command.observe else command.key, best)
        reflections = (
            reflections_over(opened, [one.record for one in best]) if Layer.L3 in route.layers else ()
        )
        shown = _beside(records, reflections)
        return MemoriesFound(
            found=records.found,
            reflections=shown,
            route=route,
            revision=records.revision,
            truncated=records.truncated or len(shown) < len(reflections),
        )


async def _embed(ports: RecordPorts, command: RetrieveMemories) -> None:
    async with retrieving(ports, command.key, command.min_revision) as opened:
        if opened is None:
            return
        collection = opened.collection
        admitted = (
            key
            for key in reversed(collection.wanting)
            if command.filter.admits(collection, collection.records[key])
        )
        wanting = list(islice(admitted, MOST_EMBEDDED))
    if wanting:
        await embed_records(ports, command.key, wanting)


def _beside(records: RecordsFound, reflections: Sequence[Reflection]) -> tuple[Reflection, ...]:
    """Returns the first reflections that the message holds beside the records."""
    left = ROOM - weight([record for record, _ in records.found])
    return tuple(reflections[: fitted(map(weight, reflections), left)])


async def _routed(ports: RoutingPorts, command: RetrieveMemories) -> Route:
    """Returns the Router's route; its cost goes to observers, and is not stored: a read changes nothing."""
    with ports.workshop.ledger(command.key).spending("router"):
        return _route(await ports.recall_agents.router.route(command.query))


def _route(opinion: RouteOpinion) -> Route:
    """Returns the route; a domain that is not sure is none. Raises AgentReplyInvalid."""
    if not 0.0 <= opinion.confidence <= 1.0:
        raise AgentReplyInvalid("router", f"a confidence lies in [0, 1], not at {opinion.confidence}")
    categories = opinion.categories if opinion.confidence >= SURE else ()
    return Route(intent=opinion.intent, categories=categories, layers=opinion.layers)


def _looked(
    ports: RankingPorts, opened: OpenCollection, sought: RecordQuery, route: Route, command: RetrieveMemories
) -> tuple[Route, list[RankedRecord]]:
    """Returns the best along the route, or of everything, and which it was."""

    chosen = command.filter.chosen(opened.collection)

    def search(taken: Route) -> list[RankedRecord]:
        def allowed(record: Record) -> bool:
            return (
                (chosen is None or record.record_id in chosen)
                and record.state is not RecordState.SUPERSEDED
                and leads_to(taken, record)
                and opened.lasts(record)
            )

        return ranked(
            opened.collection,
            sought,
            admitting(opened.collection, allowed),
            ports.embedder.space,
            ports.settings.long_term,
        )

    if command.strict:
        return route, search(route)
    widened = replace(route, widened=True)
    everything = search(widened)
    if not route.categories or route.widened:
        return widened, everything
    routed = search(route)
    answering = sum(one.score > 0.0 for one in routed)
    if answering < sought.top_k or everything[0].score > routed[0].score:
        return widened, everything
    return route, routed


def reflections_over(opened: OpenCollection, records: Sequence[Record]) -> tuple[Reflection, ...]:
    """Returns those over what was found, newest first."""
    found = {record.record_id for record in records}
    over = [
        r for r in opened.collection.reflections.values() if r.text and not found.isdisjoint(r.record_ids)
    ]
    over.sort(key=lambda r: (r.update_time, r.reflection_id), reverse=True)
    return tuple(over[:MOST_REFLECTIONS])
