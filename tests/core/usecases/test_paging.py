"""Pages and their tokens."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass

import pytest

from core.errors import InvalidField
from core.usecases.paging import BY_ID, BY_NUMBER_AND_ID, page_of, place_of, token_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ListWords:
    starting: str = ""
    page_size: int = 2
    page_token: str = ""
    min_revision: int = 0


def _page(listing: ListWords, words: list[str]) -> tuple[tuple[str, ...], str]:
    page = page_of(listing, words, lambda word: (word,), BY_ID, listing.page_token, listing.page_size)
    return page.items, page.next_page_token


def test_pages_together_are_the_whole_list_in_order() -> None:
    words = ["e", "b", "词", "a", "d"]
    seen: list[str] = []
    token = ""

    while token or not seen:
        items, token = _page(ListWords(page_token=token), words)
        seen += items

    assert seen == sorted(words)


@pytest.mark.parametrize("blank", ["\u3000", "\xa0", "\u200d"], ids=["ideographic", "no-break", "joiner"])
def test_a_page_may_end_at_any_text(blank: str) -> None:
    words = ["a", f"b{blank}c", "d"]

    first, token = _page(ListWords(), words)
    rest, _ = _page(ListWords(page_token=token), words)

    assert (*first, *rest) == tuple(words)


def test_a_list_that_changes_between_pages_shows_nothing_twice_and_misses_nothing_that_stays() -> None:
    first, token = _page(ListWords(), ["a", "c", "e", "g"])

    rest, _ = _page(ListWords(page_token=token), ["b", "e", "g"])  # b came, a and c went

    assert (first, rest) == (("a", "c"), ("e", "g"))


def test_a_page_may_ask_for_another_size_and_a_later_revision() -> None:
    _, token = _page(ListWords(), ["a", "b", "c", "d"])

    rest, after = _page(ListWords(page_token=token, page_size=9, min_revision=4), ["a", "b", "c", "d"])

    assert (rest, after) == (("c", "d"), "")


@pytest.mark.parametrize("token", ["?", "abc", "W10=", "é", urlsafe_b64encode(b'["x"]').decode(), "bnVsbA=="])
def test_what_is_no_token_is_refused(token: str) -> None:
    with pytest.raises(InvalidField) as refused:
        place_of(ListWords(), token, BY_ID)

    assert refused.value.field == "page_token"


def test_a_token_that_names_no_text_is_refused() -> None:
    _, token = _page(ListWords(), ["a", "b", "c"])
    forged = json.dumps([json.loads(urlsafe_b64decode(token))[0], "\ud800"])

    with pytest.raises(InvalidField):
        place_of(ListWords(), urlsafe_b64encode(forged.encode()).decode(), BY_ID)


def test_a_token_of_another_list_or_of_another_shape_is_refused() -> None:
    token = token_of(ListWords(starting="a"), ("ab",))

    with pytest.raises(InvalidField, match="another request"):
        place_of(ListWords(starting="b"), token, BY_ID)
    with pytest.raises(InvalidField, match="no token"):
        place_of(ListWords(starting="a"), token, BY_NUMBER_AND_ID)
