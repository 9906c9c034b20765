"""Token ids to one pooled vector, or to a state for each token.

Law: one text per run. Activations are quantised by the range of the whole tensor, so company would
change a text's vector. A run releases the GIL and may overlap others on the same encoder.
"""

import numpy as np

from service.adapters.local_embedder.calibration import Calibration
from service.adapters.local_embedder.quantise import initialisers
from service.adapters.local_embedder.weights import F32, Weights


class Encoder:
    """The quantised graph. `longest` is how many tokens one run may have, marks included."""

    def __init__(self, weights: Weights, calibration: Calibration) -> None:
        from service.adapters.local_embedder.session import Session  # it takes memory, and time to load

        self._weights = weights
        self.longest = weights.positions
        self._places = _places(weights)
        self._session = Session(dict(initialisers(weights, calibration.ranges)))

    @property
    def size(self) -> int:
        """How many bytes its weights take."""
        return self._session.size + self._weights.size

    def pooled(self, ids: list[int]) -> F32:
        """Returns the mean of the last layer over all tokens: shape (hidden,), not normalised."""
        return self._session.pooled(self._embedded(ids))

    def states(self, ids: list[int]) -> F32:
        """Returns what the layer that sentences are compared by makes of each token: shape (tokens, hidden)."""
        return self._session.states(self._embedded(ids))

    def pooled_and_states(self, ids: list[int]) -> tuple[F32, F32]:
        """Returns both, byte for byte as either alone, in the time of one."""
        return self._session.pooled_and_states(self._embedded(ids))

    def _embedded(self, ids: list[int]) -> F32:
        return self._weights.word_rows(np.asarray(ids, dtype=np.int64)) + self._places[: len(ids)]


def _places(weights: Weights) -> F32:
    """Returns position and type embeddings in one table: shape (positions, hidden)."""
    return (
        weights.floats("emb.pos").reshape(-1, weights.hidden) + weights.floats("emb.type")[: weights.hidden]
    )
