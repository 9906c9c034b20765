"""The server of `hashing_server`, but its embedder does not answer for what a relation has reworded."""

import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.errors import EmbedderUnavailable
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.hashing_server import run


class Away(HashingEmbedder):
    """Embeds whatever names no other topic."""

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if any("related to" in text or "相关" in text for text in texts):
            raise EmbedderUnavailable("away")
        return await super().embed_passages(texts)


def main(_serve: str, _listen: str, listen: str, _data: str, folder: str) -> None:
    run(listen, folder, embedder=Away())


if __name__ == "__main__":
    main(*sys.argv[1:])
