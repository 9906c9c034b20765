"""The pairs themselves: read as they were written, each once."""

import pytest

from tests.judging.pairs import LANGUAGES, Half, Label, read_pairs


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("half", Half)
def test_a_half_holds_contradictions_and_more_pairs_that_agree_each_text_once(
    language: str, half: Half
) -> None:
    pairs = read_pairs(language, half)

    conflicts = sum(pair.label is Label.CONFLICT for pair in pairs)
    texts = [text for pair in pairs for text in pair.texts]
    assert conflicts == len(pairs) * 2 // 5
    assert len(texts) == len(set(texts))
    assert len({pair.pair_id for pair in pairs}) == len(pairs)
    assert {len(pair.speakers) for pair in pairs} <= {0, 2}
