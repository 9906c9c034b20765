"""Segments that say again what other segments say, told by their fingerprints.

Law: pure. A segment repeats another one where their fingerprints are the same and they have LEAST words of content.
Beside such a pair, what is shorter or cut otherwise repeats too, as far as both records go on alike.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence

from core.text.wording import content_words
from core.verbatim.fingerprints import Fingerprint

LEAST = 5  # words of content that a segment has which is known again by itself
REACH = 4  # segments beside a pair that may be cut otherwise, in each direction

Prints = Sequence[Fingerprint]


def telling(prints: Prints) -> frozenset[int]:
    """Returns the segments with words enough to be known again by themselves. The first Chinese one waits for a
    dictionary: call it off the loop."""
    return frozenset(n for n, each in enumerate(prints) if content_words(each.words, LEAST) == LEAST)


def repeats_within(prints: Prints, known_again: frozenset[int]) -> dict[int, int]:
    """Returns of each segment that repeats an earlier one of its record which: one that repeats none itself.
    `known_again`: those that are `telling`."""
    first: dict[Fingerprint, int] = {}
    found: dict[int, int] = {}
    for index, each in enumerate(prints):
        if first.setdefault(each, index) < index and index in known_again:
            found[index] = first[each]
    for index, earlier in list(found.items()):
        found |= goes_on_like(prints, index, prints, earlier, found, before=index)
    return {index: found.get(earlier, earlier) for index, earlier in found.items()}


def goes_on_like(
    prints: Prints,
    index: int,
    others: Prints,
    other: int,
    known: Mapping[int, object],
    before: int | None = None,
) -> dict[int, int]:
    """Returns the segments on both sides of a pair, `index` of one record and `other` of another, in which they go on
    alike, each with the one that it repeats. It goes no further than to what is `known`; of `others` all stand `before`
    a place."""
    found: dict[int, int] = {}
    for step in (-1, 1):
        mine = _walk(prints, index, step, known)
        theirs = _walk(others, other, step, () if before is None else range(before, len(others)))
        for own, same in _alike(prints, mine, others, theirs, step):
            found |= {each: same[min(place, len(same) - 1)] for place, each in enumerate(own)}
    return found


def beside(chunk: range, prints: Prints, repeating: Mapping[int, object]) -> frozenset[int]:
    """Returns the segments of a chunk that say nothing but for one next to them that repeats: thoughts and calls, and
    the headings above it. What comes behind them decides, or what stands before them at the end."""
    found: set[int] = set()
    telling = [index for index in chunk if not prints[index].says_nothing]
    for index in reversed(chunk):
        if index in repeating or prints[index].words:
            continue
        place = bisect_right(telling, index)
        last = telling[place] if place < len(telling) else telling[-1] if telling else index
        above = prints[index].headings
        if (last in repeating or last in found) and above == prints[last].headings[: len(above)]:
            found.add(index)
    return frozenset(found)


def _walk(prints: Prints, start: int, step: int, barred: Sequence[int] | Mapping[int, object]) -> list[int]:
    """Returns up to REACH segments from `start` on, as long as they say something and are not `barred`."""
    found: list[int] = []
    place = start + step
    while len(found) < REACH and 0 <= place < len(prints):
        if place in barred or prints[place].says_nothing:
            break
        found.append(place)
        place += step
    return found


def _alike(
    prints: Prints, mine: Sequence[int], others: Prints, theirs: Sequence[int], step: int
) -> Iterator[tuple[list[int], list[int]]]:
    """Yields the shortest runs in which both say the same, one after another."""
    own: list[int] = []
    same: list[int] = []
    coming, there = iter(mine), iter(theirs)
    while True:
        grows, source = (
            (own, coming) if not own or len(_said(prints, own)) < len(_said(others, same)) else (same, there)
        )
        place = next(source, None)
        if place is None:
            return
        grows.append(place)
        if not own or not same:
            continue
        here, beyond = _said(prints, sorted(own)), _said(others, sorted(same))
        if not _fits(here, beyond, step) or not _same_place(prints, own, others, same):
            return
        if here == beyond:
            yield own, same
            own, same = [], []


def _said(prints: Prints, indexes: Sequence[int]) -> str:
    return "".join(prints[index].words for index in indexes).replace(" ", "")


def _fits(here: str, there: str, step: int) -> bool:
    """Whether one begins with the other; of what is read backwards, ends with it."""
    shorter, longer = sorted((here, there), key=len)
    return longer.startswith(shorter) if step > 0 else longer.endswith(shorter)


def _same_place(prints: Prints, own: Sequence[int], others: Prints, same: Sequence[int]) -> bool:
    return {prints[index][1:] for index in own} == {others[index][1:] for index in same}
