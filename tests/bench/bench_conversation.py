"""How clusters of turns fall out by their line, and how much evidence stands in a context of so many tokens.

    python -m tests.bench.bench_conversation [every]

Conversations 0 to 2 of LoCoMo (they lie beside the checkout), fed turn by turn, an utterance a turn, through placing
and summarising, with the local embedder and the offline agents; then each question (of `every` one: 1 all, 3 a third)
is asked. Evidence counts if its whole utterance stands in the context word for word. Beside it: the last turns, and the
best turns by themselves, as many as the same budget holds.

What `Thresholds.cluster` of the local embedder was chosen by: a line of 0.35 gives a median of 17 turns a cluster, 0.38
of 10, 0.4 of 3, with a tail of full clusters below it and of single turns above.
"""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean, median

from core.agents.offline.remembering import summary
from core.aggregate.aggregate import Tuning
from core.aggregate.change import Change
from core.context.budget import assemble
from core.context.conversing import conversation_sections, input_section, turn_item
from core.context.lines import one_line
from core.context.words import ENGLISH
from core.conversation.conversation import Conversation, joined
from core.conversation.kind import CONVERSATION
from core.conversation.mid import placings
from core.conversation.recalling import recall
from core.conversation.search import search_turns
from core.conversation.steps import ConversationPut, MidPut, Step, TurnAdd
from core.conversation.stretches import next_owed, put_summary, turns_of
from core.conversation.telling import id_of
from core.ids import ChangeId
from core.model.conversation import Summary, Tiers, Turn
from core.model.vector import Vector
from core.ports.embedder import Embedder
from core.text.tokens import estimate
from core.usecases.conversation.tending import passages_of, unit_of
from core.verbatim.query import Query
from core.verbatim.structure import Structure
from service.adapters.cached_embedder import CachedEmbedder
from service.adapters.local_embedder import LocalEmbedder
from service.evaluation.locomo import read
from service.evaluation.sets import World
from service.settings.retrieval import StructureSection
from tests.support.changes import START
from tests.support.conversations import record, turn

CONVERSATIONS = Path(__file__).parents[3] / "shared/data/locomo_dev.json"
BUDGETS = (1_000, 2_000, 4_000)
LINES = (0.2, 0.3, 0.35, 0.38, 0.4, 0.45, 0.5, 0.6)
ABLATIONS = (
    (0.38, 3, True),
    (0.38, 0, True),
    (0.38, 6, True),
    (0.38, 3, False),
    (0.3, 3, True),
    (0.5, 3, True),
)
STRUCTURE = Structure(**dict(StructureSection()))
ALPHA = 0.3
LEAST_TURN = 40  # tokens, as AssembleContext looks for turns


@dataclass(slots=True)
class Told:
    """A world as a conversation: the step of each message, and what it reads."""

    conversation: Conversation
    step_of: dict[str, int]
    lines: dict[str, str]

    def change(self, *steps: Step) -> None:
        head = self.conversation.head
        revision = head.revision + 1
        made = Change(
            change_id=ChangeId(f"g{revision}"),
            parent=head.change_id,
            revision=revision,
            time=START,
            steps=steps,
        )
        self.conversation.apply(made)


async def told(world: World, embedder: Embedder, tiers: Tiers, similarity: float) -> Told:
    """The world fed turn by turn, its tiers brought up to date after each."""
    tuning = Tuning(space=embedder.space.name, dimension=embedder.space.dimension, tiers=tiers)
    first: Change[Step] = Change(
        change_id=ChangeId("g1"),
        parent=None,
        revision=1,
        time=START,
        steps=(ConversationPut(record=record()),),
    )
    made = Told(CONVERSATION.found(first, "u1", tuning), {}, {})
    messages = [(context.event_time or START, m) for context in world.contexts for m in context.messages]
    for step, (time, message) in enumerate(messages, start=1):
        said = turn(step, message.text, at=time, input_speaker=message.speaker)
        made.step_of[message.message_id] = step
        made.lines[message.message_id] = one_line(message.text)
        made.change(TurnAdd(turn=said))
        rows = await embedder.embed_passages(list(made.conversation.lines(said).values()))
        made.conversation.put_vectors("turns", {id_of(step): joined(list(rows))})
        _tended(made, embedder, similarity)
    return made


def _tended(made: Told, embedder: Embedder, similarity: float) -> None:
    conversation = made.conversation
    while True:
        clusters, placed_to = placings(conversation, embedder.space, similarity)
        if not clusters:
            break
        placed = replace(conversation.record, placed_to=placed_to)
        made.change(ConversationPut(record=placed), *(MidPut(cluster=cluster) for cluster in clusters))
    while (owed := next_owed(conversation)) is not None:
        turns = turns_of(conversation, owed.ranges)
        passages = passages_of(turns)
        new = Summary(
            summary_id=owed.summary_id,
            kind=owed.kind,
            ranges=owed.ranges,
            text=summary(passages, conversation.tiers.summary_length, unit_of(passages)),
            start_time=min(each.event_time for each in turns),
            end_time=max(each.event_time for each in turns),
            create_time=START,
        )
        told_of = replace(conversation.record, summarised_to=owed.ranges[-1].last_step)
        made.change(ConversationPut(record=told_of), *put_summary(conversation, new))


def context(
    made: Told, text: str, vector: Vector, budget: int, clusters: int, singles: bool, space: object
) -> str:
    """The prompt of AssembleContext for a question."""
    found = recall(
        made.conversation,
        asked(text, vector),
        space,  # type: ignore[arg-type]
        top_clusters=clusters,
        singles=budget // LEAST_TURN if singles else 0,
    )
    sections = [*conversation_sections(found, ENGLISH), input_section(text, ENGLISH)]
    return assemble(sections, budget, "token_budget").text


def asked(text: str, vector: Vector, top_k: int = 10) -> Query:
    return Query(top_k=top_k, alpha=ALPHA, text=text, vector=vector, structure=STRUCTURE)


def filled(turns: Sequence[Turn], budget: int) -> set[int]:
    """The steps of as many of the turns, in their order, as a budget holds."""
    held: set[int] = set()
    for each in turns:
        budget -= estimate(turn_item(each, ENGLISH).full)
        if budget < 0:
            break
        held.add(each.step)
    return held


async def sweep(worlds: Sequence[World], embedder: Embedder) -> None:
    print("\n| line | clusters | median | mean | of one turn |\n|---|---|---|---|---|")
    for line in LINES:
        sizes: list[int] = []
        for world in worlds:
            made = await told(world, embedder, Tiers(max_clusters=10_000), line)
            sizes += [len(cluster.steps) for cluster in made.conversation.clusters.values()]
        alone = sizes.count(1) / len(sizes)
        print(f"| {line} | {len(sizes)} | {median(sizes):g} | {mean(sizes):.1f} | {alone:.0%} |", flush=True)


async def contexts(worlds: Sequence[World], embedder: Embedder, every: int) -> None:
    head = " | ".join(f"{budget:,}" for budget in BUDGETS)
    print(f"\n| evidence word for word in so many tokens | {head} |\n|---|---|---|---|")
    line, made = -1.0, list[Told]()
    for similarity, clusters, singles in ABLATIONS:
        if similarity != line:
            line, made = similarity, [await told(world, embedder, Tiers(), similarity) for world in worlds]
        shares: dict[int, list[float]] = {budget: [] for budget in BUDGETS}
        for world, each in zip(worlds, made, strict=True):
            for question in [q for q in world.questions if not q.apart][::every]:
                (vector,) = await embedder.embed_queries([question.text])
                for budget in BUDGETS:
                    shown = one_line(
                        context(each, question.text, vector, budget, clusters, singles, embedder.space)
                    )
                    shares[budget].append(mean(each.lines[m] in shown for m in question.evidence))
        name = f"line {similarity}, {clusters} clusters{'' if singles else ', no single turns'}"
        _row(name, shares)
    await _others(worlds, made, embedder, every)


async def _others(worlds: Sequence[World], made: Sequence[Told], embedder: Embedder, every: int) -> None:
    newest: dict[int, list[float]] = {budget: [] for budget in BUDGETS}
    best: dict[int, list[float]] = {budget: [] for budget in BUDGETS}
    for world, each in zip(worlds, made, strict=True):
        backwards = each.conversation.newest(len(each.conversation.turns))[::-1]
        for question in [q for q in world.questions if not q.apart][::every]:
            (vector,) = await embedder.embed_queries([question.text])
            query = asked(question.text, vector, top_k=BUDGETS[-1] // LEAST_TURN)
            hits = [hit.turn for hit in search_turns(each.conversation, query, embedder.space)]
            for budget in BUDGETS:
                for shares, turns in ((newest, backwards), (best, hits)):
                    held = filled(turns, budget)
                    shares[budget].append(mean(each.step_of[m] in held for m in question.evidence))
    _row("the last turns", newest)
    _row("the best turns by themselves", best)


def _row(name: str, shares: dict[int, list[float]]) -> None:
    print(f"| {name} | {' | '.join(f'{mean(of):.3f}' for of in shares.values())} |", flush=True)


async def main(every: int) -> None:
    worlds = read(CONVERSATIONS.read_text(encoding="utf-8")).worlds
    inner = LocalEmbedder.open(passage_threads=2)
    embedder = CachedEmbedder(inner, queries=10_000, passages=10_000)
    await contexts(worlds, embedder, every)
    await sweep(worlds, embedder)
    inner.close()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1))
