"""Opens what compares sentences: one model of the process, whatever embedder its banks use."""

from collections.abc import Callable
from contextlib import AsyncExitStack

from core.ports.comparer import Comparer, NoComparer
from core.ports.embedder import Embedder
from service.adapters.cached_embedder import CachedEmbedder
from service.settings.retrieval import JudgingSection


def forgetting(embedder: CachedEmbedder, comparer: Comparer) -> Callable[[], None]:
    """Returns what drops all that either keeps of texts. The comparer may overhear passages that are being embedded, so
    it forgets once more when they are."""

    def forget() -> None:
        under_way = embedder.forget()
        comparer.forget()
        for flight in under_way:
            flight.add_done_callback(lambda _: comparer.forget())

    return forget


def open_comparer(chosen: JudgingSection, embedder: Embedder, closing: AsyncExitStack) -> Comparer:
    """Returns the configured comparer, which loads its model when it is first asked.

    `embedder`: shares its weights where it is the local one.
    """
    if chosen.model == "none":
        return NoComparer()
    from service.adapters.local_embedder import LocalComparer, LocalEmbedder

    if isinstance(embedder, LocalEmbedder):
        return LocalComparer(lambda: embedder, shares=True, cache_bytes=chosen.cache_bytes)

    def opened() -> LocalEmbedder:
        own = LocalEmbedder.open()
        closing.callback(own.close)
        return own

    return LocalComparer(opened, cache_bytes=chosen.cache_bytes)
