"""Token ids to one pooled vector, through onnxruntime.

Law: one text per run. Activations are quantised by the range of the whole tensor, so company would
change a text's vector. A run releases the GIL and may overlap others on the same session.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from service.adapters.local_embedder.calibration import Calibration
from service.adapters.local_embedder.quantise import initialisers
from service.adapters.local_embedder.runtime import ort
from service.adapters.local_embedder.weights import F32, Weights

_SKELETON = Path(__file__).parent / "skeleton.onnx"


class Encoder:
    """The quantised graph. `longest` is how many tokens one run may have, marks included."""

    def __init__(self, weights: Weights, calibration: Calibration) -> None:
        self._weights = weights
        self.longest = weights.positions
        self._places = _places(weights)
        constants = dict(initialisers(weights, calibration.ranges))
        # The session refers to these and does not copy them.
        self._constants = {name: _value(array) for name, array in constants.items()}
        self._session = ort.InferenceSession(
            _SKELETON,
            _options(self._constants),
            ["CPUExecutionProvider"],
            disabled_optimizers=["SkipLayerNormFusion"],  # the fused kernel is the slower one
        )

    def pooled(self, ids: list[int]) -> F32:
        """The mean of the last layer over all tokens: shape (hidden,), not normalised."""
        embedded = self._weights.word_rows(np.asarray(ids, dtype=np.int64)) + self._places[: len(ids)]
        pooled: F32 = self._session.run(None, {"embedded": embedded[None]})[0][0]
        return pooled


def _places(weights: Weights) -> F32:
    """Position and type embeddings in one table: shape (positions, hidden)."""
    return (
        weights.floats("emb.pos").reshape(-1, weights.hidden) + weights.floats("emb.type")[: weights.hidden]
    )


def _value(array: NDArray[np.generic]) -> ort.OrtValue:
    return ort.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(array))


def _options(constants: dict[str, ort.OrtValue]) -> ort.SessionOptions:
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_external_initializers(list(constants), list(constants.values()))
    return options
