"""How well the offline Judge alone tells conflicts and merges, apart from the write path around it.

Five tables: the worlds of `bench_memory_update`, judged role by role (a new fact against all facts
before it, every second world apart, so that thresholds tuned on one half can be checked on the
other); all their facts as one crowd, each against its nearest eight predecessors, then what
contradicts one of them against its nearest eight (the rules were chosen on this set); false alarms
on dialogues (each turn against its nearest eight predecessors); false alarms on a document's
sentences; whole documents and dialogues memorized, each into a bank of its own: the conflicts (none
of these texts contradicts itself), the edges, the seconds. Reads `shared` beside the checkout;
`--misses` lists what went wrong; `--documents` measures the last table alone, of the documents whose
names begin with the words that follow.

    python -m tests.bench.bench_judge [--misses] [--documents [NAME …]]
"""

import asyncio
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

import numpy as np

from core.agents.offline.agents import offline_agents
from core.agents.offline.judge import OfflineJudge
from core.agents.roles import ConflictOpinion, Topic
from core.bank.bank import Bank
from core.ids import BankId, NodeId, Tenant
from core.keys import BankKey
from core.model.vector import Vector
from core.ports.embedder import Embedder
from core.text import sentences
from core.usecases.bank.record import Context
from core.usecases.bank.verbs.create_bank import CreateBank, create_bank
from core.usecases.bank.verbs.memorize import Memorize, memorize
from evaluation.contradictions import read_letta
from evaluation.sets import Case
from service.adapters.cached_embedder import CachedEmbedder
from service.adapters.local_embedder import LocalEmbedder
from tests.bench.bench_memory_update import DATA
from tests.support.embedders import local_comparer
from tests.support.house import open_house

SHARED = DATA.parents[1]
NEAREST = 8
FACTS = 10
MOST_CITED = 2  # the contradicted fact and one more


@dataclass(slots=True)
class Tally:
    questions: int = 0
    right: int = 0
    facts: int = 0
    false: int = 0
    merges: int = 0
    misses: list[str] = field(default_factory=list)

    def row(self, label: str) -> str:
        right, false = self.right / max(1, self.questions), self.false / max(1, self.facts)
        return (
            f"  {label:<12} right {self.right:>3}/{self.questions:<3} = {right:.3f}"
            f"   false {self.false:>2}/{self.facts} = {false:.2%}   merges among the facts {self.merges}"
        )


def topic(number: int, text: str) -> Topic:
    return Topic(node_id=NodeId(str(number)), summary=text, context=text, keywords=())


async def judge_world(judge: OfflineJudge, world: Sequence[Case], tally: Tally) -> None:
    """One world's facts once, then each question's contradicting fact against them."""
    facts = [topic(n, fact) for n, fact in enumerate(world[0].world)]
    contested: set[int] = set()
    for number, fact in enumerate(facts):
        for opinion in await judge.conflicts_and_merges(fact, facts[:number]):
            if isinstance(opinion, ConflictOpinion):
                contested |= {number, int(opinion.existing)}
            else:
                tally.merges += 1
    for case in world:
        opinions = await judge.conflicts_and_merges(topic(FACTS, case.contradicting), facts)
        cited = {int(one.existing) for one in opinions if isinstance(one, ConflictOpinion)}
        right = bool(cited & case.contradicted) and len(cited) <= MOST_CITED
        tally.questions += 1
        tally.right += right
        tally.facts += len(facts)
        tally.false += len(contested | cited - case.contradicted)
        if not right:
            told = " / ".join(case.world[n] for n in sorted(case.contradicted))
            tally.misses.append(f"{case.contradicting}\n      contradicts: {told}\n      cited: {len(cited)}")


async def worlds(judge: OfflineJudge, misses: bool) -> None:
    halves = {"even worlds": Tally(), "odd worlds": Tally()}
    started = time.perf_counter()
    for number, (_, group) in enumerate(
        groupby(read_letta(DATA.read_text(encoding="utf-8")), key=lambda case: case.world)
    ):
        await judge_world(judge, list(group), halves["odd worlds" if number % 2 else "even worlds"])
    print(f"worlds of ten facts ({time.perf_counter() - started:.1f} s)")
    for label, tally in halves.items():
        print(tally.row(label))
    even, odd = halves.values()
    both = Tally(
        even.questions + odd.questions, even.right + odd.right, even.facts + odd.facts, even.false + odd.false
    )
    both.merges = even.merges + odd.merges
    print(both.row("all"))
    for miss in (*even.misses, *odd.misses) if misses else ():
        print("    missed:", miss)


async def crowd(judge: OfflineJudge, embedder: Embedder, misses: bool) -> None:
    """The facts of all worlds in one: the same things told of many people, which is no conflict."""
    cases = read_letta(DATA.read_text(encoding="utf-8"))
    facts = list(dict.fromkeys(fact for case in cases for fact in case.world))
    vectors = await embedder.embed_passages(facts)

    async def cited(text: str, vector: Vector, before: int) -> set[int]:
        nearest = np.argsort(-(vectors[:before] @ vector), kind="stable")[:NEAREST]
        candidates = [topic(int(n), facts[n]) for n in nearest]
        opinions = await judge.conflicts_and_merges(topic(len(facts), text), candidates)
        return {int(one.existing) for one in opinions if isinstance(one, ConflictOpinion)}

    tally, contested = Tally(questions=len(cases), facts=len(facts)), set[int]()
    for number in range(1, len(facts)):
        found = await cited(facts[number], vectors[number], number)
        contested |= found | ({number} if found else set())
    for case in cases:
        (vector,) = await embedder.embed_passages([case.contradicting])
        found = await cited(case.contradicting, vector, len(facts))
        told = {facts.index(case.world[place]) for place in case.contradicted}
        tally.right += bool(found & told) and len(found) <= MOST_CITED
        if misses and found - told:
            print(f"    false: {case.contradicting} with {[facts[n] for n in found - told]}")
    tally.false = len(contested)
    print("\nall facts in one crowd\n" + tally.row("crowd"))


async def alarms(
    judge: OfflineJudge, embedder: Embedder, label: str, texts: Sequence[str], show: bool
) -> None:
    """Each text against its nearest predecessors: of real prose hardly any should conflict or merge."""
    vectors = await embedder.embed_passages(texts)
    conflicts = merges = 0
    started = time.perf_counter()
    for number in range(1, len(texts)):
        nearest = np.argsort(-(vectors[:number] @ vectors[number]), kind="stable")[:NEAREST]
        candidates = [topic(int(n), texts[n]) for n in nearest]
        opinions = await judge.conflicts_and_merges(topic(number, texts[number]), candidates)
        found = [one for one in opinions if isinstance(one, ConflictOpinion)]
        conflicts += bool(found)
        merges += bool(opinions) and not found
        for one in opinions if show else ():
            kind = "conflict" if isinstance(one, ConflictOpinion) else "merge"
            print(
                f"    {kind}: {texts[number][:120]!r} with {texts[int(one.existing)][:120]!r}: {one.reasoning}"
            )
    each = (time.perf_counter() - started) / len(texts)
    print(
        f"  {label:<24} {len(texts):>5} texts   conflicts {conflicts / len(texts):.2%}"
        f"   merges {merges / len(texts):.2%}   {each * 1e3:.1f} ms a text"
    )


def turns(conversation: dict[str, object]) -> list[str]:
    return [
        f"{turn['speaker']}: {turn['text']}"
        for session in conversation.values()
        if isinstance(session, list)
        for turn in session
    ]


async def memorized(embedder: Embedder, names: Sequence[str], show: bool) -> None:
    """Each document in a bank of its own, clustered, structured and judged as core does."""
    print("\ndocuments and dialogues memorized")
    async with open_house(embedder=embedder, agents=offline_agents(embedder, local_comparer())) as house:
        for name, texts in _whole_texts():
            if names and not name.startswith(tuple(names)):
                continue
            key = BankKey(tenant=Tenant("bench"), bank_id=BankId(name))
            await create_bank(house, CreateBank(tenant=key.tenant, bank_id=key.bank_id))
            started = time.perf_counter()
            for text in texts:
                await memorize(house, Memorize(key=key, context=Context(text=text)))
            seconds = time.perf_counter() - started
            async with house.banks.reading(key) as bank:
                _report(name, bank, seconds, show)


def _report(name: str, bank: Bank, seconds: float, show: bool) -> None:
    degrees = [len(bank.graph.neighbors(node_id)) for node_id in bank.nodes]
    print(
        f"  {name:<24} {len(degrees):>4} nodes   conflicts {len(bank.conflicts)}   edges {sum(degrees) // 2:>4}"
        f"   degree {sum(degrees) / len(degrees):.1f} (at most {max(degrees)}, none {degrees.count(0)})"
        f"   {seconds:.1f} s"
    )
    for conflict in bank.conflicts.values():
        print(f"    conflict: {[side.quote for side in conflict.sides]}")
    for node in bank.nodes.values() if show else ():
        print(f"    {node.context}   [{', '.join(node.keywords)}]")


def _whole_texts() -> Iterator[tuple[str, list[str]]]:
    """Documents, each one text; dialogues, each session a text."""
    for path in [*sorted((SHARED / "seeds").glob("*.txt")), *sorted(SHARED.glob("*.md"))]:
        yield path.stem, [path.read_text(encoding="utf-8")]
    for number, each in enumerate(dialogues()):
        sessions = [part for part in each["conversation"].values() if isinstance(part, list)]
        yield f"dialogue-{number}", ["\n".join(turns({"": session})) for session in sessions]


async def measure(misses: bool) -> None:
    embedder = CachedEmbedder(LocalEmbedder.open(), passages=8192)
    judge = OfflineJudge(embedder, local_comparer())
    await worlds(judge, misses)
    await crowd(judge, embedder, misses)
    print("\nfalse alarms")
    for number, each in enumerate(dialogues()):
        await alarms(judge, embedder, f"dialogue {number}", turns(each["conversation"]), misses)
    for path in documents():
        said = sentences.split(path.read_text(encoding="utf-8"))
        await alarms(judge, embedder, path.stem, said, misses)
    await memorized(embedder, (), misses)


def dialogues() -> list[dict[str, dict[str, object]]]:
    found: list[dict[str, dict[str, object]]] = json.loads(
        (DATA.parent / "locomo_dev.json").read_text(encoding="utf-8")
    )
    return found


def documents() -> list[Path]:
    return [SHARED / "DESIGN.md", *sorted((SHARED / "seeds").glob("00[04]*.txt"))]


async def main() -> None:
    misses = "--misses" in sys.argv
    if not DATA.exists():
        print(f"no data at {DATA}: nothing measured")
    elif "--documents" in sys.argv:
        names = sys.argv[sys.argv.index("--documents") + 1 :]
        embedder = CachedEmbedder(LocalEmbedder.open(), passages=8192)
        await memorized(embedder, [name for name in names if not name.startswith("-")], misses)
    else:
        await measure(misses)


if __name__ == "__main__":
    asyncio.run(main())
