"""Token ids to one pooled vector.

Law: one text per run. Activations are quantised by the range of the whole tensor, so company would
change a text's vector. A run releases the GIL and may overlap others on the same encoder.

Where the processor has VNNI, the graph is worked out by a native module of our own, to the same bytes as by onnxruntime
(of the release that its test is run with), a question in half to three quarters of its time; elsewhere by onnxruntime,
which is not loaded otherwise.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from service.adapters.local_embedder.calibration import Calibration
from service.adapters.local_embedder.quantise import initialisers
from service.adapters.local_embedder.weights import F32, Weights
from service.native import encoder as native


class Graph(Protocol):
    """What works the graph out, from the embedded tokens on."""

    def pooled(self, embedded: F32) -> F32:
        """Tokens, shape (tokens, hidden), to their mean in the last layer, shape (hidden,)."""
        ...


class Encoder:
    """The quantised graph. `longest` is how many tokens one run may have, marks included."""

    def __init__(self, weights: Weights, calibration: Calibration) -> None:
        self._weights = weights
        self.longest = weights.positions
        self._places = _places(weights)
        self._graph = _graph(weights, dict(initialisers(weights, calibration.ranges)))

    def pooled(self, ids: list[int]) -> F32:
        """The mean of the last layer over all tokens: shape (hidden,), not normalised."""
        embedded = self._weights.word_rows(np.asarray(ids, dtype=np.int64)) + self._places[: len(ids)]
        return self._graph.pooled(embedded)


def _graph(weights: Weights, constants: dict[str, NDArray[np.generic]]) -> Graph:
    if native.is_able():
        return by_vnni(weights, constants)
    from service.adapters.local_embedder.session import Session  # it takes memory, and time to load

    return Session(constants)


def by_vnni(weights: Weights, constants: dict[str, NDArray[np.generic]]) -> native.Encoder:
    """The graph on a processor that has VNNI. Raises RuntimeError on others."""
    return native.Encoder(
        constants,
        layers=weights.layers,
        heads=weights.heads,
        inner=weights.feed_forward,
        epsilon=weights.epsilon,
    )


def _places(weights: Weights) -> F32:
    """Position and type embeddings in one table: shape (positions, hidden)."""
    return (
        weights.floats("emb.pos").reshape(-1, weights.hidden) + weights.floats("emb.type")[: weights.hidden]
    )
