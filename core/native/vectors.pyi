import numpy as np
from numpy.typing import NDArray

def cosines(
    matrix: NDArray[np.float32], rows: NDArray[np.int64], vector: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Products of rows of `matrix` with `vector`, summed in double precision and rounded once. Shape (len(rows),)."""
