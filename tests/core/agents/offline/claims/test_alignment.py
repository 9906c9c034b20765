"""Which terms match, and how that they cannot is known from afar."""

import random
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agents.offline import contradiction, sameness
from core.agents.offline.claims.alignment import matches, same_word, speak_of_one_thing
from core.agents.offline.claims.reading import read
from core.agents.offline.claims.statement import Kind, Statement, Term
from tests.core.agents.offline import judge_pairs

WORDS = [
    "hike",
    "hiker",
    "hiking",
    "environ",
    "environment",
    "has",
    "hat",
    "h",
    "Ōsaka",
    "Ōsak",
    "创立",
    "创立于",
    "创",
    "",
]
PAIRS = chain(
    judge_pairs.ENGLISH,
    judge_pairs.CHINESE,
    judge_pairs.PROCEDURES_ENGLISH,
    judge_pairs.PROCEDURES_CHINESE,
    judge_pairs.OTHERS_ENGLISH,
    judge_pairs.OTHERS_CHINESE,
)
SENTENCES = sorted({sentence for _, a, b in PAIRS for sentence in (a, b)})

words = st.sampled_from(WORDS) | st.text("abcd张三", max_size=6)
terms = st.builds(
    Term,
    kind=st.sampled_from(Kind),
    key=words,
    start=st.just(0),
    end=st.just(1),
    parts=st.frozensets(words, max_size=2),
    value=st.sampled_from([1.0, 2.0]),
    unit=st.sampled_from(["", "day"]),
    bound=st.sampled_from([-1, 0, 1]),
)


def of(term: Term) -> Statement:
    return Statement(text="", terms=(term,), chinese=False)


@given(terms, terms)
def test_terms_that_match_are_known_from_afar_to_be_of_one_thing_perhaps(a: Term, b: Term) -> None:
    assert not matches(a, b) or speak_of_one_thing(of(a), of(b))


@given(terms, terms)
def test_matching_is_mutual(a: Term, b: Term) -> None:
    assert matches(a, b) == matches(b, a)


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("hike", "hiker", True),
        ("environment", "environmental", True),
        ("创立", "创立于", True),
        ("创", "创立", False),
        ("has", "hash", False),
        ("contract", "contrast", False),
    ],
)
def test_forms_of_one_word_are_that_word(a: str, b: str, same: bool) -> None:
    assert same_word(a, b) is same_word(b, a) is same


def test_of_sentences_with_nothing_in_common_a_closer_look_finds_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance, statements = random.Random(11), [read(sentence) for sentence in SENTENCES]
    pairs = [(chance.choice(statements), chance.choice(statements)) for _ in range(6_000)]
    apart = [(a, b) for a, b in pairs if a.chinese is b.chinese and not speak_of_one_thing(a, b)]
    for module in (contradiction, sameness):
        monkeypatch.setattr(module, "speak_of_one_thing", lambda _a, _b: True)

    assert len(apart) > 1_000
    for a, b in apart:
        assert a.personal or contradiction.contradiction(a, b, same_matter=True) is None
        assert not sameness.contains(a, b, near=True)
