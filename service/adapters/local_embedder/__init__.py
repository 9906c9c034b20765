"""Real vectors without a network: multilingual-e5-small, int8, on the processor."""

from service.adapters.local_embedder.comparer import LocalComparer
from service.adapters.local_embedder.comparing import Networks
from service.adapters.local_embedder.embedder import LocalEmbedder
from service.adapters.local_embedder.reader import LocalReader
from service.adapters.local_embedder.reading import ReadingNetwork

__all__ = ["LocalComparer", "LocalEmbedder", "LocalReader", "Networks", "ReadingNetwork"]
