"""Opens what compares and what reads sentences: one model of the process, whatever embedder its banks use."""

from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

from core.ports.comparer import Comparer, NoComparer
from core.ports.embedder import Embedder
from core.ports.reader import NoReader, Reader
from service.adapters.cached_embedder import CachedEmbedder
from service.settings.retrieval import JudgingSection

if TYPE_CHECKING:
    from service.adapters.local_embedder import LocalEmbedder, Networks, ReadingNetwork


def forgetting(embedder: CachedEmbedder, comparer: Comparer, reader: Reader) -> Callable[[], None]:
    """Returns what drops all that these keep of texts. Comparer and reader may overhear passages that are being
    embedded, so they forget once more when they are."""

    def forget_heard() -> None:
        comparer.forget()
        reader.forget()

    def forget() -> None:
        under_way = embedder.forget()
        forget_heard()
        for flight in under_way:
            flight.add_done_callback(lambda _: forget_heard())

    return forget


def local_model(embedder: Embedder, closing: AsyncExitStack) -> Callable[[], "LocalEmbedder"]:
    """Returns what opens the local model of the process, once, in whichever thread: `embedder` where it is the local
    one."""
    lock = Lock()
    opened: list[LocalEmbedder] = []

    def model() -> "LocalEmbedder":
        from service.adapters.local_embedder import LocalEmbedder

        if isinstance(embedder, LocalEmbedder):
            return embedder
        with lock:
            if not opened:
                opened.append(LocalEmbedder.open())
                closing.callback(opened[0].close)
            return opened[0]

    return model


def open_comparer(
    chosen: JudgingSection,
    embedder: Embedder,
    model: Callable[[], "LocalEmbedder"],
    remembered: CachedEmbedder,
) -> Comparer:
    """Returns the configured comparer, its own weights checked; it loads its model when it is first asked.

    `embedder`: where it is the local one, `remembered` runs its weights for both. Raises EmbedderUnavailable where its
    own weights are damaged or belong to another model.
    """
    if chosen.model == "none":
        return NoComparer()
    from service.adapters.local_embedder import LocalComparer, LocalEmbedder

    embed = remembered.embed_passages if isinstance(embedder, LocalEmbedder) else None
    return LocalComparer(model, _comparing_networks(), embed=embed, cache_bytes=chosen.cache_bytes)


def open_reader(
    chosen: JudgingSection,
    embedder: Embedder,
    model: Callable[[], "LocalEmbedder"],
    remembered: CachedEmbedder,
) -> Reader:
    """Returns the configured reader, its own weights checked; it loads its model when it first reads. `embedder`: where
    it is the local one, what it embeds is not read again, and `remembered` runs its weights for both.

    Raises EmbedderUnavailable where its weights are damaged or belong to another model.
    """
    if chosen.model == "none":
        return NoReader()
    from service.adapters.local_embedder import LocalEmbedder, LocalReader

    reader = LocalReader(model, _reading_network())
    if isinstance(embedder, LocalEmbedder):
        reader.overhear(embedder, remembered.embed_passages)
    return reader


@cache
def _comparing_networks() -> "Networks":
    """Returns the weights, unpacked once in a process."""
    from service.adapters.local_embedder import Networks

    return Networks.load()


@cache
def _reading_network() -> "ReadingNetwork":
    """Returns the weights, unpacked once in a process."""
    from service.adapters.local_embedder import ReadingNetwork

    return ReadingNetwork.load()
