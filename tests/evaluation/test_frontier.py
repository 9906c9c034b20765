"""The frontier: a row a point, and embedders that are not here named."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from core.errors import EmbedderUnavailable
from core.usecases.house import House
from evaluation.documented import read
from evaluation.frontier import frontier
from evaluation.frontier_report import markdown, plain
from evaluation.pacing import Progress
from tests.evaluation.test_asking import CONDITIONS
from tests.evaluation.test_documented import example
from tests.support.house import open_house


@asynccontextmanager
async def only_local(kind: str) -> AsyncIterator[House]:
    if kind != "local":
        raise EmbedderUnavailable("the package is missing")
    async with open_house() as house:
        yield house


async def test_every_embedder_is_asked_with_and_without_structure_and_words_alone_too() -> None:
    found = await frontier(only_local, read(json.dumps(example())), 1, Progress())

    points = [(row.alpha, row.structure, row.embedding is None) for row in found.rows]
    assert points == [(None, False, True), (None, True, True), (0.5, False, False), (0.5, True, False)]
    assert all(row.all.recall[1] == 1.0 for row in found.rows)
    shown = markdown(found, CONDITIONS)
    assert "| none: words alone (BM25) | off | – |" in shown
    assert "Not here: Universal Sentence Encoder (`light`): " in shown
    assert "the package is missing" in shown
    assert len(json.loads(json.dumps(plain(found, CONDITIONS)))["frontier"]) == 4
