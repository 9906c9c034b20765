"""Opens the embedder that the settings name."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from threading import Thread
from typing import TYPE_CHECKING

from core.model.bank import EmbeddingSpace
from core.ports.embedder import Embedder, Thresholds
from service.settings.retrieval import EmbedderSection

if TYPE_CHECKING:
    from service.adapters.openai_embedder import Endpoint


@contextmanager
def loaded_ahead(chosen: EmbedderSection) -> Iterator[None]:
    """Loads the local model, where it is the chosen one, in a thread beside what is done within: a start imports what
    serves meanwhile. `open_embedder` waits for it, and raises what is wrong with its weights.

    What the thread needs is imported here: two threads that import modules of one package may fail.
    """
    if chosen.kind != "local":
        yield
        return
    import service.adapters.local_embedder.session  # noqa: F401
    from service.adapters.local_embedder import LocalEmbedder

    loading = Thread(target=LocalEmbedder.load_ahead, name="load-model")
    loading.start()
    try:
        yield
    finally:
        loading.join()


async def open_embedder(chosen: EmbedderSection, closing: AsyncExitStack) -> Embedder:
    """Opens the configured embedder. Raises EmbedderUnavailable.

    The adapters are imported when chosen: each brings a library of its own, and some are optional.
    """
    queries, passages = chosen.query_threads, chosen.passage_threads
    inner: Embedder
    match chosen.kind:
        case "local":
            from service.adapters.local_embedder import LocalEmbedder

            local = await asyncio.to_thread(
                LocalEmbedder.open, query_threads=queries, passage_threads=passages
            )
            closing.callback(local.close)
            inner = local
        case "light":
            from service.adapters.use_embedder import UseEmbedder

            light = await asyncio.to_thread(UseEmbedder, query_threads=queries, passage_threads=passages)
            closing.callback(light.close)
            inner = light
        case "openai":
            from service.adapters.openai_embedder import OpenAIEmbedder

            remote = OpenAIEmbedder(*_endpoint(chosen))
            closing.push_async_callback(remote.close)
            inner = remote
    return inner


def _endpoint(chosen: EmbedderSection) -> "tuple[Endpoint, EmbeddingSpace, Thresholds]":
    from service.adapters.openai_embedder import Endpoint

    endpoint = Endpoint(
        model=chosen.model,
        base_url=chosen.base_url,
        api_key=chosen.api_key.get_secret_value(),
        query_prefix=chosen.query_prefix,
        passage_prefix=chosen.passage_prefix,
        shortened=chosen.shortened,
        timeout_seconds=chosen.timeout_seconds,
    )
    space = EmbeddingSpace(
        name=chosen.model,
        dimension=chosen.dimension,
        cosine_floor=chosen.cosine_floor,
        cosine_ceiling=chosen.cosine_ceiling,
    )
    thresholds = Thresholds(
        topic=chosen.topic_threshold,
        related=chosen.related_threshold,
        cluster=chosen.cluster_threshold,
        same=chosen.same_threshold,
    )
    return endpoint, space, thresholds
