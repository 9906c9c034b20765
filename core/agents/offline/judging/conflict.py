"""Conflicts between two topics: the sentences that contradict each other, and the opinion that quotes them.

Law: pure. Words decide whether two sentences contradict each other; vectors only choose, among sentences that share
their matter, those that are nearer than all others.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from core.agents.offline.at_issue import at_issue
from core.agents.offline.contradiction import Contradiction, contradiction
from core.agents.offline.judging.topic_sentences import Side
from core.agents.roles import ConflictOpinion

Vector = NDArray[np.float32]

AMONG = 3  # other candidates, for standing out among them to mean something
SAME_MATTER_MARGIN = 0.1  # how much nearer than to any other candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """A contradiction of the new side's sentence i and the other side's j. `generated`: it rests on no evidence."""

    found: Contradiction
    i: int
    j: int
    generated: bool


def clashes(new: Side, other: Side, *, same_matter: bool) -> list[Clash]:
    """Returns the contradictions between any two sentences; `same_matter` as in `contradiction`."""
    asserted = (
        [(n, one) for n, one in enumerate(side.sentences) if one.statement.told] for side in (new, other)
    )
    found = (
        (contradiction(ours.statement, theirs.statement, same_matter=same_matter), i, j)
        for (i, ours), (j, theirs) in product(*asserted)
        if ours.entry == theirs.entry
    )
    generated = [[one.generated for one in side.sentences] for side in (new, other)]
    return [
        Clash(found=one, i=i, j=j, generated=generated[0][i] or generated[1][j])
        for one, i, j in found
        if one is not None
    ]


def surest(found: Iterable[Clash]) -> Clash | None:
    """Returns the most certain of these contradictions that rest on evidence."""
    heard = (clash for clash in found if not clash.generated)
    return max(heard, key=lambda clash: clash.found.confidence, default=None)


def surest_of_one_matter(
    found: Sequence[Clash], near: Sequence[Vector | None], number: int, least: float
) -> Clash | None:
    """Returns the most certain contradiction of two sentences that are nearer than all others are.

    `near`: for each candidate, how near its sentences are to the new ones; `number`: the candidate's place.
    """
    own = near[number]
    if own is None or not found:
        return None
    elsewhere = _nearest_elsewhere(near, number, len(own))
    alone = [
        clash
        for clash in found
        if own[clash.i, clash.j] == own[clash.i].max()
        and own[clash.i, clash.j] >= max(least, elsewhere[clash.i] + SAME_MATTER_MARGIN)
    ]
    return surest(alone)


def _nearest_elsewhere(near: Sequence[Vector | None], number: int, rows: int) -> Vector:
    """Returns for each of the new sentences how near the nearest sentence of any other candidate is."""
    others = [part.max(axis=1) for n, part in enumerate(near) if n != number and part is not None]
    if len(others) < AMONG:
        return np.ones(rows, np.float32)  # the nearest of few means nothing
    found: Vector = np.max(others, axis=0)
    return found


def conflict(new: Side, other: Side, clash: Clash) -> ConflictOpinion:
    """Returns the opinion that a contradiction leads to."""
    ours, theirs = new.sentences[clash.i], other.sentences[clash.j]
    return ConflictOpinion(
        existing=other.topic.node_id,
        confidence=clash.found.confidence,
        reasoning=clash.found.reason,
        description=at_issue(ours.quote, clash.found.value_a, theirs.quote, clash.found.value_b),
        new_quote=ours.quote,
        existing_quote=theirs.quote,
    )
