"""What a conversation costs as it grows: adding turns, searching them, contexts, memory, disk, loading it again."""

import time
from collections.abc import Sequence
from pathlib import Path

from memorybank.v1 import conversation_pb2, retrieval_pb2
from tests.bench.bench_overload import ASSEMBLE_CONTEXT
from tests.bench.corpus import BATCH, Corpus
from tests.bench.growth.asked import CALLS, asked, written
from tests.bench.growth.curves import Curves, Figure, Measures
from tests.bench.growth.started import Started, disk_bytes, service

ADD_TURNS = "/memorybank.v1.Conversation/AddTurns"
SEARCH_TURNS = "/memorybank.v1.Conversation/SearchTurns"
LIST_TURNS = "/memorybank.v1.Conversation/ListTurns"
USER, NAME = "ada", "long"
WORDS = 1_000  # nodes whose texts the turns have, over and over, each with its number
BUDGET = 4_000  # tokens

SETTINGS = {
    "conversation.extract_facts": "false",
    "banks.memory_budget_bytes": str(1 << 40),
    "limits.conversation_bytes": str(1 << 40),
}
FIGURES = (
    Figure(
        caption="Processor time of the server per call",
        unit="µs",
        lines={
            "AddTurns of one": "AddTurns of one: CPU µs",
            "SearchTurns": "SearchTurns: CPU µs",
            "AssembleContext": "AssembleContext: CPU µs",
            "ListTurns, last 50": "ListTurns, last 50: CPU µs",
        },
    ),
    Figure(
        caption="Bytes per turn",
        unit="B",
        lines={
            "memory": "memory as filled, bytes a turn",
            "memory, loaded": "memory as loaded, bytes a turn",
            "disk": "disk, bytes a turn",
            "floor: text": "text, bytes a turn",
        },
    ),
    Figure(caption="From a cold start to the first context", unit="s", lines={"first": "first context s"}),
    Figure(
        caption="Filling", unit="ms", lines={"processor time": "filled, with what follows: CPU ms a turn"}
    ),
)
READING = (
    "Turns of some 75 words in two languages, alternately. The embedder is one of tests that takes microseconds a "
    "text: add the real one's time, once for each turn (see performance.md). Facts are not looked for. Contexts have "
    f"{BUDGET:,} tokens. Memory is the server process's (RSS) beyond what it held empty."
)


def curves() -> Curves:
    return Curves(title="Turns in a conversation", growing="turns", figures=FIGURES, reading=READING)


def turn(corpus: Corpus, number: int) -> conversation_pb2.Turn:
    said = corpus.node(number % len(corpus))
    return conversation_pb2.Turn(input=f"{number} {said.context}", reply=said.summary)


def added(corpus: Corpus, first: int, count: int, name: str = NAME) -> conversation_pb2.AddTurnsRequest:
    turns = [turn(corpus, number) for number in range(first, first + count)]
    return conversation_pb2.AddTurnsRequest(user=USER, conversation_id=name, turns=turns)


def contexts(corpus: Corpus, name: str = NAME) -> list[retrieval_pb2.AssembleContextRequest]:
    """One for each of the questions that all sizes are asked."""
    return [
        retrieval_pb2.AssembleContextRequest(
            input=question.text, user=USER, conversation_id=name, token_budget=BUDGET
        )
        for question in corpus.questions(CALLS)
    ]


async def measure(turns: int, program: Sequence[str], folder: Path) -> Measures:
    """All measures of a conversation of so many turns, of a server that this program is."""
    corpus = Corpus(WORDS)
    spoken = [turn(corpus, number) for number in range(0, turns, max(1, turns // WORDS))]
    settings = SETTINGS | {"limits.turns_per_conversation": str(2 * turns + 1_000)}
    measures: Measures = {
        "text, bytes a turn": sum(len(f"{t.input}{t.reply}".encode()) for t in spoken) / len(spoken)
    }
    async with service(folder, settings, program) as started:
        before = started.cpu()
        start = time.perf_counter()
        await _fill(started, corpus, turns)
        measures["filled, turns/s"] = turns / (time.perf_counter() - start)
        await started.rests()
        measures["filled, with what follows: CPU ms a turn"] = (started.cpu() - before) / turns * 1e3
        measures["memory as filled, bytes a turn"] = started.held() / turns
        measures |= await _calls(started, corpus, turns)
        await started.server.stop()
    measures["disk, bytes a turn"] = disk_bytes(folder) / turns
    async with service(folder, settings, program) as started:
        start = time.perf_counter()
        context = started.channel.unary_unary(ASSEMBLE_CONTEXT)
        await context(contexts(corpus)[0].SerializeToString())
        measures["first context s"] = time.perf_counter() - start
        await started.rests()
        measures["memory as loaded, bytes a turn"] = started.held() / turns
    return measures


async def _fill(started: Started, corpus: Corpus, turns: int) -> None:
    add = started.channel.unary_unary(ADD_TURNS)
    for first in range(0, turns, BATCH):
        await add(added(corpus, first, min(BATCH, turns - first)).SerializeToString())


async def _calls(started: Started, corpus: Corpus, turns: int) -> Measures:
    searches = [
        conversation_pb2.SearchTurnsRequest(user=USER, conversation_id=NAME, text=question.text)
        for question in corpus.questions(CALLS)
    ]
    last = conversation_pb2.ListTurnsRequest(user=USER, conversation_id=NAME, last=50)
    one_by_one = (added(corpus, turns + number, 1) for number in range(CALLS))
    return {
        **await asked(started, "SearchTurns", SEARCH_TURNS, searches),
        **await asked(started, "AssembleContext", ASSEMBLE_CONTEXT, contexts(corpus)),
        **await asked(started, "ListTurns, last 50", LIST_TURNS, [last]),
        **await written(started, "AddTurns of one", ADD_TURNS, one_by_one),
    }
