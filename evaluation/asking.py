"""Memorizes worlds, asks their questions by several methods, and notes where the evidence came.

Law: the use cases behind the API do the work. A world is a bank of its own; all methods ask the same bank, at
the same revision. A hit that is a node stands for all messages it summarises. The clock is read around the
search alone: the vectors of questions are made before, and timed by themselves.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.bank.bank import Bank
from core.bank.query import Hit
from core.context.lines import one_line
from core.ids import BankId, NodeId, Tenant
from core.keys import BankKey
from core.usecases.bank.verbs.create_bank import CreateBank, create_bank
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.bank.verbs.search import Ask, Searches, run_searches
from core.usecases.house import House
from evaluation.figures import DEPTHS, Outcome, Standing
from evaluation.methods import Method
from evaluation.pacing import Progress, Stopwatch, Took
from evaluation.prompts import MemorizedWorld, standings
from evaluation.sets import EvaluationSet, Question, World

TENANT = Tenant("evaluation")
DEEPEST = max(DEPTHS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What came of asking a set. `outcomes` and times by method, in the order of the set's questions; `memorizing`
    in seconds."""

    chosen: EvaluationSet
    outcomes: Mapping[str, Sequence[Outcome]]
    searching: Mapping[str, Sequence[Took]]
    embedding: Sequence[Took]
    memorizing: float


@dataclass(slots=True)
class _Notes:
    """Being written while a set is asked."""

    outcomes: dict[str, list[Outcome]]
    searching: dict[str, list[Took]]
    embedding: list[Took] = field(default_factory=list)
    memorizing: float = 0.0


async def ask_set(
    house: House,
    chosen: EvaluationSet,
    methods: Sequence[Method],
    *,
    prompts: bool = True,
    progress: Progress | None = None,
) -> Run:
    """Asks every question by every method, prompts of those that count. Raises what the use cases raise, of prompts
    that cannot be so small aside."""
    progress = progress or Progress()
    notes = _Notes(outcomes={m.name: [] for m in methods}, searching={m.name: [] for m in methods})
    for world in chosen.worlds:
        progress.began(f"{chosen.name}: memorizing {world.world_id} ({world.message_count} messages)")
        began = time.perf_counter()
        asked = await memorized(house, world, progress)
        notes.memorizing += time.perf_counter() - began
        progress.began(f"{chosen.name}: asking {world.world_id} ({len(world.questions)} questions)")
        for number, question in enumerate(world.questions):
            progress.so_far(f"{chosen.name}: asked {world.world_id}", number, len(world.questions))
            await _ask_all(house, asked, question, methods, notes, prompts and not question.apart)
        await house.banks.delete(asked.key)
    return Run(
        chosen=chosen,
        outcomes=notes.outcomes,
        searching=notes.searching,
        embedding=notes.embedding,
        memorizing=notes.memorizing,
    )


async def memorized(house: House, world: World, progress: Progress) -> MemorizedWorld:
    """Memorizes a world into a bank of its own, and returns it."""
    created = await create_bank(house, CreateBank(tenant=TENANT, bank_id=BankId(world.world_id)))
    key = created.result.key
    for number, context in enumerate(world.contexts):
        progress.so_far(f"memorized {world.world_id}", number, len(world.contexts))
        await memorize(house, Memorize(key=key, context=context))
    lines = {m.message_id: one_line(m.text) for context in world.contexts for m in context.messages}
    async with house.banks.reading(key) as bank:
        return asked_of(key, bank, lines)


def asked_of(key: BankKey, bank: Bank, lines: Mapping[str, str]) -> MemorizedWorld:
    """Returns the places of a question's evidence in a bank whose messages read `lines`."""
    segments = [s for i in bank.tree.interactions for s in bank.tree.segments(i)]
    nodes_of: dict[str, frozenset[NodeId]] = {}
    for segment in segments:
        before = nodes_of.get(segment.message_id, frozenset())
        handles = (NodeId(bank.handles.of(node_id)) for node_id in segment.node_ids)
        nodes_of[segment.message_id] = before.union(segment.node_ids, handles)
    return MemorizedWorld(
        key=key,
        message_of={segment.ref: segment.message_id for segment in segments},
        lines=lines,
        nodes_of=nodes_of,
    )


async def _ask_all(
    house: House,
    asked: MemorizedWorld,
    question: Question,
    methods: Sequence[Method],
    notes: _Notes,
    prompts: bool,
) -> None:
    watch = Stopwatch()
    await house.embedder.embed_queries([question.text])
    notes.embedding.append(watch.took())
    for method in methods:
        found, took = await _search(house, asked, question, method)
        stands = await standings(house, asked, question, method) if prompts else ()
        notes.outcomes[method.name].append(outcome(question, found, stands))
        notes.searching[method.name].append(took)


async def _search(
    house: House, asked: MemorizedWorld, question: Question, method: Method
) -> tuple[list[frozenset[str]], Took]:
    """Returns the messages behind each hit, and how long the search took."""
    ask = Ask(
        text=question.text,
        top_k=DEEPEST,
        alpha=method.alpha,
        mode=method.mode,
        target=method.target,
        structure=method.structure,
        hops=0,
        skip_reranker=not method.reranked,
    )
    watch = Stopwatch()
    answers = await run_searches(house, Searches(key=asked.key, asks=(ask,)))
    took = watch.took()
    return [_messages(asked, hit) for hit in answers.answers[0].found.hits], took


def outcome(
    question: Question, found: Sequence[frozenset[str]], prompts: tuple[Standing | None, ...] = ()
) -> Outcome:
    """Returns the outcome of a ranking (the messages behind each hit) for a question. A message counts where it
    first came."""
    rank_of: dict[str, int] = {}
    for rank, messages in enumerate(found, start=1):
        for message in messages:
            rank_of.setdefault(message, rank)
    beyond = len(found) + 1
    ranks = sorted(rank_of[message] for message in question.evidence if message in rank_of)
    negative = min((rank_of.get(message, beyond) for message in question.hard_negatives), default=None)
    return Outcome(
        ranks=tuple(ranks),
        needed=len(question.evidence),
        negative_first=None if negative is None else negative < min(ranks, default=beyond),
        prompts=prompts,
        breadth=sum(map(len, found)) / len(found) if found else 1.0,
    )


def _messages(asked: MemorizedWorld, hit: Hit) -> frozenset[str]:
    if hit.segment is not None:
        return frozenset((asked.message_of[hit.segment.ref],))
    assert hit.node is not None
    return frozenset(asked.message_of[ref] for ref in hit.node.segments)
