"""The encoder's graph through onnxruntime."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from service.adapters.local_embedder.runtime import ort
from service.adapters.local_embedder.weights import F32

_SKELETON = Path(__file__).parent / "skeleton.onnx"


class Session:
    """The graph with its constants. Calls may overlap: a run releases the GIL."""

    def __init__(self, constants: Mapping[str, NDArray[np.generic]]) -> None:
        self.size = sum(array.nbytes for array in constants.values())
        # The session refers to these and does not copy them.
        self._constants = {name: _value(array) for name, array in constants.items()}
        self._session = ort.InferenceSession(
            _SKELETON,
            _options(self._constants),
            ["CPUExecutionProvider"],
            disabled_optimizers=["SkipLayerNormFusion"],  # the fused kernel is the slower one
        )

    def pooled(self, embedded: F32) -> F32:
        """Pools embedded tokens, shape (tokens, hidden), to their mean in the last layer, shape (hidden,)."""
        return self._run("pooled", embedded=embedded)[0]

    def states(self, embedded: F32) -> F32:
        """Returns what the layer by which sentences are compared makes of each token: shape (tokens, hidden)."""
        return self._run("states", embedded=embedded)[0]

    def pooled_and_states(self, embedded: F32) -> tuple[F32, F32]:
        """Returns both of one run, which takes no longer than for either."""
        pooled, states = self._run("pooled", "states", embedded=embedded)
        return pooled, states

    def _run(self, *outputs: str, embedded: F32) -> list[F32]:
        return [made[0] for made in self._session.run(outputs, {"embedded": embedded[None]})]


def _value(array: NDArray[np.generic]) -> ort.OrtValue:
    return ort.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(array))


def _options(constants: dict[str, ort.OrtValue]) -> ort.SessionOptions:
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_external_initializers(list(constants), list(constants.values()))
    return options
