"""Documents on their way into an index, and the fingerprints of their texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.native.words import DocumentBatch, fingerprint


def test_a_batch_refuses_what_is_no_word() -> None:
    batch = DocumentBatch()

    for wrong in ("", "two\nlines", "long" * 20_000):
        with pytest.raises(ValueError, match="word"):
            batch.add([wrong], [], 1.0)
    with pytest.raises(ValueError, match="weight"):
        batch.add(["cat"], [], -1.0)
    with pytest.raises(TypeError):
        batch.add([b"cat"], [], 1.0)  # type: ignore[list-item]


def test_a_fingerprint_is_the_same_everywhere() -> None:
    assert fingerprint({"summary": "cat 机器", "context": ""}).hex() == "b76453f9de0d7672"


@given(st.dictionaries(st.text(max_size=3), st.text(max_size=20), max_size=3), st.data())
def test_a_fingerprint_tells_texts_apart(fields: dict[str, str], data: st.DataObject) -> None:
    other = data.draw(st.dictionaries(st.text(max_size=3), st.text(max_size=20), max_size=3))

    assert fingerprint(fields) == fingerprint(dict(fields))
    assert (fingerprint(fields) == fingerprint(other)) == (list(fields.items()) == list(other.items()))
