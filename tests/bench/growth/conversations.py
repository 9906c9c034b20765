"""What a user's conversations cost as they become more: making one, listing, searching all, memory, disk, a start."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

from memorybank.v1 import conversation_pb2
from tests.bench.bench_overload import ASSEMBLE_CONTEXT
from tests.bench.corpus import Corpus
from tests.bench.growth.asked import CALLS, asked, written
from tests.bench.growth.curves import Curves, Figure, Measures
from tests.bench.growth.started import Started, disk_bytes, service
from tests.bench.growth.turns import ADD_TURNS, SEARCH_TURNS, SETTINGS, USER, WORDS, added, contexts

LIST_CONVERSATIONS = "/memorybank.v1.Conversation/ListConversations"
TURNS = 10  # in each conversation
AT_ONCE = 8  # conversations made at once
NEW = 30  # made when all are there

FIGURES = (
    Figure(
        caption="Processor time of the server per call",
        unit="µs",
        lines={
            "AddTurns that makes one": "AddTurns that makes one: CPU µs",
            "AddTurns to one": "AddTurns to one: CPU µs",
            "ListConversations, page of 50": "ListConversations, page of 50: CPU µs",
            "SearchTurns in all": "SearchTurns in all: CPU µs",
            "AssembleContext of one": "AssembleContext of one: CPU µs",
        },
    ),
    Figure(
        caption="Kilobytes per conversation",
        unit="kB",
        lines={
            "memory": "memory as filled, kB a conversation",
            "memory, loaded": "memory as loaded, kB a conversation",
            "disk": "disk, kB a conversation",
        },
    ),
    Figure(
        caption="From a cold start to the first context of one, and the first search in all",
        unit="s",
        lines={"context": "first context s", "search": "first search in all s"},
    ),
)
READING = (
    f"Conversations of {TURNS} turns of one user, with an embedder of tests as above. A search in all looks into the "
    "100 with the newest turns. Memory is the server process's (RSS) beyond what it held empty: as filled, and of a "
    "new process after one context and one search in all."
)


def curves() -> Curves:
    return Curves(title="Conversations of a user", growing="conversations", figures=FIGURES, reading=READING)


async def measure(conversations: int, program: Sequence[str], folder: Path) -> Measures:
    """All measures of a user with so many conversations, of a server that this program is."""
    corpus = Corpus(WORDS)
    measures: Measures = {}
    async with service(folder, SETTINGS, program) as started:
        await _fill(started, corpus, conversations)
        await started.rests()
        measures["memory as filled, kB a conversation"] = started.held() / conversations / 1e3
        measures |= await _calls(started, corpus, conversations)
        await started.server.stop()
    measures["disk, kB a conversation"] = disk_bytes(folder) / conversations / 1e3
    async with service(folder, SETTINGS, program) as started:
        for name, method, request in (
            ("first context s", ASSEMBLE_CONTEXT, contexts(corpus, _name(0))[0]),
            ("first search in all s", SEARCH_TURNS, _searches(corpus)[0]),
        ):
            start = time.perf_counter()
            await started.channel.unary_unary(method)(request.SerializeToString())
            measures[name] = time.perf_counter() - start
        await started.calm()
        measures["memory as loaded, kB a conversation"] = started.held() / conversations / 1e3
    return measures


async def _fill(started: Started, corpus: Corpus, conversations: int) -> None:
    add = started.channel.unary_unary(ADD_TURNS)
    left = iter(range(conversations))

    async def make() -> None:
        for number in left:
            await add(added(corpus, number * TURNS, TURNS, _name(number)).SerializeToString())

    await asyncio.gather(*(make() for _ in range(AT_ONCE)))


async def _calls(started: Started, corpus: Corpus, conversations: int) -> Measures:
    page = conversation_pb2.ListConversationsRequest(user=USER)
    new = (added(corpus, number, 1, f"new-{number}") for number in range(NEW))
    more = (added(corpus, number, 1, _name(number % conversations)) for number in range(CALLS))
    return {
        **await asked(started, "ListConversations, page of 50", LIST_CONVERSATIONS, [page]),
        **await asked(started, "SearchTurns in all", SEARCH_TURNS, _searches(corpus)),
        **await asked(started, "AssembleContext of one", ASSEMBLE_CONTEXT, contexts(corpus, _name(0))),
        **await written(started, "AddTurns to one", ADD_TURNS, more),
        **await written(started, "AddTurns that makes one", ADD_TURNS, new),
    }


def _searches(corpus: Corpus) -> list[conversation_pb2.SearchTurnsRequest]:
    return [
        conversation_pb2.SearchTurnsRequest(user=USER, text=question.text)
        for question in corpus.questions(CALLS)
    ]


def _name(number: int) -> str:
    return f"talk-{number:06}"
