"""Real vectors without a network: multilingual-e5-small, int8, on the processor."""

from service.adapters.local_embedder.comparer import LocalComparer
from service.adapters.local_embedder.embedder import LocalEmbedder

__all__ = ["LocalComparer", "LocalEmbedder"]
