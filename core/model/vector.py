"""An embedding."""

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
"""One embedding: shape (dimension,), unit length, read-only by convention."""
