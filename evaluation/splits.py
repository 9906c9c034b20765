"""Which worlds settings of this program were chosen on, and dividing a set by that.

Law: a world is known by its words, whatever its file or name: a fingerprint is the first twelve figures of the
SHA-256 of its texts, a line each. Worlds of both kinds are never summed up together.
"""

from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from typing import TypeVar

from evaluation.development_worlds import DEVELOPMENT_WORLDS
from evaluation.sets import Case, Contradictions, EvaluationSet, Readable, Split, World

T = TypeVar("T")


def divided(read: Readable) -> tuple[Readable, ...]:
    """Returns the set's development worlds and its others, as sets of their own; one set where all are of a kind."""
    return tuple(part for split in Split if (part := _part(read, split)) is not None)


def _part(read: Readable, split: Split) -> Readable | None:
    if isinstance(read, EvaluationSet):
        worlds = tuple(world for world in read.worlds if split_of(fingerprint(world)) is split)
        return replace(read, worlds=worlds, split=split) if worlds else None
    cases = tuple(case for case in read.cases if split_of(fingerprint(case)) is split)
    return replace(read, cases=cases, split=split) if cases else None


def split_of(mark: str) -> Split:
    return Split.DEVELOPMENT if mark in DEVELOPMENT_WORLDS else Split.HELD_OUT


def fingerprint(world: World | Case) -> str:
    """Returns a fingerprint of the messages' texts, or of the facts, in their order."""
    if isinstance(world, Case):
        return _figures(world.world)
    return _figures(message.text for context in world.contexts for message in context.messages)


def _figures(texts: Iterable[str]) -> str:
    return sha256("\n".join(texts).encode()).hexdigest()[:12]


def limited(read: Readable, limit: int) -> Readable:
    """Returns at most `limit` questions of each world, or cases, spread evenly; 0: all."""
    if limit == 0:
        return read
    if isinstance(read, Contradictions):
        return replace(read, cases=_spread(read.cases, limit), limit=limit)
    worlds = tuple(replace(world, questions=_spread(world.questions, limit)) for world in read.worlds)
    return replace(read, worlds=worlds, limit=limit)


def _spread(things: tuple[T, ...], count: int) -> tuple[T, ...]:
    if len(things) <= count:
        return things
    return tuple(things[number * len(things) // count] for number in range(count))
