"""The local comparer on plain sentences: what it is sure of, and that a pair's answer depends on the pair alone."""

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest
from structlog.testing import capture_logs

from core.errors import EmbedderUnavailable
from core.ports.comparer import Likelihood
from core.ports.reader import NoReader
from service.adapters.cached_embedder import CachedEmbedder
from service.adapters.local_embedder import LocalEmbedder, LocalReader, Networks, ReadingNetwork
from service.adapters.local_embedder.comparer import PREFIX, LocalComparer
from service.adapters.local_embedder.comparing import LONGEST
from service.adapters.local_embedder.embedder import BRIEF
from service.adapters.local_embedder.encoder import Encoder
from service.adapters.local_embedder.state_cache import StateCache
from service.adapters.local_embedder.weights import F32
from service.assembly.comparers import forgetting
from tests.support.embedders import local_comparer, local_embedder

PAIRS = [
    ("Dana Whitlock lives in Leeds.", "Dana Whitlock's home is in Osaka."),
    ("The dog is called Rex.", "Our dog's name is Rex."),
    ("他不吃肉。", "他每天都吃牛肉。"),
    ("The cellar is dry.", "Nadia plays the viola."),
]


TEXTS = [text for pair in PAIRS for text in pair]


@pytest.fixture
async def comparer() -> LocalComparer:
    comparer = local_comparer()
    await comparer.compare([("It is loaded.", "It is loaded.")])
    comparer.forget()
    return comparer


def reads_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on no sentence can be read."""

    def refuse(ids: list[int]) -> F32:
        raise AssertionError(f"read again: {ids}")

    monkeypatch.setattr(local_embedder().encoder, "states", refuse)


async def told_of(comparer: LocalComparer, pairs: Sequence[tuple[str, str]]) -> list[Likelihood]:
    """What it says of pairs none of which is too long."""
    told = await comparer.compare(pairs)
    found = [one for one in told if one is not None]
    assert len(found) == len(pairs)
    return found


async def test_plain_contradictions_and_paraphrases_are_told_apart(comparer: LocalComparer) -> None:
    moved, called, vegetarian, unrelated = await told_of(comparer, PAIRS)

    assert moved.contradiction > 0.5 > moved.sameness
    assert called.sameness > 0.5 > called.contradiction
    assert vegetarian.contradiction > 0.5
    assert max(unrelated.contradiction, unrelated.sameness) < 0.1


async def test_what_tells_two_things_contradicts_what_shares_one_of_them_only_where_the_other_differs(
    comparer: LocalComparer,
) -> None:
    dane = "The mill was built in 1850, and its owner was a Dane."

    rebuilt, swede = await told_of(
        comparer,
        [
            (dane, "The mill's owner was a Dane, and it was rebuilt after the war."),
            (dane, "The mill was built in 1850, and its owner was a Swede."),
        ],
    )

    assert rebuilt.contradiction < 0.5 < swede.contradiction


async def test_neither_order_nor_company_matters(comparer: LocalComparer) -> None:
    together = await told_of(comparer, PAIRS)
    turned = await told_of(comparer, [(b, a) for a, b in reversed(PAIRS)])
    alone = [(await told_of(comparer, [pair]))[0] for pair in PAIRS]

    for one, *others in zip(together, reversed(turned), alone, strict=True):
        for other in others:
            assert one.contradiction == pytest.approx(other.contradiction, abs=1e-4)
            assert one.sameness == pytest.approx(other.sameness, abs=1e-4)


@pytest.mark.parametrize("text", ["限速60公里。", "The cellar is dry."])
async def test_a_sentence_says_the_same_as_itself(comparer: LocalComparer, text: str) -> None:
    (told,) = await told_of(comparer, [(text, text)])

    assert (told.contradiction, told.sameness) == (0.0, 1.0)


@pytest.mark.parametrize("text", ["", "word " * (LONGEST + 1), "字" * 2_000, "\0"])
async def test_what_is_empty_or_too_long_is_compared_with_nothing(comparer: LocalComparer, text: str) -> None:
    (told,) = await comparer.compare([(text, "Dana lives in Leeds.")])

    assert told is None


async def test_half_a_character_is_compared_as_the_one_that_stands_for_it(comparer: LocalComparer) -> None:
    broken, replaced = await comparer.compare([(one, "Dana lives in Leeds.") for one in ("\ud800", "\ufffd")])

    assert broken == replaced


async def test_of_no_pairs_nothing_is_said(comparer: LocalComparer) -> None:
    assert await comparer.compare([]) == []


async def test_a_purge_forgets_what_was_read(comparer: LocalComparer) -> None:
    await comparer.compare(PAIRS)
    assert comparer.kept == 2 * len(PAIRS)

    comparer.forget()

    assert comparer.kept == 0


async def test_what_was_embedded_is_compared_as_if_read_for_it_and_not_read_again(
    comparer: LocalComparer, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = await comparer.compare(PAIRS)
    comparer.forget()
    reads_no_more(monkeypatch)

    await local_embedder().embed_passages(TEXTS)

    assert await comparer.compare(PAIRS) == read
    assert await comparer.compare(PAIRS) == read
    assert comparer.kept == len(TEXTS)


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Gets the number of tokens of each run of an encoder from now on."""
    runs: list[int] = []
    embedded = Encoder._embedded

    def counting(self: Encoder, ids: list[int]) -> F32:
        runs.append(len(ids))
        return embedded(self, ids)

    monkeypatch.setattr(Encoder, "_embedded", counting)
    return runs


@pytest.mark.parametrize("text", [*TEXTS, "", "word " * LONGEST, "字" * 40])
def test_one_run_gives_both_byte_for_byte(text: str) -> None:
    encoder, tokenizer = local_embedder().encoder, local_embedder().tokenizer
    ids = tokenizer.framed(tokenizer.ids(PREFIX), tokenizer.ids(text))

    pooled, states = encoder.pooled_and_states(ids)

    assert pooled.tobytes() == encoder.pooled(ids).tobytes()
    assert states.tobytes() == encoder.states(ids).tobytes()


async def test_passages_have_the_same_bytes_beside_a_comparer() -> None:
    texts = [*TEXTS, "", "word " * LONGEST, "word " * (LONGEST + 1), "字" * 2_000]
    opened = LocalEmbedder.open()
    alone = await opened.embed_passages(texts)
    comparer = LocalComparer(lambda: opened, Networks.load(), embed=opened.embed_passages)
    await comparer.compare(PAIRS)
    comparer.forget()

    beside = await opened.embed_passages(texts)
    opened.close()

    assert beside.tobytes() == alone.tobytes()
    assert comparer.kept == len(texts) - 3


async def test_one_run_serves_who_compares_who_reads_and_who_embeds(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ("Mila sells kites in Porto.", "A kite of Mila's costs nine euros.")
    embedder = CachedEmbedder(local_embedder())
    comparer = LocalComparer(local_embedder, Networks.load(), embed=embedder.embed_passages)
    reader = LocalReader(local_embedder, ReadingNetwork.load())
    reader.overhear(local_embedder(), embedder.embed_passages)
    runs = counted(monkeypatch)

    await comparer.compare([texts])
    await reader.read(texts)
    await embedder.embed_passages(texts)

    assert len(runs) == len(texts)


async def test_a_sentence_that_is_read_first_is_compared_without_another_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = ("Odile mends clocks in Ghent.", "奥迪尔在根特修钟。")
    embedder = CachedEmbedder(local_embedder())
    comparer = LocalComparer(local_embedder, Networks.load(), embed=embedder.embed_passages)
    reader = LocalReader(local_embedder, ReadingNetwork.load())
    reader.overhear(local_embedder(), embedder.embed_passages)
    await comparer.compare([("The pier is long.", "The pier is short.")])  # it has loaded its model
    runs = counted(monkeypatch)

    await reader.read(texts)
    await comparer.compare([texts])

    assert len(runs) == len(texts)


async def test_a_long_passage_of_few_tokens_is_not_compared_by_its_end(comparer: LocalComparer) -> None:
    blank = " " * BRIEF
    long, other = f"The cellar is dry.{blank}Nadia lives in Leeds.", "Nadia lives in Osaka."
    read = await comparer.compare([(long, other)])
    comparer.forget()

    await local_embedder().embed_passages([long])

    assert comparer.kept == 0
    assert await comparer.compare([(long, other)]) == read


async def test_a_purge_forgets_passages_and_those_on_their_way(comparer: LocalComparer) -> None:
    embedder = CachedEmbedder(local_embedder())
    await embedder.embed_passages(TEXTS[:2])
    under_way = asyncio.create_task(embedder.embed_passages(TEXTS[2:]))
    await asyncio.sleep(0)
    before = embedder.under_way, comparer.kept

    forgetting(embedder, comparer, NoReader())()
    await under_way

    assert before == (len(TEXTS) - 2, 2)
    assert comparer.kept == 0


async def test_with_another_embedder_it_reads_the_weights_itself_at_the_first_comparison() -> None:
    comparer = LocalComparer(local_embedder, Networks.load())
    before = comparer.size

    (told,) = await told_of(comparer, PAIRS[:1])

    assert before < 5_000_000  # its own networks
    assert told.contradiction > 0.5
    assert comparer.size > 50_000_000


async def test_where_the_weights_are_not_installed_nothing_is_compared_and_the_log_says_so_once() -> None:
    def missing() -> LocalEmbedder:
        raise EmbedderUnavailable(cause="not installed")

    comparer = LocalComparer(missing, Networks.load())
    with capture_logs() as logged:
        told = [await comparer.compare(PAIRS) for _ in range(2)]

    assert told == [[None] * len(PAIRS)] * 2
    assert comparer.model == "none"
    assert [line["log_level"] for line in logged] == ["warning"]


def test_the_cache_holds_the_latest_that_its_bytes_allow() -> None:
    states = np.zeros((10, 5), np.float16)
    cache = StateCache(3 * states.nbytes)
    for name in (b"a", b"b", b"c"):
        cache.add(name, states, 0)
    assert cache.get(b"a") is not None

    cache.add(b"d", states, 0)

    assert cache.size == 3 * states.nbytes
    assert [cache.get(name) is not None for name in (b"a", b"b", b"c", b"d")] == [True, False, True, True]
