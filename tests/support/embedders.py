"""Real embedders for tests, opened once: weights take a second to read."""

from functools import cache

from service.adapters.local_embedder import LocalComparer, LocalEmbedder, Networks
from service.adapters.use_embedder import UseEmbedder


@cache
def local_embedder() -> LocalEmbedder:
    """With two threads on each side, so that company is real."""
    return LocalEmbedder.open(query_threads=2, passage_threads=2)


@cache
def local_comparer() -> LocalComparer:
    """By the same weights, in the same runs."""
    return LocalComparer(local_embedder, Networks.load(), embed=local_embedder().embed_passages)


@cache
def light_embedder() -> UseEmbedder:
    return UseEmbedder(query_threads=2, passage_threads=2)
