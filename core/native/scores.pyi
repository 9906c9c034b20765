"""The two sides of a score, mixed."""

from collections.abc import Hashable
from typing import TypeVar

K = TypeVar("K", bound=Hashable)

def mixed(
    keys: list[K],
    bm25: list[float],
    cosines: list[float],
    best: float,
    floor: float,
    ceiling: float,
    alpha: float,
    k: int,
) -> list[tuple[K, float, float, float]]:
    """Key, score, attribute score and embedding score of the `k` best and of all that tie with the last of them, best
    first, ties as they came.

    attribute = bm25 / best, or 0 where best is 0; embedding = (cosine − floor) / (ceiling − floor), within 0 and 1;
    score = alpha × attribute + (1 − alpha) × embedding, to the bit. A key that comes again is passed over. ValueError
    for lists of other lengths, and for a ceiling not above the floor.
    """
