"""Which sentences are chosen: the best of what is left, each time, as maximal marginal relevance is defined."""

import random
from collections.abc import Sequence

import pytest

from core.agents.offline.salience import DIVERSITY, chosen, overlap
from core.text.analysis import terms
from core.text.scripts import display_width

WORDS = {
    "en": "ferry pier budget hotel room view ticket train garden lamp".split(),
    "zh": list("渡轮码头预算房间风景车票"),
}


def plainly(sentences: Sequence[str], worth: Sequence[float], room: int, taken: Sequence[str]) -> list[int]:
    """Weighs all that are left against all that stand, for each one that is chosen."""
    read = [frozenset(terms(each)) for each in sentences]
    stands = [frozenset(terms(each)) for each in taken]
    left, picked = list(range(len(sentences))), list[int]()
    while left:
        repeated = {i: max((overlap(read[i], other) for other in stands), default=0.0) for i in left}
        best = max(left, key=lambda i: (worth[i] * (1 - DIVERSITY * repeated[i]), -i))
        left.remove(best)
        if picked and display_width(sentences[best]) > room:
            continue
        room -= display_width(sentences[best])
        picked.append(best)
        stands.append(read[best])
    return sorted(picked)


@pytest.mark.parametrize("language", WORDS)
def test_the_same_are_chosen_as_by_weighing_all_against_all(language: str) -> None:
    drawn = random.Random(11)
    for _ in range(150):
        count = drawn.randint(1, 25)
        space = " " if language == "en" else ""
        sentences = [
            space.join(drawn.choices(WORDS[language], k=drawn.randint(1, 8))) + "." for _ in range(count)
        ]
        worth = [drawn.choice((0.0, 0.5, drawn.random())) for _ in range(count)]
        room, taken = drawn.randint(0, 200), drawn.sample(sentences, drawn.randint(0, 1))

        assert chosen(sentences, worth, room, taken) == plainly(sentences, worth, room, taken)


def test_one_is_chosen_though_none_fits() -> None:
    assert chosen(["A long one.", "Longer than that one."], [1.0, 2.0], 0) == [1]
    assert chosen([], [], 10) == []


def test_what_does_not_fit_is_measured_once_and_compared_with_nothing() -> None:
    measured: list[str] = []

    def width(sentence: str) -> int:
        measured.append(sentence)
        return 100

    sentences = [f"Ferry {n} leaves from pier {n}." for n in range(500)]

    assert chosen(sentences, [1.0] * 500, 100, width=width) == [0]
    assert len(measured) == 500


def test_what_has_no_terms_is_compared_with_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[frozenset[str]] = []

    def counted(one: frozenset[str], other: frozenset[str]) -> float:
        compared.append(one)
        return overlap(one, other)

    monkeypatch.setattr("core.agents.offline.salience.overlap", counted)

    assert terms("A.") == []
    assert chosen(["A."] * 500, [0.0] * 500, 400) == list(range(200))
    assert not compared
