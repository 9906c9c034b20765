"""The encoder in plain float32 numpy: the oracle that the quantised graph is measured against.

Law: written from the architecture (BERT, post layer norm, exact GELU, mean pool) and nothing else,
so that it can be read in one go. Ten times slower than the graph.
"""

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from service.adapters.local_embedder.weights import F32, Weights

Witness = Callable[[str, F32], None]


def _unseen(name: str, states: F32) -> None:
    pass


class ReferenceEncoder:
    """Token ids to the mean of the last layer's states. `witness` sees each matrix's input by name."""

    def __init__(self, weights: Weights, witness: Witness = _unseen) -> None:
        self._weights = weights
        self._witness = witness
        hidden, wide = weights.hidden, weights.feed_forward
        widths = {"q": hidden, "k": hidden, "v": hidden, "ao": hidden, "fi": hidden, "fo": wide}
        self._matrices = {
            f"l{layer}.{name}": weights.matrix(f"l{layer}.{name}.w", width)
            for layer in range(weights.layers)
            for name, width in widths.items()
        }

    def pooled(self, ids: list[int]) -> F32:
        """Returns the mean over all tokens, marks included: shape (hidden,), not normalised."""
        weights = self._weights
        states = weights.word_rows(np.asarray(ids)) + weights.floats("emb.type")[: weights.hidden]
        states = states + weights.floats("emb.pos").reshape(-1, weights.hidden)[: len(ids)]
        states = self._norm("emb.ln", states)
        for layer in range(weights.layers):
            at = f"l{layer}"
            attended = self._dense(f"{at}.ao", self._attention(at, states))
            states = self._norm(f"{at}.aln", states + attended)
            raised = gelu(self._dense(f"{at}.fi", states))
            states = self._norm(f"{at}.oln", states + self._dense(f"{at}.fo", raised))
        mean: F32 = states.mean(axis=0)
        return mean

    def _attention(self, at: str, states: F32) -> F32:
        heads = self._weights.heads
        query, key, value = (
            self._dense(f"{at}.{name}", states).reshape(len(states), heads, -1).transpose(1, 0, 2)
            for name in ("q", "k", "v")
        )
        logits = query @ key.transpose(0, 2, 1) / np.float32(math.sqrt(query.shape[-1]))
        shares = np.exp(logits - logits.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        mixed: F32 = (shares @ value).transpose(1, 0, 2).reshape(states.shape)
        return mixed

    def _dense(self, name: str, states: F32) -> F32:
        self._witness(name, states)
        dense: F32 = states @ self._matrices[name].T + self._weights.floats(f"{name}.b")
        return dense

    def _norm(self, name: str, states: F32) -> F32:
        centred = states - states.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + np.float32(self._weights.epsilon))
        scaled: F32 = centred / spread * self._weights.floats(f"{name}.w")
        return scaled + self._weights.floats(f"{name}.b")


def gelu(x: F32) -> F32:
    """x Φ(x), the error function interpolated in a table (step 2⁻¹⁰: off by less than 1e-7)."""
    places, values = _erf_table()
    active: F32 = (0.5 * x * (1.0 + np.interp(x / math.sqrt(2.0), places, values))).astype(np.float32)
    return active


@cache
def _erf_table() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    places = np.arange(-6.0, 6.0, 2.0**-10)
    return places, np.array([math.erf(place) for place in places])
