"""Reranking as use cases do it: who is asked what, what becomes of it, and that nothing waits for it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.bank.query import Target
from core.errors import BankNotFound
from core.ids import NodeId
from core.index.scoring import Mode
from core.internal_errors import RerankerLate, RerankerUnavailable
from core.ports.reranker import Reranker
from core.usecases.bank.retrieval.reranking import RerankOutcome
from core.usecases.bank.verbs.add_nodes import AddNodes, NewNode, add_nodes
from core.usecases.bank.verbs.augment import Augment, augment
from core.usecases.bank.verbs.delete_bank import DeleteBank, delete_bank
from core.usecases.bank.verbs.search import Answer, Ask, Searches, run_searches
from core.usecases.house import House
from core.usecases.settings import Reranking
from tests.support.house import CLIENT_SPACE, KEY, make_bank, open_house
from tests.support.scripted_reranker import ScriptedReranker

FACTS = {
    "ceo": "公司的首席执行官是张三",
    "old": "前任首席执行官已经离开公司",
    "founded": "The company was founded in 1999",
}
QUESTION = "首席执行官是谁"
"""By words and letters, `ceo` and `old` answer it alike; a reader tells them apart."""


@asynccontextmanager
async def a_house(reranker: Reranker | None, **settings: Any) -> AsyncIterator[House]:
    """With a bank of the facts, related in a row."""
    async with open_house() as house:
        await make_bank(house)
        await remember(house, *FACTS)
        if reranker is None:
            yield house
            return
        given = {"candidates": 30, "characters": 2_000, "weight": 1.0, **settings}
        yield replace(house, reranking=Reranking(reranker=reranker, **given))


async def remember(house: House, *names: str, facts: dict[str, str] = FACTS) -> None:
    nodes = tuple(NewNode(node_id=NodeId(name), summary=facts[name]) for name in names)
    await add_nodes(house, AddNodes(key=KEY, nodes=nodes))


async def ask(house: House, *asks: Ask) -> list[Answer]:
    return list((await run_searches(house, Searches(key=KEY, asks=asks or (Ask(text=QUESTION),)))).answers)


def ids(answer: Answer) -> list[str]:
    return [str(hit.node.node_id) for hit in answer.found.hits if hit.node]


async def test_a_reranker_reads_the_candidates_beside_the_query_and_its_opinion_counts() -> None:
    async with a_house(None) as house:
        (plain,) = await ask(house)
    assert ids(plain) == ["ceo", "old"], "the third fits neither by words nor by meaning"
    liking = ScriptedReranker([[0.0, 0.0, 1.0]])

    async with a_house(liking, weight=10.0) as house:
        (answer,) = await ask(house)

    assert answer.reranked is RerankOutcome.DONE
    assert liking.asked == [(QUESTION, tuple(FACTS.values()))]
    assert ids(answer)[0] == "founded"


async def test_without_a_reranker_nothing_is_told_of_one() -> None:
    async with a_house(None) as house:
        (answer,) = await ask(house)

    assert answer.reranked is RerankOutcome.UNASKED
    assert not any(hit.why for hit in answer.found.hits)


@pytest.mark.parametrize(
    ("failure", "outcome"),
    [(RerankerUnavailable("down"), RerankOutcome.UNAVAILABLE), (RerankerLate("late"), RerankOutcome.LATE)],
)
async def test_a_reranker_that_fails_leaves_the_plain_answer_and_that_is_said(
    failure: Exception, outcome: RerankOutcome
) -> None:
    async with a_house(None) as house:
        (plain,) = await ask(house)

    async with a_house(ScriptedReranker([failure])) as house:
        (answer,) = await ask(house)

    assert answer.reranked is outcome
    assert [(hit.score, hit.why) for hit in answer.found.hits] == [
        (hit.score, hit.why) for hit in plain.found.hits
    ]
    assert ids(answer) == ids(plain)


@pytest.mark.parametrize(
    "unasked",
    [
        Ask(text=QUESTION, skip_reranker=True),
        Ask(text=QUESTION, mode=Mode.ATTRIBUTE),
        Ask(text=QUESTION, mode=Mode.EMBEDDING),
        Ask(keywords=("公司",)),
        Ask(node_id=NodeId("ceo")),
        Ask(text=QUESTION, target=Target.SEGMENTS),  # there are none
    ],
)
async def test_it_is_asked_about_texts_alone_and_not_where_it_is_left_out(unasked: Ask) -> None:
    reranker = ScriptedReranker()

    async with a_house(reranker) as house:
        (answer,) = await ask(house, unasked)

    assert answer.reranked is RerankOutcome.UNASKED
    assert not reranker.asked


async def test_a_vector_is_no_text() -> None:
    reranker = ScriptedReranker()

    async with a_house(reranker) as house:
        vector = (await house.embedder.embed_queries([QUESTION]))[0]
        (answer,) = await ask(house, Ask(embedding=vector))

    assert answer.found.hits
    assert answer.reranked is RerankOutcome.UNASKED
    assert not reranker.asked


async def test_it_reads_no_more_than_it_is_given_and_every_text_once() -> None:
    reranker = ScriptedReranker()
    twice = {"one": "一样的话", "two": "一样的话", "three": "一样的另一句话"}

    async with a_house(reranker, candidates=3, characters=4) as house:
        await remember(house, *twice, facts=twice)
        await ask(house, Ask(text="一样的话和别的", top_k=1))

    ((query, texts),) = reranker.asked
    assert query == "一样的话"
    assert len(texts) == len(set(texts)) <= 3
    assert max(map(len, texts)) == 4


async def test_several_searches_are_reranked_each_by_itself() -> None:
    reranker = ScriptedReranker([RerankerUnavailable("down")])

    async with a_house(reranker) as house:
        answers = await ask(house, Ask(text=QUESTION), Ask(keywords=("公司",)), Ask(text="founded when"))

    assert [answer.reranked for answer in answers] == [
        RerankOutcome.UNAVAILABLE,
        RerankOutcome.UNASKED,
        RerankOutcome.DONE,
    ]
    assert len({answer.found.revision for answer in answers}) == 1


async def test_a_bank_of_client_vectors_is_reranked_by_its_words() -> None:
    reranker = ScriptedReranker()

    async with open_house() as house:
        await make_bank(house, space=CLIENT_SPACE)
        node = NewNode(summary=FACTS["ceo"], embedding=np.ones(4, dtype=np.float32))
        await add_nodes(house, AddNodes(key=KEY, nodes=(node,)))
        seated = replace(
            house, reranking=Reranking(reranker=reranker, candidates=3, characters=99, weight=1.0)
        )
        (answer,) = await ask(seated)

    assert answer.reranked is RerankOutcome.DONE


class Waiting:
    """A reranker that reads until it is told its opinions."""

    def __init__(self) -> None:
        self.reads: asyncio.Future[Sequence[str]] = asyncio.get_running_loop().create_future()
        self.says: asyncio.Future[Sequence[float]] = asyncio.get_running_loop().create_future()

    async def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        self.reads.set_result(texts)
        return await self.says


async def test_writers_do_not_wait_for_a_reranker_and_the_answer_is_of_one_revision_after_them() -> None:
    new = {"new": "首席执行官是谁？是李四"}
    reranker = Waiting()

    async with a_house(reranker) as house:
        answering = asyncio.create_task(ask(house))
        read = await reranker.reads
        await remember(house, "new", facts=new)
        async with house.banks.reading(KEY) as bank:
            revision = bank.revision
        reranker.says.set_result([0.5] * len(read))
        (answer,) = await answering

    assert answer.found.revision == revision
    assert set(ids(answer)) == {*FACTS, "new"}


async def test_a_bank_that_is_gone_when_the_reranker_has_read_is_not_found() -> None:
    reranker = Waiting()

    async with a_house(reranker) as house:
        answering = asyncio.create_task(ask(house))
        read = await reranker.reads
        await delete_bank(house, DeleteBank(key=KEY))
        reranker.says.set_result([0.5] * len(read))

        with pytest.raises(BankNotFound):
            await answering


async def test_prompts_are_reranked_too_and_say_so() -> None:
    liking = ScriptedReranker([[0.0, 0.0, 1.0], RerankerUnavailable("down")])

    async with a_house(liking, weight=10.0) as house:
        made = await augment(house, Augment(key=KEY, query=QUESTION))
        failed = await augment(house, Augment(key=KEY, query=QUESTION))
        skipped = await augment(house, Augment(key=KEY, query=QUESTION, skip_reranker=True))

    assert (made.reranked, failed.reranked, skipped.reranked) == (
        RerankOutcome.DONE,
        RerankOutcome.UNAVAILABLE,
        RerankOutcome.UNASKED,
    )
    assert made.hits[0].node
    assert made.hits[0].node.summary == liking.asked[0][1][-1]
    assert failed.prompt == skipped.prompt != made.prompt
