"""What AssembleContext takes of a processor, beside Augment on the same bank: 600 turns, 500 records, 1,000 nodes.

    OPENBLAS_NUM_THREADS=1 python -m tests.bench.bench_context [--calls 300] [--data FOLDER]

The conversations of LoCoMo that lie beside the checkout fill a bank; the utterances of one of them are the turns of a
conversation, those of others the records of a collection. Their questions are asked of both calls by turns, in one
process, with as many threads as the service has, their vectors at hand. Times are of the processor, so that a busy
machine shows less.
"""

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import numpy as np

from core.ids import BankId, Collection, ConversationId, Tenant, User
from core.keys import BankKey, CollectionKey, ConversationKey
from core.usecases.bank.verbs.add_nodes import AddNodes, NewNode, add_nodes
from core.usecases.bank.verbs.augment import Augment, augment
from core.usecases.bank.verbs.create_bank import CreateBank, create_bank
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.context.asked import AssembleContext
from core.usecases.context.assemble_context import assemble_context
from core.usecases.conversation.verbs.add_turns import AddTurns, NewTurn, add_turns
from core.usecases.house import House
from core.usecases.long_term.verbs.add_record import AddRecord, add_record
from evaluation.locomo import read
from evaluation.sets import World
from service.assembly.bootstrap import open_house
from service.config import load_settings
from tests.bench.bench_conversation import CONVERSATIONS
from tests.bench.measuring import table
from tests.support.long_term import new

TENANT, USER = Tenant("default"), User("ada")
BANK = BankKey(tenant=TENANT, bank_id=BankId("measured"))
TALK = ConversationKey(tenant=TENANT, user=USER, conversation_id=ConversationId("measured"))
FACTS = CollectionKey(tenant=TENANT, user=USER, collection=Collection(""))
TURNS, RECORDS, NODES = 600, 500, 1_000
AT_ONCE = 50
LEAST_FACT = 40  # characters of an utterance that counts as one
BUDGETS = (2_000, 4_000, 16_000)

Part = TypeVar("Part")


async def fill(house: House, worlds: Sequence[World]) -> None:
    """The bank, the conversation and the collection, and all that follows from them."""
    await create_bank(house, CreateBank(tenant=TENANT, bank_id=BANK.bank_id))
    messages = [(c, m) for world in worlds for c in world.contexts for m in c.messages]
    for context in (context for world in worlds for context in world.contexts):
        await memorize(house, Memorize(key=BANK, context=replace(context, interaction_id=None)))
    async with house.banks.reading(BANK) as bank:
        left = NODES - len(bank.nodes)
    nodes = [NewNode(summary=m.text, verbatim=m.text, event_time=c.event_time) for c, m in messages[:left]]
    for part in _portions(nodes):
        await add_nodes(house, AddNodes(key=BANK, nodes=tuple(part)))
    turns = [
        NewTurn(input=m.text, reply="", input_speaker=m.speaker, event_time=c.event_time)
        for c, m in messages[-TURNS:]
    ]
    for some in _portions(turns):
        await add_turns(house, AddTurns(key=TALK, collection=FACTS.collection, turns=tuple(some)))
    texts = list(dict.fromkeys(m.text for _, m in messages if len(m.text) >= LEAST_FACT))
    for text in texts[:RECORDS]:
        await add_record(house, AddRecord(key=FACTS, record=new(text), allow_sensitive=True))
    # Chores follow from changes, and changes from chores.
    while waiting := list(house.chores._running.values()):
        await asyncio.wait(waiting)


def _portions(of: Sequence[Part]) -> Iterator[Sequence[Part]]:
    for start in range(0, len(of), AT_ONCE):
        yield of[start : start + AT_ONCE]


async def compared(house: House, questions: Sequence[str], budget: int) -> list[tuple[str, ...]]:
    """A row for each call: processor milliseconds, and how many times Augment's."""

    def asked(question: str, **sources: Any) -> Awaitable[object]:
        command = AssembleContext(input=question, token_budget=budget, **sources)
        return assemble_context(house, command)

    calls: dict[str, Callable[[str], Awaitable[object]]] = {
        "Augment": lambda q: augment(house, Augment(key=BANK, query=q, token_budget=budget)),
        "context of a conversation": lambda q: asked(q, conversation=TALK),
        "context of all three": lambda q: asked(q, conversation=TALK, collection=FACTS, bank=BANK),
    }
    took: dict[str, list[float]] = {name: [] for name in calls}
    for question in questions:
        await house.embedder.embed_queries([question])
        for name, call in calls.items():
            start = time.thread_time()
            await call(question)
            took[name].append(time.thread_time() - start)
    base = float(np.median(took["Augment"]))
    return [
        (
            f"{budget:,}",
            name,
            *(f"{1e3 * each:.1f}" for each in np.percentile(times, [50, 99])),
            f"{float(np.median(times)) / base:.2f}",
        )
        for name, times in took.items()
    ]


async def main(calls: int, data: Path) -> None:
    worlds = read(CONVERSATIONS.read_text("utf-8")).worlds[:3]
    questions = [q.text for world in worlds for q in world.questions if not q.apart]
    chosen = questions[:: max(1, len(questions) // calls)][:calls]
    filled = (data / "memorybank.sqlite").exists()
    async with open_house(load_settings(None, data_dir=data, conversation={"extract_facts": False})) as house:
        if not filled:
            await fill(house, worlds)
        rows = [row for budget in BUDGETS for row in await compared(house, chosen, budget)]
    print(table(("budget", "call", "p50 ms", "p99 ms", "x Augment"), rows))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=300)
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        asyncio.run(main(options.calls, options.data or Path(folder)))
