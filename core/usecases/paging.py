"""Pages of lists, and the opaque tokens that lead from one page to the next.

Law: a token names the place where a page ended, never a position, so that nothing is listed twice
or missed when the list changes meanwhile; it goes only with the list it came from. A page also ends where
one message is full.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from heapq import nsmallest
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from core.errors import InvalidField
from core.usecases.room import fitting, weight

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

DEFAULT_PAGE = 50

Place = tuple[int | str, ...]
"""What a list is ordered by: unlike for any two of its items, and the same kinds for all of them."""

BY_ID = (str,)
BY_NUMBER = (int,)
BY_NUMBER_AND_ID = (int, str)
BY_NUMBER_AND_NUMBER = (int, int)
BY_NUMBER_ID_AND_OFFSET = (int, str, int)

_PAGING = ("page_size", "page_token", "min_revision")  # what may differ between the pages of one list

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[Item]):
    """Items in order. An empty token: these are the last."""

    items: tuple[Item, ...]
    next_page_token: str = ""


def page_of(
    listing: "DataclassInstance",
    items: Iterable[Item],
    place: Callable[[Item], Place],
    shape: tuple[type, ...],
    page_token: str,
    page_size: int,
    weigh: Callable[[Item], int] = weight,
) -> Page[Item]:
    """Returns the `page_size` first items behind the token's place, or as many as fit. Raises InvalidField for a
    token of another list.

    `listing` is the command that asks; `shape` the kinds that `place` answers with; `weigh` tells the bytes that an
    item takes in the answer. Takes O(n log page_size).
    """
    after = place_of(listing, page_token, shape)
    behind = (item for item in items if after is None or place(item) > after)
    found = nsmallest(page_size + 1, behind, key=place)
    return first_page(listing, found, place, page_size, weigh)


def first_page(
    listing: "DataclassInstance",
    found: Sequence[Item],
    place: Callable[[Item], Place],
    page_size: int,
    weigh: Callable[[Item], int] = weight,
) -> Page[Item]:
    """Returns the first of what was found behind a place, in order: one item more than `page_size`, where there are
    more."""
    shown = fitting(found[:page_size], weigh)
    token = token_of(listing, place(shown[-1])) if len(found) > len(shown) else ""
    return Page(items=shown, next_page_token=token)


def token_of(listing: "DataclassInstance", place: Place) -> str:
    """Returns the token for going on at a place of this list."""
    return urlsafe_b64encode(json.dumps([_fingerprint(listing), *place]).encode()).decode()


def place_of(listing: "DataclassInstance", token: str, shape: tuple[type, ...]) -> Place | None:
    """Returns the place a token names; None for an empty one. Raises InvalidField."""
    if not token:
        return None
    try:
        named = json.loads(urlsafe_b64decode(token.encode("ascii")))
    except (NotBase64, ValueError):
        named = None
    if not isinstance(named, list) or tuple(map(type, named)) != (str, *shape) or not _is_text(named):
        raise InvalidField("page_token", "is no token of this service")
    if named[0] != _fingerprint(listing):
        raise InvalidField("page_token", "came from another request: repeat that one, with this token")
    return tuple(named[1:])


def _is_text(named: Iterable[object]) -> bool:
    """Whether it is text: half a character or NUL, which JSON can name, is none, and no store can look for it."""
    text = "".join(map(str, named))
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def _fingerprint(listing: "DataclassInstance") -> str:
    """Returns what makes two requests the same list."""
    asked = {name: value for name, value in asdict(listing).items() if name not in _PAGING}
    plain = json.dumps([type(listing).__name__, asked], sort_keys=True, default=_plain)
    return blake2b(plain.encode(), digest_size=6).hexdigest()


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, frozenset | set) else str(value)
