"""Whether a text only says that something was heard."""

import pytest

from core.text.acknowledgements import acknowledges


@pytest.mark.parametrize(
    "text",
    [
        "Noted.",
        "OK, thanks!",
        "Sure, will do 👍",
        "You’re welcome.",
        "好的。",
        "收到，谢谢！",
        "嗯嗯",
        "OK，好的",
    ],
)
def test_it_only_acknowledges(text: str) -> None:
    assert acknowledges(text)


@pytest.mark.parametrize(
    "text",
    ["", "…", "👍", "No.", "Noted: 900 euros.", "goodness", "Thanks, Ann!", "好的，用PostgreSQL。", "行李"],
)
def test_it_says_something_or_nothing_at_all(text: str) -> None:
    assert not acknowledges(text)


def test_a_long_run_of_yeses_is_not_looked_through() -> None:
    assert not acknowledges("yes " * 20_000 + "no")
