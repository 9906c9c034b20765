"""The local comparer on plain sentences: what it is sure of, and that a pair's answer depends on the pair alone."""

import pytest

from core.ports.comparer import UNLIKELY
from service.adapters.local_embedder.comparer import LocalComparer
from service.adapters.local_embedder.comparing import LONGEST
from tests.support.embedders import local_embedder

PAIRS = [
    ("Dana Whitlock lives in Leeds.", "Dana Whitlock's home is in Osaka."),
    ("The dog is called Rex.", "Our dog's name is Rex."),
    ("他不吃肉。", "他每天都吃牛肉。"),
    ("The cellar is dry.", "Nadia plays the viola."),
]


@pytest.fixture
def comparer() -> LocalComparer:
    return local_embedder().comparer()


async def test_plain_contradictions_and_paraphrases_are_told_apart(comparer: LocalComparer) -> None:
    moved, called, vegetarian, unrelated = await comparer.compare(PAIRS)

    assert moved.contradiction > 0.5 > moved.sameness
    assert called.sameness > 0.5 > called.contradiction
    assert vegetarian.contradiction > 0.5
    assert max(unrelated.contradiction, unrelated.sameness) < 0.1


async def test_neither_order_nor_company_matters(comparer: LocalComparer) -> None:
    together = await comparer.compare(PAIRS)
    turned = await comparer.compare([(b, a) for a, b in reversed(PAIRS)])
    alone = [(await comparer.compare([pair]))[0] for pair in PAIRS]

    for one, *others in zip(together, reversed(turned), alone, strict=True):
        for other in others:
            assert one.contradiction == pytest.approx(other.contradiction, abs=1e-4)
            assert one.sameness == pytest.approx(other.sameness, abs=1e-4)


@pytest.mark.parametrize("text", ["", "word " * (LONGEST + 1), "字" * 2_000, "\0"])
async def test_what_is_empty_or_too_long_is_compared_with_nothing(comparer: LocalComparer, text: str) -> None:
    (told,) = await comparer.compare([(text, "Dana lives in Leeds.")])

    assert told == UNLIKELY


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
