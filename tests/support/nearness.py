"""How near the quantised encoder is to the model it came from."""

from pathlib import Path

import numpy as np

from service.adapters import local_embedder
from service.adapters.embedding_text import cleaned
from service.adapters.local_embedder.calibration import Calibration
from service.adapters.local_embedder.encoder import Encoder
from service.adapters.local_embedder.tokens import Tokenizer
from service.adapters.local_embedder.weights import F32, installed_model
from tools.e5_reference import ReferenceEncoder

FOLDER = Path(local_embedder.__path__[0])


class Pair:
    """The quantised encoder and its float oracle over one set of weights."""

    def __init__(self) -> None:
        model = installed_model()
        self.calibration = Calibration.load(FOLDER / "calibration.npz")
        self.quantised = Encoder(model.weights, self.calibration)
        self.reference = ReferenceEncoder(model.weights)
        self._tokenizer = Tokenizer(model.vocabulary)

    def cosines(self, text: str) -> tuple[float, float]:
        """Of the two encoders' vectors for a passage: as they come, and centred."""
        framed = self._tokenizer.framed(
            self._tokenizer.ids("passage:"), self._tokenizer.ids(cleaned(text))[:500]
        )
        ours, exact = self.quantised.pooled(framed), self.reference.pooled(framed)
        centred = [self.calibration.centred(each.astype(np.float64)) for each in (ours, exact)]
        return _cosine(ours, exact), _cosine(*centred)


def _cosine(one: F32, other: F32) -> float:
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))
