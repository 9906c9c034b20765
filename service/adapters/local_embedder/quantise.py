"""The encoder's initialisers: float32 weights to int8, smoothed, at start.

Law: pure arithmetic on arrays; names and shapes are the skeleton's (`tools/make_embedder_skeleton.py`).

SmoothQuant (Xiao et al. 2022): activations of channel j are divided, and weights multiplied, by
s_j = max|x_j|^a / max|w_j|^(1-a), which moves the outliers of a few channels into the weights.
Weights are symmetric int8 with one scale per output channel, clipped to 7 bits: products of an
unsigned and a signed byte then cannot saturate in 16 bits on processors without VNNI.
"""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from service.adapters.local_embedder.weights import F32, Weights

SMOOTHING = 0.7  # a: 0 leaves activations alone, 1 gives all their range to the weights
LARGEST = 63  # of 7 bits, signed


def initialisers(weights: Weights, ranges: Mapping[str, F32]) -> Iterator[tuple[str, NDArray[np.generic]]]:
    """Yields every constant of the graph by name. `ranges`: `l0.qkv`, … → max|activation| per channel."""
    yield "emb.ln.w", weights.floats("emb.ln.w")
    yield "emb.ln.b", weights.floats("emb.ln.b")
    for layer in range(weights.layers):
        at = f"l{layer}"
        for norm in ("aln", "oln"):
            yield f"{at}.{norm}.w", weights.floats(f"{at}.{norm}.w")
            yield f"{at}.{norm}.b", weights.floats(f"{at}.{norm}.b")
        yield from _dense(f"{at}.qkv", *_joined(weights, at, ("q", "k", "v")), ranges)
        for name, columns in (("ao", weights.hidden), ("fi", weights.hidden), ("fo", weights.feed_forward)):
            matrix = weights.matrix(f"{at}.{name}.w", columns)
            yield from _dense(f"{at}.{name}", matrix, weights.floats(f"{at}.{name}.b"), ranges)


def _joined(weights: Weights, at: str, names: tuple[str, ...]) -> tuple[F32, F32]:
    """Matrices that read the same input, as one."""
    matrix = np.concatenate([weights.matrix(f"{at}.{name}.w", weights.hidden) for name in names])
    return matrix, np.concatenate([weights.floats(f"{at}.{name}.b") for name in names])


def _dense(
    name: str, matrix: F32, bias: F32, ranges: Mapping[str, F32]
) -> Iterator[tuple[str, NDArray[np.generic]]]:
    """`matrix` is (outputs, inputs); the graph wants (inputs, outputs)."""
    smooth = smoothing(ranges[name], np.abs(matrix).max(axis=0))
    quantised, scales = quantised_rows(matrix * smooth)
    yield f"{name}.calm", 1 / smooth
    yield f"{name}.w", np.ascontiguousarray(quantised.T)
    yield f"{name}.scale", scales
    yield f"{name}.b", bias


def smoothing(activations: F32, columns: F32) -> F32:
    """Returns the divisor of each input channel's activations; 1 where either side is silent."""
    silent = (activations < 1e-5) | (columns < 1e-5)
    factors = activations**SMOOTHING / np.maximum(columns, 1e-5) ** (1 - SMOOTHING)
    return np.where(silent, 1.0, factors).astype(np.float32)


def quantised_rows(matrix: F32) -> tuple[NDArray[np.int8], F32]:
    """Returns each row as whole numbers in [-63, 63] and the scale that gives the row back."""
    scales = np.maximum(np.abs(matrix).max(axis=1), 1e-12) / LARGEST
    return np.rint(matrix / scales[:, None]).astype(np.int8), scales.astype(np.float32)
