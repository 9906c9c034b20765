"""The small networks that tell contradictions and paraphrases, over the states of two sentences' tokens.

Source: decomposable attention (Parikh et al., 2016, arXiv:1606.01933), on states of the encoder instead of word
vectors: each token is laid beside what the other sentence has for it, each such pair is looked at, alone and together
with the two next to it, and what was seen is summed up. Both sentences are treated alike, so their order does not
matter. Several were trained apart, and err apart: the mean of what they say counts. Made by `tools/comparing`.

Law: pure numpy; what comes of a pair depends on its two sentences alone. A file that is damaged, or made for another
model, is refused when it is opened.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import accumulate
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from service.adapters.local_embedder.weight_file import unsealed
from service.adapters.local_embedder.weights import F32

LONGEST = 32  # tokens of a sentence that is compared: those it learned from have no more
AT_ONCE = 32  # pairs: what they take stays within a processor's cache

MODEL = "e5-small-comparing-3"
"""The name of the networks' weights; others get another one."""

FILES = tuple(Path(__file__).parent / f"comparing_{number}.npz" for number in (1, 2))
IN_DOUBT = 0.4  # likelihood of a contradiction or of sameness from which one network does not decide alone
ABSENT = 1e4  # taken from what a token that is not there would score
SMALL = 1e-3  # under the root of a length: what is not there has none


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """Weights, with `width` between. The file's projection takes states centred and with a spread of 1; this one takes
    them as the encoder makes them."""

    projection: F32  # (hidden, width)
    projected_centre: F32  # (width,)
    sharpness: F32  # ()
    pair_weights: F32  # (4 width, width)
    pair_bias: F32
    around_weights: F32  # (3 width, width): of a token, the one before it, itself, the one behind it
    around_bias: F32
    seen_weights: F32  # (width, width)
    seen_bias: F32
    both_weights: F32  # (4 width, width)
    both_bias: F32
    class_weights: F32  # (width, 3): neither, contradiction, sameness
    class_bias: F32

    @classmethod
    def load(cls, path: Path) -> "Network":
        """Raises EmbedderUnavailable where the file is missing, damaged, or was made for another model."""
        arrays = unsealed(path, "Comparer", STORED, made_by="python -m tools.comparing.train")
        found = {name: array.astype(np.float32) for name, array in arrays.items()}
        projection = found.pop("projection") / found.pop("spread")[:, None] * np.float32(0.5)
        return cls(projection=projection, projected_centre=found.pop("centre") @ projection, **found)

    @property
    def size(self) -> int:
        """How many bytes the weights take."""
        return sum(getattr(self, each.name).nbytes for each in fields(self))

    @property
    def width(self) -> int:
        return int(self.projection.shape[1])

    def projected(self, states: F32) -> F32:
        """Returns what is kept of a sentence: shape (tokens, width), from states of shape (tokens, hidden)."""
        kept: F32 = np.tanh(states @ self.projection - self.projected_centre)
        return kept

    def likelihoods(self, ours: F32, theirs: F32) -> F32:
        """Returns for each two sentences how likely neither, a contradiction, and sameness are: shape (n, 3).

        Sentences as projected, shape (n, tokens, width), at least one token each; places behind their ends are zeros.
        """
        starts = range(0, len(ours), AT_ONCE)
        parts = [self._some(ours[n : n + AT_ONCE], theirs[n : n + AT_ONCE]) for n in starts]
        return np.concatenate(parts) if parts else np.empty((0, 3), np.float32)

    def _some(self, a: F32, b: F32) -> F32:
        return self.classes(self.seen(a, b))

    def classes(self, both: F32) -> F32:
        """Returns the likelihoods of what is seen of pairs, shape (n, 4 width)."""
        inner = np.maximum(both @ self.both_weights + self.both_bias, 0)
        return _softmax(inner @ self.class_weights + self.class_bias)

    def seen(self, a: F32, b: F32) -> F32:
        """Returns what is seen of pairs, whichever sentence comes first: shape (n, 4 width)."""
        (a, there_a), (b, there_b) = _trimmed(a), _trimmed(b)
        nearness = _units(a) @ _units(b).transpose(0, 2, 1) * self.sharpness
        one = self._seen(a, there_a, b, there_b, nearness)
        other = self._seen(b, there_b, a, there_a, nearness.transpose(0, 2, 1))
        both: F32 = np.concatenate([one + other, np.abs(one - other)], axis=1)
        return both

    def _seen(self, a: F32, there_a: F32, b: F32, there_b: F32, nearness: F32) -> F32:
        """Returns what is seen of the sentences `a` beside `b`: shape (n, 2 width), the most and the mean."""
        beside = _softmax(nearness + (there_b[:, None, :] - 1) * ABSENT) @ b
        lengths = there_a.sum(axis=1).astype(np.intp)
        a, beside = (
            a[there_a > 0],
            beside[there_a > 0],
        )  # sentence behind sentence: shape (tokens of all, width)
        laid = np.concatenate([a, beside, a * beside, np.abs(a - beside)], axis=1)
        looked = np.maximum(laid @ self.pair_weights + self.pair_bias, 0)
        around = _with_neighbours(looked, lengths)
        looked += np.maximum(around @ self.around_weights + self.around_bias, 0)
        seen = np.maximum(looked @ self.seen_weights + self.seen_bias, 0)
        starts = np.cumsum(lengths) - lengths
        most, sums = np.maximum.reduceat(seen, starts, axis=0), np.add.reduceat(seen, starts, axis=0)
        return np.concatenate([most, sums / lengths[:, None].astype(np.float32)], axis=1)


STORED = frozenset(each.name for each in fields(Network)) - {"projected_centre"} | {"centre", "spread"}
"""The names of a file's arrays."""


class Networks:
    """Networks that are asked together. The first is asked about all pairs; the others where it is in doubt, as most
    pairs that are compared agree, plainly."""

    def __init__(self, networks: Sequence[Network]) -> None:
        self._networks = networks
        ends = list(accumulate(network.width for network in networks))
        self._parts = [slice(end - network.width, end) for network, end in zip(networks, ends, strict=True)]
        self.width = ends[-1]
        self.size = sum(network.size for network in networks)

    @classmethod
    def load(cls, paths: Sequence[Path] = FILES) -> "Networks":
        """Raises EmbedderUnavailable, as `Network.load`."""
        return cls([Network.load(path) for path in paths])

    def projected(self, states: F32) -> F32:
        """Returns what is kept of a sentence for all networks: shape (tokens, width)."""
        return np.concatenate([network.projected(states) for network in self._networks], axis=-1)

    def likelihoods(self, ours: F32, theirs: F32) -> F32:
        """Returns what `Network.likelihoods` does: of all networks the mean, where the first is in doubt."""
        asked = list(zip(self._networks, self._parts, strict=True))
        (first, part), *others = asked
        found = first.likelihoods(ours[..., part], theirs[..., part])
        doubtful = np.flatnonzero(found[:, 1:].max(axis=1, initial=0) >= IN_DOUBT)
        for network, part in others:
            found[doubtful] += network.likelihoods(ours[doubtful][..., part], theirs[doubtful][..., part])
        found[doubtful] /= len(asked)
        return found


def _with_neighbours(rows: F32, lengths: NDArray[np.intp]) -> F32:
    """Returns each row of sentences, one behind another, with the one before it and the one behind it: shape (tokens, 3
    width), zeros at a sentence's ends."""
    places = np.arange(len(rows)) + np.repeat(np.arange(1, len(lengths) + 1), lengths)
    apart = np.zeros((len(rows) + len(lengths) + 1, rows.shape[1]), rows.dtype)
    apart[places] = rows
    return np.concatenate([apart[places - 1], rows, apart[places + 1]], axis=1)


def _trimmed(sentences: F32) -> tuple[F32, F32]:
    """Returns sentences no longer than the longest of them, and where tokens are, shape (n, tokens)."""
    there = np.asarray(sentences.any(axis=2))
    longest = int(there.sum(axis=1).max())
    return sentences[:, :longest], there[:, :longest].astype(np.float32)


def _units(rows: F32) -> F32:
    units: F32 = rows / np.sqrt((rows * rows).sum(axis=-1, keepdims=True) + np.float32(SMALL))
    return units


def _softmax(scores: F32) -> F32:
    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    share: F32 = raised / raised.sum(axis=-1, keepdims=True)
    return share
