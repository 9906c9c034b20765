"""What is done to a text before any embedder reads it."""

from hypothesis import given
from hypothesis import strategies as st

from service.adapters.embedding_text import CHARACTERS, cleaned, windows


@given(text=st.text(st.characters(codec=None, categories=None)))
def test_a_cleaned_text_can_be_sent_and_stays_as_it_is(text: str) -> None:
    clean = cleaned(text)

    clean.encode("utf-8")
    assert "\0" not in clean
    assert cleaned(clean) == clean


def test_what_lies_past_the_limit_is_not_read() -> None:
    full = "数据库" * (CHARACTERS // 3) + "x" * (CHARACTERS % 3)

    assert cleaned(full + " and much more") == full


@given(whole=st.lists(st.integers(), max_size=50), longest=st.integers(1, 20))
def test_windows_are_whole_few_and_even(whole: list[int], longest: int) -> None:
    parts = windows(whole, longest)

    sizes = [len(part) for part in parts]
    assert [each for part in parts for each in part] == whole
    assert len(parts) == max(1, -(-len(whole) // longest))
    assert max(sizes) <= longest
    assert max(sizes) - min(sizes) <= 1


def test_windows_of_a_text_are_texts() -> None:
    assert windows("abcdefghij", 4) == ["abc", "def", "ghij"]
