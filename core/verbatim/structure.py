"""Scores of a segment by its place: what was said around it, by whom, when.

Law: pure, over arrays by position. Every component lies in [0, 1] and weighs relative to the plain formula's 1;
the score is the weighted mean, so it lies in [0, 1] too and means the same for every query. The shares that are
told of a hit add up to its score. With every weight 0 the score is the plain formula's.

The components, and why they are there (tests/bench/figures/retrieval.md measures each):
- *near*: the plain scores of the segments one (twice) and two (once) before and after in the same sitting. A turn of a
  conversation is about what the turns around it are about.
- *reply*: two parts in three, the plain score of the segment before, if that ends by asking; one part, for not
  ending by asking itself. A question resembles the question that is asked now; what answers it came after. Nothing
  is lent to an assistant's answer, by its role: it takes up the question's words.
- *speaker*: 1 for what a speaker whom the query calls by name says in the first person.
- *time*: 1 for what happened at a time that the query speaks of, fading out over FADING around it; NAMED for what
  names a time, where the query asks for one.
- *topic*: the plain score of the best node that summarises the segment.
- *quote*: 1 for what holds the query word for word. A query that is a sentence of the record means that place, however
  much its neighbours resemble it.
- *user*: 1 for what the user of an assistant says, by the role of the message.

A mere acknowledgement ("Noted.") has none of them: its place says nothing for a text that tells nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from core.text.moments import Span
from core.verbatim.segment_order import ANSWERER, ASKER, SITTING, Positions

REACH = 2  # segments before and after that count as near
NAMED = 0.5  # of the whole, for naming any time where the question asks for one
FADING = timedelta(days=4)  # people tell of things some days after

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """Weights of the components, each relative to the plain formula's 1; 0 switches one off.

    `diversity` is the share of its score that a hit loses for repeating a better one word for word, or nearly;
    `conflicts` brings the other sides of an open conflict along with the one found. `newer` is the share of an
    older hit's score by which a newer one on the same may be worse, and is still put before it: the other side of a
    conflict, and what is alike where the query asks how things are now.
    """

    near: float = 0.0
    reply: float = 0.0
    speaker: float = 0.0
    time: float = 0.0
    topic: float = 0.0
    quote: float = 0.0
    user: float = 0.0
    diversity: float = 0.0
    conflicts: bool = False
    newer: float = 0.0

    @property
    def reorders(self) -> bool:
        """Whether segments are ranked by more than the plain formula."""
        return bool(self.weights) or self.diversity > 0.0 or self.newer > 0.0

    @property
    def weights(self) -> Mapping[str, float]:
        """The weights by component, without those that are switched off."""
        return {name: weight for name in COMPONENTS if (weight := getattr(self, name)) > 0.0}


COMPONENTS = tuple(each.name for each in fields(Structure))[:7]
PLAIN = "plain"
REPETITION = "repetition"
NEWER = "newer"
CONFLICT = "conflict"

Shares = Mapping[str, Array]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Places:
    """What is known of some segments beside their scores; arrays are parallel to `positions`, which ascend.

    `told`: whether a speaker whom the query calls speaks in the first person. `times`: seconds since 1970. `topics` and
    `quoting`: as the components.
    """

    positions: Positions
    sittings: NDArray[np.intc]
    asking: NDArray[np.int8]
    acknowledging: NDArray[np.bool_]
    voices: NDArray[np.int8]
    dated: NDArray[np.int8]
    told: NDArray[np.bool_]
    times: Array
    topics: Array
    quoting: NDArray[np.bool_]
    spoken_of: Sequence[Span]
    asks_for_time: bool


def shares(plain: Array, places: Places, structure: Structure) -> Shares:
    """Computes how much each component, PLAIN among them, gives to the score of each place. They add up to it."""
    weights = structure.weights
    total = 1.0 + sum(weights.values())
    made = {PLAIN: plain / total}
    stands, telling = _stands(places), 1.0 - places.acknowledging
    for name, weight in weights.items():
        made[name] = _MAKERS[name](plain, places, stands) * telling * (weight / total)
    return made


def _stands(places: Places) -> Positions:
    """Lays the places out in a row: all within REACH in the same sitting are as far apart as they are, and all others
    farther, with room for REACH at both ends. Returns where each stands."""
    steps = np.minimum(np.diff(places.positions), REACH + 1)
    steps[places.sittings[1:] != places.sittings[:-1]] = REACH + 1
    stands = np.full(len(places.positions), REACH, dtype=np.int64)
    np.cumsum(steps, out=stands[1:])
    stands[1:] += REACH
    return stands


def _row(values: Array, stands: Positions) -> Array:
    """Puts the values where they stand, and 0 where nothing does."""
    row = np.zeros(stands[-1] + REACH + 1 if len(stands) else 0)
    row[stands] = values
    return row


# ---- components ----


def _near(plain: Array, places: Places, stands: Positions) -> Array:
    row = _row(plain, stands)
    one = row[stands + 1] + row[stands - 1]
    two = row[stands + 2] + row[stands - 2]
    return (2.0 * one + two) / 6.0


def _reply(plain: Array, places: Places, stands: Positions) -> Array:
    asked = _row(plain * places.asking, stands)[stands - 1]
    asked[places.voices == ANSWERER] = 0.0  # an assistant's answer takes the question up in its words
    reply: Array = (2.0 * asked + (1.0 - places.asking)) / 3.0
    return reply


def _speaker(plain: Array, places: Places, stands: Positions) -> Array:
    return places.told.astype(np.float64)


def _time(plain: Array, places: Places, stands: Positions) -> Array:
    fit: Array = np.zeros_like(plain)
    if places.asks_for_time:
        fit = NAMED * places.dated.astype(np.float64)
    for start, end in places.spoken_of:
        first, last = start.timestamp(), end.timestamp() - 1.0
        off = np.maximum(0.0, np.maximum(first - places.times, places.times - last))
        fit = np.maximum(fit, 1.0 - np.minimum(1.0, off / FADING.total_seconds()))
    return fit


def _topic(plain: Array, places: Places, stands: Positions) -> Array:
    return places.topics


def _quote(plain: Array, places: Places, stands: Positions) -> Array:
    return places.quoting.astype(np.float64)


def _user(plain: Array, places: Places, stands: Positions) -> Array:
    said: Array = (places.voices == ASKER).astype(np.float64)
    return said


_MAKERS = {
    "near": _near,
    "reply": _reply,
    "speaker": _speaker,
    "time": _time,
    "topic": _topic,
    "quote": _quote,
    "user": _user,
}


# ---- repetition ----

REPEATED = 0.95
"""Cosine of texts that say the same; the loss begins here and is whole at 1."""


def repetition(vectors: NDArray[np.float32]) -> Array:
    """Computes how far each hit, best first, repeats a better one: 0 to 1. `vectors`: shape (n, dimension), unit."""
    cosines = vectors @ vectors.T
    cosines.reshape(-1)[:: len(vectors) + 1] = 0.0  # no segment repeats itself
    nearest = np.zeros(len(vectors))
    for place in np.flatnonzero(cosines.max(axis=1, initial=0.0) >= REPEATED):  # few, as a rule
        nearest[place] = cosines[place, :place].max(initial=0.0)
    repeated: Array = np.clip((nearest - REPEATED) / (1.0 - REPEATED), 0.0, 1.0)
    return repeated


# ---- newer ----

ALIKE = 0.2
"""Cosine, on the calibrated scale, of what may tell an earlier and a later state of one thing."""


def giving_way(scores: Array, times: Array, cosines: Array, share: float) -> Array:
    """Computes the score of each hit when of two that are alike, and whose scores differ by at most `share` of the
    better one's, the newer comes first: it is given the older one's score, and of equals the newer comes first. A hit
    gives way to one other alone, the newest.

    `times`: seconds; within SITTING none is newer. `cosines`: shape (n, n), on the calibrated scale.
    """
    newer = times > times[:, None] + SITTING
    behind = (scores < scores[:, None]) & (scores >= (1.0 - share) * scores[:, None])
    rivals = np.where(newer & behind & (cosines >= ALIKE), times, -np.inf)
    raised = scores.copy()
    for older in np.flatnonzero(rivals.max(axis=1, initial=-np.inf) > -np.inf):
        newest = rivals[older].argmax()
        raised[newest] = max(raised[newest], scores[older])
    return raised
