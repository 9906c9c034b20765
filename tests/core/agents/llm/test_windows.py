"""What fits into a window, and how what does not is cut."""

import pytest

from core.agents.llm import windows
from core.text.tokens import estimate

ENGLISH = " ".join(f"The {n}th fact of the report concerns matter {n}." for n in range(400))
CHINESE = "".join(f"报告的第{n}条事实涉及事项{n}。" for n in range(400))


@pytest.mark.parametrize("text", [ENGLISH, CHINESE, "A" * 50_000, "长" * 50_000, "x\n\n" * 5_000])
@pytest.mark.parametrize("limit", [40, 200, 1_500])
def test_a_shortened_text_fits_and_keeps_both_its_ends(text: str, limit: int) -> None:
    short = windows.shortened(text, limit)

    assert estimate(short) <= limit
    head, tail = short.split(windows.LEFT_OUT)
    assert head
    assert text.startswith(head.strip())
    assert text.strip().endswith(tail.strip())


def test_a_text_that_fits_is_left_as_it_is() -> None:
    assert windows.shortened(ENGLISH, estimate(ENGLISH)) == ENGLISH
    assert windows.shortened("", 1) == ""


@pytest.mark.parametrize("text", [ENGLISH, CHINESE, "A" * 20_000])
def test_parts_fit_and_together_say_everything(text: str) -> None:
    parts = windows.parts(text, 300)

    assert len(parts) > 3
    assert all(estimate(part) <= 300 for part in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())


def test_batches_keep_the_order_and_one_too_large_goes_alone() -> None:
    assert windows.batches("abcde", [3, 3, 9, 2, 2], 6) == [["a", "b"], ["c"], ["d", "e"]]


def test_shares_grant_small_sizes_in_full_and_the_rest_alike() -> None:
    assert windows.shares([10, 500, 50, 500], 400) == [10, 170, 50, 170]
    assert windows.shares([10, 20], 400) == [10, 20]


def test_a_window_keeps_room_for_the_reply_and_its_form() -> None:
    assert windows.room(8_000, "") == 6_000 - windows.SHAPE_ROOM
    assert windows.room(128_000, "") == 128_000 - windows.REPLY_ROOM - windows.SHAPE_ROOM
    assert windows.room(10, "a long system message " * 100) >= 1
