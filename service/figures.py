"""The gauges and counters of what the house holds and does, for metrics."""

from collections.abc import Mapping

from core.ports.comparer import Comparer
from core.usecases.workshop import Workshop
from service.adapters.cached_embedder import CachedEmbedder
from service.holding.open import OpenAggregates

FIGURES = {
    "memorybank_banks_open": "Banks in memory.",
    "memorybank_aggregates_open": "Banks, conversations, collections and all else in memory.",
    "memorybank_open_bytes": "What they take, as last counted.",
    "memorybank_memory_budget_bytes": "What they may take: banks.memory_budget_bytes.",
    "memorybank_watchers": "Streams of WatchBank.",
    "memorybank_feed_unconfirmed_seconds": "Since the store last told where all that is in use stands.",
    "memorybank_commands_queued": "Writes that wait for those before them in the same bank.",
    "memorybank_structurings_running": "Interactions that are being structured.",
    "memorybank_embedder_texts_under_way": "Texts that are being embedded.",
    "memorybank_embedder_cached_texts": "Texts whose vectors are remembered.",
    "memorybank_embedder_cache_hits_total": "Texts that needed no embedding.",
    "memorybank_embedder_cache_misses_total": "Texts that were embedded.",
    "memorybank_judging_bytes": "Memory of what compares sentences: weights of its own, and what it read.",
}


def figures_of(
    banks: OpenAggregates, embedder: CachedEmbedder, comparer: Comparer, workshop: Workshop, budget: int
) -> Mapping[str, float]:
    """Returns the value of each at this moment. Any thread may call it."""
    held = banks.figures()
    return {
        "memorybank_banks_open": held.aggregates.get("bank", 0),
        "memorybank_aggregates_open": sum(held.aggregates.values()),
        "memorybank_open_bytes": held.size,
        "memorybank_memory_budget_bytes": budget,
        "memorybank_watchers": held.watchers,
        "memorybank_feed_unconfirmed_seconds": held.unconfirmed_seconds,
        "memorybank_commands_queued": held.queued,
        "memorybank_structurings_running": workshop.running,
        "memorybank_embedder_texts_under_way": embedder.under_way,
        "memorybank_embedder_cached_texts": embedder.kept,
        "memorybank_embedder_cache_hits_total": embedder.hits,
        "memorybank_embedder_cache_misses_total": embedder.misses,
        "memorybank_judging_bytes": comparer.size,
    }
