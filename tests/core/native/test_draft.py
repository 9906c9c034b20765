"""Documents on their way into an index, and the prints of their texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.native.words import Draft, print_of


def test_a_draft_refuses_what_is_no_word() -> None:
    draft = Draft()

    for wrong in ("", "two\nlines", "long" * 20_000):
        with pytest.raises(ValueError, match="word"):
            draft.say([wrong], [], 1.0)
    with pytest.raises(ValueError, match="weight"):
        draft.say(["cat"], [], -1.0)
    with pytest.raises(TypeError):
        draft.say([b"cat"], [], 1.0)  # type: ignore[list-item]


def test_a_print_is_the_same_everywhere() -> None:
    assert print_of({"summary": "cat 机器", "context": ""}).hex() == "b76453f9de0d7672"


@given(st.dictionaries(st.text(max_size=3), st.text(max_size=20), max_size=3), st.data())
def test_a_print_tells_texts_apart(fields: dict[str, str], data: st.DataObject) -> None:
    other = data.draw(st.dictionaries(st.text(max_size=3), st.text(max_size=20), max_size=3))

    assert print_of(fields) == print_of(dict(fields))
    assert (print_of(fields) == print_of(other)) == (list(fields.items()) == list(other.items()))
