"""A quantised transformer's encoder (BERT's graph), on processors with AVX-512 and VNNI.

What it gives has the same bytes as what onnxruntime 1.31 gives of the same constants on such a processor, for each
number of tokens.
"""

import numpy as np
from numpy.typing import NDArray

def is_able() -> bool:
    """Whether this processor has the instructions, and the module was built with them."""

class Encoder:
    """Weights, packed once. Calls may overlap: the GIL is released, and nothing is kept between them."""

    def __init__(
        self,
        constants: dict[str, NDArray[np.generic]],
        *,
        layers: int,
        heads: int,
        inner: int,
        epsilon: float,
    ) -> None:
        """`constants` by the names of `quantise.initialisers`: nothing refers to them afterwards. A head has 32
        numbers; `inner` is how wide the states are between a layer's last two matrices, a multiple of 32.

        Raises KeyError for a constant that is missing, ValueError for one of another shape, RuntimeError where it is
        not able.
        """

    def pooled(self, embedded: NDArray[np.float32]) -> NDArray[np.float32]:
        """The mean of the last layer over all tokens, shape (hidden,), not normalised. `embedded`: (tokens, hidden),
        the sums of word, place and type, before they are normalised. Raises ValueError for another shape, or no
        token.
        """
