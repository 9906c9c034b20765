"""Memorizes worlds, asks their questions by several methods, and notes where the evidence came.

Law: the use cases behind the API do the work. A world is a bank of its own; all methods ask the same bank, at
the same revision. A hit that is a node stands for all messages it summarises. The clock is read around the
search alone: the vectors of questions are made before, and timed by themselves.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.bank.query import Hit, Target
from core.bank.scoring import Mode
from core.bank.structure import COMPONENTS, Structure
from core.context.prompt import one_line
from core.ids import BankId, BankKey, SegmentRef, Tenant
from core.usecases.augment import Augment, augment
from core.usecases.create_bank import CreateBank, create_bank
from core.usecases.house import House
from core.usecases.memorize import Memorize, memorize
from core.usecases.search import Ask, Searches, run_searches
from service.evaluation.figures import BUDGETS, DEPTHS, Outcome
from service.evaluation.sets import EvaluationSet, Question, World

TENANT = Tenant("evaluation")
DEEPEST = max(DEPTHS)
TOKENS_A_HIT = 40  # the least a memory takes in a prompt: so many are looked for that they would fill it

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A way to ask, by the name that tables call it."""

    name: str
    mode: Mode = Mode.HYBRID
    target: Target = Target.SEGMENTS
    structure: Structure | None = Structure()  # None: as configured


STRUCTURED = "hybrid + structure"
METHODS = (
    Method(name="words (BM25)", mode=Mode.ATTRIBUTE),
    Method(name="meaning (cosine)", mode=Mode.EMBEDDING),
    Method(name="hybrid"),
    Method(name=STRUCTURED, structure=None),
    Method(name="hybrid, nodes", target=Target.NODES),
    Method(name="hybrid, both", target=Target.BOTH),
)


def ablation(shipped: Structure) -> tuple[Method, ...]:
    """The configured structure, each of its parts left out, each of them alone, and none."""
    parts = [name for name in (*COMPONENTS, "diversity", "conflicts") if getattr(shipped, name)]
    off = {name: type(getattr(shipped, name))(0) for name in parts}
    return (
        Method(name=STRUCTURED, structure=shipped),
        *(Method(name=f"without {name}", structure=replace(shipped, **{name: off[name]})) for name in parts),
        *(
            Method(name=f"{name} alone", structure=replace(Structure(), **{name: getattr(shipped, name)}))
            for name in parts
        ),
        Method(name="none (hybrid)"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What came of asking a set. `outcomes` by method, in the order of the set's questions; seconds."""

    chosen: EvaluationSet
    outcomes: Mapping[str, Sequence[Outcome]]
    searching: Mapping[str, Sequence[float]]
    embedding: Sequence[float]
    memorizing: float


@dataclass(slots=True)
class _Notes:
    """Being written while a set is asked."""

    outcomes: dict[str, list[Outcome]]
    searching: dict[str, list[float]]
    embedding: list[float] = field(default_factory=list)
    memorizing: float = 0.0


@dataclass(frozen=True, slots=True)
class _Asked:
    """A world memorized: its bank, and the message behind every segment."""

    key: BankKey
    message_of: Mapping[SegmentRef, str]
    lines: Mapping[str, str]


async def ask_set(
    house: House,
    chosen: EvaluationSet,
    methods: Sequence[Method],
    *,
    prompts: bool = True,
    progress: Progress = lambda _: None,
) -> Run:
    """Ask every question by every method. Raises what the use cases raise."""
    notes = _Notes(outcomes={m.name: [] for m in methods}, searching={m.name: [] for m in methods})
    for world in chosen.worlds:
        progress(f"{chosen.name}: memorizing {world.world_id} ({world.message_count} messages)")
        began = time.perf_counter()
        asked = await _memorized(house, world)
        notes.memorizing += time.perf_counter() - began
        progress(f"{chosen.name}: asking {world.world_id} ({len(world.questions)} questions)")
        await _ask_world(house, asked, world, methods, notes, prompts)
        await house.banks.delete(asked.key)
    return Run(
        chosen=chosen,
        outcomes=notes.outcomes,
        searching=notes.searching,
        embedding=notes.embedding,
        memorizing=notes.memorizing,
    )


async def _memorized(house: House, world: World) -> _Asked:
    created = await create_bank(house, CreateBank(tenant=TENANT, bank_id=BankId(world.world_id)))
    key = created.result.key
    for context in world.contexts:
        await memorize(house, Memorize(key=key, context=context))
    async with house.banks.reading(key) as bank:
        message_of = {
            segment.ref: segment.message_id
            for interaction_id in bank.tree.interactions
            for segment in bank.tree.segments(interaction_id)
        }
    lines = {m.message_id: one_line(m.text) for context in world.contexts for m in context.messages}
    return _Asked(key, message_of, lines)


async def _ask_world(
    house: House, asked: _Asked, world: World, methods: Sequence[Method], notes: _Notes, prompts: bool
) -> None:
    for question in world.questions:
        began = time.perf_counter()
        await house.embedder.embed_queries([question.text])
        notes.embedding.append(time.perf_counter() - began)
        for method in methods:
            outcome, seconds = await _ask(house, asked, question, method, prompts)
            notes.outcomes[method.name].append(outcome)
            notes.searching[method.name].append(seconds)


async def _ask(
    house: House, asked: _Asked, question: Question, method: Method, prompts: bool
) -> tuple[Outcome, float]:
    ask = Ask(
        text=question.text,
        top_k=DEEPEST,
        mode=method.mode,
        target=method.target,
        structure=method.structure,
        hops=0,
    )
    began = time.perf_counter()
    answers = await run_searches(house, Searches(key=asked.key, asks=(ask,)))
    seconds = time.perf_counter() - began
    found = [_messages(asked, hit) for hit in answers.answers[0].found.hits]
    in_prompt = []
    for budget in BUDGETS if prompts else ():
        in_prompt.append(await _all_in_prompt(house, asked, question, method, budget))
    return outcome(question, found, tuple(in_prompt)), seconds


def outcome(question: Question, found: Sequence[frozenset[str]], in_prompt: tuple[bool, ...] = ()) -> Outcome:
    """What a ranking (the messages behind each hit) means for a question. A message counts where it first came."""
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
        in_prompt=in_prompt,
        breadth=sum(map(len, found)) / len(found) if found else 1.0,
    )


def _messages(asked: _Asked, hit: Hit) -> frozenset[str]:
    if hit.segment is not None:
        return frozenset((asked.message_of[hit.segment.ref],))
    assert hit.node is not None
    return frozenset(asked.message_of[ref] for ref in hit.node.segments)


async def _all_in_prompt(
    house: House, asked: _Asked, question: Question, method: Method, budget: int
) -> bool:
    """Whether the text of every piece of evidence stands, word for word, in a prompt of so many tokens."""
    made = await augment(
        house,
        Augment(
            key=asked.key,
            query=question.text,
            top_k=budget // TOKENS_A_HIT,
            token_budget=budget,
            mode=method.mode,
            target=method.target,
            structure=method.structure,
        ),
    )
    prompt = one_line(made.prompt)
    return all(asked.lines[message] in prompt for message in question.evidence)
