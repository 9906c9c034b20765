"""How much evidence stands in a context of so many tokens, and how clusters of turns fall out by their line.

    python -m tests.bench.bench_conversation [locomo] [talks] [lines] [--every 3] [--embedder light]

`locomo`: conversations 0 to 2 of LoCoMo (they lie beside the checkout), fed turn by turn, an utterance a turn, through
placing and summarising, with the local embedder and the offline agents, five keys each as a user would note them; then
each question (of `every` one: 1 all, 3 a third) is asked. `talks`: two conversations of 100 turns each with an agent,
the same in Chinese and in English. A question counts if the whole of its evidence stands in the context word for word.
Beside it: the last turns, and the best turns by themselves, as many as the same budget holds.

`lines`: how many clusters there are by the line above which a turn joins one, and how large they are.
"""

import argparse
import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from statistics import mean, median

from core.agents.offline.summarising import summary
from core.aggregate.aggregate import Tuning
from core.aggregate.change import Change
from core.context.budget import assemble
from core.context.conversing import conversation_sections, input_section, key_section, recorded_section
from core.context.evidence import placed
from core.context.lines import one_line
from core.context.sections import Assembly
from core.context.turns import turn_item
from core.conversation.conversation import Conversation
from core.conversation.kind import CONVERSATION
from core.conversation.mid import placings
from core.conversation.recalling import recall
from core.conversation.search import search_turns
from core.conversation.steps import ConversationPut, MidPut, Step, TurnAdd
from core.conversation.stretches import next_owed, put_summary, turns_of
from core.conversation.telling import id_of
from core.conversation.turn_vectors import joined
from core.ids import ChangeId
from core.language import language_of
from core.language.en.headings import CONTEXT as ENGLISH
from core.model.bank import EmbeddingSpace
from core.model.conversation import KeyMemory, KeyType, Summary, Tiers, Turn
from core.model.vector import Vector
from core.ports.embedder import Embedder
from core.text.tokens import estimate
from core.usecases.bank.record import Message
from core.usecases.context.turn_evidence import source_of, talk_of
from core.usecases.conversation.tiers.tending import passages_of, unit_of
from core.verbatim.measuring import words_of
from core.verbatim.query import Query
from core.verbatim.structure import Structure
from evaluation import documented
from evaluation.locomo import read
from evaluation.sets import World
from service.adapters.cached_embedder import CachedEmbedder
from service.adapters.local_embedder import LocalEmbedder
from service.adapters.use_embedder import UseEmbedder
from service.settings.retrieval import StructureSection
from tests.support.changes import START
from tests.support.conversations import record, turn

SETS = Path(__file__).parent / "evaluation"
CONVERSATIONS = Path(__file__).parents[3] / "shared/data/locomo_dev.json"
BUDGETS = (1_000, 2_000, 4_000)
LINES = (0.2, 0.3, 0.35, 0.38, 0.42, 0.45, 0.5, 0.6)
KEYS = {  # by the world's id: what a user would note
    "conv-26": (
        "Caroline and Melanie are close friends.",
        "Caroline wants to work as a counselor, and to adopt a child.",
        "Melanie is married, has children, and loves painting and pottery.",
        "Say when a thing happened, not when it was told.",
        "Keep answers short.",
    ),
    "conv-30": (
        "Jon and Gina are friends; both of them lost their jobs.",
        "Jon is opening a dance studio.",
        "Gina runs an online clothing store.",
        "Say when a thing happened, not when it was told.",
        "Keep answers short.",
    ),
    "conv-41": (
        "John and Maria are friends, and both of them volunteer.",
        "John has a family, and is active in his neighborhood.",
        "Maria helps at a homeless shelter.",
        "Say when a thing happened, not when it was told.",
        "Keep answers short.",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How a context is made: the cluster line, clusters returned, single turns or none, keys or none."""

    line: float = 0.42
    clusters: int = 3
    singles: bool = True
    keys: bool = True

    def __str__(self) -> str:
        without = [name for name in ("singles", "keys") if not getattr(self, name)]
        told = f"line {self.line}, {self.clusters} clusters"
        return f"{told}, no {' and '.join(without)}" if without else told


AS_CONFIGURED = Way()
ABLATIONS = (
    AS_CONFIGURED,
    Way(keys=False),
    Way(clusters=0),
    Way(clusters=6),
    Way(singles=False),
    Way(line=0.3),
    Way(line=0.5),
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
    founding: Change[Step] = Change(
        change_id=ChangeId("g1"),
        parent=None,
        revision=1,
        time=START,
        steps=(ConversationPut(record=record()),),
    )
    made = Told(CONVERSATION.found(founding, "u1", tuning), {}, {})
    for step, (time, said) in enumerate(_turns(world), start=1):
        first, reply = said[0], said[-1] if len(said) > 1 else Message(text="")
        new = turn(
            step,
            first.text,
            reply.text,
            at=time,
            input_speaker=first.speaker,
            reply_speaker=reply.speaker,
        )
        for message in said:
            made.step_of[message.message_id] = step
            made.lines[message.message_id] = one_line(message.text)
        made.change(TurnAdd(turn=new))
        rows = await embedder.embed_passages(list(made.conversation.lines(new).values()))
        made.conversation.put_vectors("turns", {id_of(step): joined(list(rows))})
        _tended(made, embedder, similarity)
    return made


def _turns(world: World) -> list[tuple[datetime, list[Message]]]:
    """The messages of each turn: what an agent says replies to what was said before it."""
    turns: list[tuple[datetime, list[Message]]] = []
    for each in world.contexts:
        for message in each.messages:
            if message.role == "assistant":
                turns[-1][1].append(message)
            else:
                turns.append((each.event_time or START, [message]))
    return turns


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
    made: Told, text: str, vector: Vector, budget: int, way: Way, keys: Sequence[str], space: EmbeddingSpace
) -> Assembly:
    """The prompt of AssembleContext for a question."""
    found = recall(
        made.conversation,
        asked(text, vector),
        space,
        top_clusters=way.clusters,
        singles=budget // LEAST_TURN if way.singles else 0,
    )
    found = replace(found, keys=[_key(number, text) for number, text in enumerate(keys if way.keys else ())])
    words, asked_words = language_of(text).headings, words_of(text)
    talk = talk_of(made.conversation, found, budget)
    placement = placed([source_of(made.conversation, talk, asked_words, vector, space)], asked_words)
    key, now = key_section(found.keys), input_section(text, words)
    room = budget - sum(estimate(item.full) for section in (key, now) for item in section.items)
    recorded = conversation_sections(talk, placement, words, budget, room)
    sections = [key, recorded_section(words, True), *recorded, now]
    return assemble(sections, budget, "token_budget")


def _key(number: int, text: str) -> KeyMemory:
    return KeyMemory(
        key_id=f"k{number}", type=KeyType.USER, text=text, create_time=START, update_time=START, revision=1
    )


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


UNFOLDED = Tiers(max_clusters=10_000, summary_every=1_000_000)


async def sweep(worlds: Sequence[World], embedder: Embedder) -> None:
    print("\n| line | clusters | median | mean | of one turn |\n|---|---|---|---|---|")
    for line in LINES:
        sizes: list[int] = []
        for world in worlds:
            made = await told(world, embedder, UNFOLDED, line)
            sizes += [len(cluster.steps) for cluster in made.conversation.clusters.values()]
        alone = sizes.count(1) / len(sizes)
        print(f"| {line} | {len(sizes)} | {median(sizes):g} | {mean(sizes):.1f} | {alone:.0%} |", flush=True)


async def contexts(worlds: Sequence[World], embedder: Embedder, every: int, ways: Sequence[Way]) -> None:
    head = " | ".join(f"{budget:,}" for budget in BUDGETS)
    print(f"\n| all evidence word for word in so many tokens | {head} |\n|---|---|---|---|")
    line, made = -1.0, list[Told]()
    for way in ways:
        if way.line != line:
            line, made = way.line, [await told(world, embedder, Tiers(), line) for world in worlds]
        await _share(worlds, made, embedder, every, way)
    await _others(worlds, made, embedder, every)


async def _share(
    worlds: Sequence[World], made: Sequence[Told], embedder: Embedder, every: int, way: Way
) -> None:
    shares: dict[int, list[bool]] = {budget: [] for budget in BUDGETS}
    taken: dict[int, Counter[str]] = {budget: Counter() for budget in BUDGETS}
    for world, each in zip(worlds, made, strict=True):
        for question in [q for q in world.questions if not q.apart][::every]:
            (vector,) = await embedder.embed_queries([question.text])
            for budget in BUDGETS:
                keys = KEYS.get(world.world_id, ())
                found = context(each, question.text, vector, budget, way, keys, embedder.space)
                taken[budget].update({section.name: section.tokens for section in found.sections})
                shown = one_line(found.text)
                shares[budget].append(all(each.lines[m] in shown for m in question.evidence))
    _row(str(way), shares)
    if way == AS_CONFIGURED:
        asked_of = len(shares[BUDGETS[0]])
        print(f"  of {asked_of} questions; tokens by section: ", end="")
        print("; ".join(f"{b:,}: {_by_section(taken[b], asked_of)}" for b in BUDGETS))


def _by_section(taken: Counter[str], count: int) -> str:
    return ", ".join(f"{name} {tokens / count:.0f}" for name, tokens in taken.items())


async def _others(worlds: Sequence[World], made: Sequence[Told], embedder: Embedder, every: int) -> None:
    newest: dict[int, list[bool]] = {budget: [] for budget in BUDGETS}
    best: dict[int, list[bool]] = {budget: [] for budget in BUDGETS}
    for world, each in zip(worlds, made, strict=True):
        backwards = each.conversation.newest(len(each.conversation.turns))[::-1]
        for question in [q for q in world.questions if not q.apart][::every]:
            (vector,) = await embedder.embed_queries([question.text])
            query = asked(question.text, vector, top_k=BUDGETS[-1] // LEAST_TURN)
            hits = [hit.turn for hit in search_turns(each.conversation, query, embedder.space)]
            for budget in BUDGETS:
                for shares, turns in ((newest, backwards), (best, hits)):
                    held = filled(turns, budget)
                    shares[budget].append(all(each.step_of[m] in held for m in question.evidence))
    _row("the last turns", newest)
    _row("the best turns by themselves", best)


def _row(name: str, shares: dict[int, list[bool]]) -> None:
    print(f"| {name} | {' | '.join(f'{mean(of):.3f}' for of in shares.values())} |", flush=True)


async def main(parts: Sequence[str], every: int, embedder_kind: str) -> None:
    worlds = read(CONVERSATIONS.read_text(encoding="utf-8")).worlds
    inner = EMBEDDERS[embedder_kind](passage_threads=2)
    embedder = CachedEmbedder(inner, queries=10_000, passages=10_000)
    if "locomo" in parts:
        await contexts(worlds, embedder, every, ABLATIONS)
    for language in ("zh", "en") if "talks" in parts else ():
        talks = documented.read((SETS / f"talks_{language}.json").read_text(encoding="utf-8")).worlds
        print(f"\ntalks, {language}")
        await contexts(talks, embedder, 1, [AS_CONFIGURED])
    if "lines" in parts:
        await sweep(worlds, embedder)
    inner.close()


PARTS = ("locomo", "talks", "lines")
EMBEDDERS: Mapping[str, Callable[..., LocalEmbedder | UseEmbedder]] = {
    "local": LocalEmbedder.open,
    "light": UseEmbedder,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", default=PARTS, choices=(*PARTS, []))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--embedder", default="local", choices=EMBEDDERS)
    options = parser.parse_args()
    asyncio.run(main(options.parts, options.every, options.embedder))
