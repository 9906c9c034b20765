import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.agents.offline.contradiction import Slot, contradicts
from tests.core.agents.offline.judge_pairs import (
    CHINESE,
    ENGLISH,
    OTHERS_CHINESE,
    OTHERS_ENGLISH,
    PROCEDURES_CHINESE,
    PROCEDURES_ENGLISH,
)

PROCEDURES = [*PROCEDURES_ENGLISH, *PROCEDURES_CHINESE]
PAIRS = [*ENGLISH, *CHINESE, *PROCEDURES, *OTHERS_ENGLISH, *OTHERS_CHINESE]


@pytest.mark.parametrize(("expected", "a", "b"), PAIRS)
def test_pairs_contradict_where_a_careful_reader_says_so(expected: str, a: str, b: str) -> None:
    found = contradicts(a, b)

    assert (found is not None) == (expected == "conflict")


@pytest.mark.parametrize(("expected", "a", "b"), PAIRS)
def test_the_other_side_sees_the_same_contradiction_turned(expected: str, a: str, b: str) -> None:
    one, other = contradicts(a, b), contradicts(b, a)

    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert (one.value_a, one.value_b) == (other.value_b, other.value_a)
        assert one.confidence == other.confidence


@pytest.mark.parametrize(
    ("a", "b", "slot", "values"),
    [
        (
            "The CEO of Acme is Laura Stone.",
            "The CEO of Acme is Peter Novak.",
            Slot.NAME,
            ("Laura Stone", "Peter Novak"),
        ),
        ("公司的CEO是张三。", "公司的CEO是李四。", Slot.NAME, ("张三", "李四")),
        ("The bridge is 420 meters long.", "The bridge is 380 meters long.", Slot.NUMBER, ("420", "380")),
        ("项目预算为500万元。", "项目预算为300万元。", Slot.NUMBER, ("500万元", "300万元")),
        ("Acme was founded in 1999.", "Acme was founded in 2003.", Slot.DATE, ("1999", "2003")),
        ("Hannah Vik married Tom Reyes.", "Tom Reyes never married Hannah Vik.", Slot.DENIAL, None),
        (
            "Anna Bell wrote a cookbook with a foreword by Jo Park.",
            "Jo Park wrote a cookbook with a foreword by Anna Bell.",
            Slot.ROLE,
            None,
        ),
        ("Karl Braun only speaks German.", "Karl Braun speaks German and Italian.", Slot.EXCLUSION, None),
        ("张伟已婚。", "张伟未婚。", Slot.OPPOSITE, ("已婚", "未婚")),
    ],
)
def test_a_contradiction_names_its_slot_and_quotes_its_values(
    a: str, b: str, slot: Slot, values: tuple[str, str] | None
) -> None:
    found = contradicts(a, b)

    assert found is not None
    assert found.slot is slot
    assert values is None or (found.value_a, found.value_b) == values
    assert found.value_a in a
    assert found.value_b in b
    assert 0 < found.confidence < 1
    assert found.reason


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Is the CEO of Acme Laura Stone?", "The CEO of Acme is Peter Novak."),
        ("Acme might be founded in 1999.", "Acme was founded in 2003."),
        ("It is 420 meters long.", "It is 380 meters long."),
        ("Alice: I have three children.", "Bob: I have two children."),
        ("I have three children.", "She has two children."),
        ("# Budget 2021", "# Budget 2022"),
        ("- `top_k`: int (default: 5)", "- `top_n`: int (default: 3)"),
        ("", "The CEO of Acme is Peter Novak."),
        ("。。。", "，"),
        ("公司的CEO是张三。", "The CEO of the company is Peter Novak."),
        ("We could not agree more.", "We agree with the plan."),
    ],
)
def test_what_asserts_nothing_or_not_of_the_same_contradicts_nothing(a: str, b: str) -> None:
    assert contradicts(a, b) is None


def test_the_same_speaker_contradicts_oneself() -> None:
    found = contradicts("Alice: I have three children.", "Alice: I have two children.")

    assert found is not None
    assert found.slot is Slot.NUMBER


def test_a_sentence_never_contradicts_itself() -> None:
    texts = {text for _, a, b in PAIRS for text in (a, b)}

    assert [text for text in texts if contradicts(text, text)] == []


def test_a_denial_needs_no_shared_words_once_the_matter_is_known_to_be_one() -> None:
    a = "Ravi Menon never goes anywhere without his car."
    b = "Ravi Menon cycles through the hills on Sundays."

    alone, known = contradicts(a, b), contradicts(a, b, same_matter=True)

    assert alone is None
    assert known is not None
    assert known.slot is Slot.DENIAL


def test_two_denials_of_one_thing_agree() -> None:
    assert contradicts("Mina Okafor has never visited Japan.", "Mina Okafor did not visit Japan.") is None


@settings(max_examples=300, deadline=None)
@given(
    st.text(max_size=200),
    st.sampled_from([text for _, a, b in PAIRS for text in (a, b)]),
    st.text(max_size=40),
)
def test_any_text_may_come(noise: str, sentence: str, inside: str) -> None:
    place = len(sentence) // 2
    mixed = sentence[:place] + inside + sentence[place:]

    for a, b in ((noise, sentence), (mixed, sentence), (mixed, noise)):
        found = contradicts(a, b, same_matter=True)
        assert found is None or 0 < found.confidence < 1


@pytest.mark.parametrize("text", ["Bob Ray works at the head office", "售价,5999元", "，,，"])
def test_a_phrase_at_the_end_and_a_stray_comma_are_read(text: str) -> None:
    assert contradicts(text, "Bob Ray works at the mill.") is None


def test_a_sentence_without_end_is_read_in_no_time() -> None:
    endless = "The council is approved by many people and " * 5000

    assert contradicts(endless + "x", endless + "y") is None
