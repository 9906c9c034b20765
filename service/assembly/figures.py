"""What the house holds and does, in figures: for metrics, and for those who ask what answers."""

import shutil
from collections.abc import Mapping
from datetime import datetime, timedelta
from importlib.metadata import version

from core.keys import BankKey, CollectionKey, ConversationKey
from core.model.retraction import RetractionState
from core.ports.clock import Clock
from core.ports.comparer import Comparer
from core.usecases.process_facts import UNUSED, ProcessFacts
from core.usecases.workshop import JobRunner
from service.adapters.cached_embedder import CachedEmbedder
from service.adapters.store.database import Connections
from service.config import Settings
from service.holding.open import OpenAggregates

FIGURES = {
    "memorybank_banks_open": "Banks in memory.",
    "memorybank_aggregates_open": "Banks, conversations, collections and all else in memory.",
    "memorybank_open_bytes": "What they take, as last counted.",
    "memorybank_memory_budget_bytes": "What they may take: banks.memory_budget_bytes.",
    "memorybank_watchers": "Streams of WatchBank.",
    "memorybank_feed_unconfirmed_seconds": "Since the store last told where all that is in use stands.",
    "memorybank_commands_queued": "Writes that wait for those before them in the same bank.",
    "memorybank_replayed_total": "Repeated requests that got their first answer again.",
    "memorybank_commit_unknown_total": "Commits whose answer was lost: the write was sent again.",
    "memorybank_pool_connections": "Connections to a PostgreSQL database.",
    "memorybank_pool_connections_busy": "Those of them that are at work.",
    "memorybank_structurings_running": "Interactions that are being structured.",
    "memorybank_embedder_texts_under_way": "Texts that are being embedded.",
    "memorybank_embedder_cached_texts": "Texts whose vectors are remembered.",
    "memorybank_embedder_cache_hits_total": "Texts that needed no embedding.",
    "memorybank_embedder_cache_misses_total": "Texts that were embedded.",
    "memorybank_judging_bytes": "Memory of what compares sentences: weights of its own, and what it read.",
    "memorybank_reviews_overdue": "Records that have waited for a review for longer than long_term.review_days.",
    "memorybank_retractions_overdue": "Retractions that were neither released nor erased for as long.",
    "memorybank_collections_full": "Collections in memory in which what was learned finds no room.",
}


def figures_of(
    settings: Settings,
    clock: Clock,
    banks: OpenAggregates,
    embedder: CachedEmbedder,
    comparer: Comparer,
    workshop: JobRunner,
    connections: Connections,
) -> Mapping[str, float]:
    """Returns the value of each at this moment. Any thread may call it."""
    held = banks.figures()
    return {
        "memorybank_banks_open": held.aggregates.get("bank", 0),
        "memorybank_aggregates_open": sum(held.aggregates.values()),
        "memorybank_open_bytes": held.size,
        "memorybank_memory_budget_bytes": settings.banks.memory_budget_bytes,
        "memorybank_watchers": held.watchers,
        "memorybank_feed_unconfirmed_seconds": held.unconfirmed_seconds,
        "memorybank_commands_queued": held.queued,
        "memorybank_replayed_total": held.replayed,
        "memorybank_commit_unknown_total": connections.unknown,
        "memorybank_pool_connections": connections.open,
        "memorybank_pool_connections_busy": connections.busy,
        "memorybank_structurings_running": workshop.running,
        "memorybank_embedder_texts_under_way": embedder.under_way,
        "memorybank_embedder_cached_texts": embedder.kept,
        "memorybank_embedder_cache_hits_total": embedder.hits,
        "memorybank_embedder_cache_misses_total": embedder.misses,
        "memorybank_judging_bytes": comparer.size,
        "memorybank_reviews_overdue": _overdue_reviews(settings, banks, clock.now()),
        "memorybank_retractions_overdue": _overdue_retractions(settings, banks, clock.now()),
        "memorybank_collections_full": _full_collections(banks),
    }


def _overdue_reviews(settings: Settings, banks: OpenAggregates, now: datetime) -> int:
    """Counts what has waited too long for a review, in the collections in memory. Any thread may call it."""
    before = now - timedelta(days=settings.long_term.review_days)
    waiting = [tuple(collection.proposals.values()) for collection in banks.held_of(CollectionKey.kind)]
    return sum(one.record.create_time < before for proposals in waiting for one in proposals)


def _overdue_retractions(settings: Settings, banks: OpenAggregates, now: datetime) -> int:
    """Counts what was taken back, and neither released nor erased, of what is in memory. Any thread may call it."""
    before = now - timedelta(days=settings.long_term.review_days)
    held = [*banks.held_of(CollectionKey.kind), *banks.held_of(BankKey.kind)]
    made = [each for one in held for each in tuple(one.retractions.values())]
    return sum(each.state is RetractionState.QUARANTINED and each.create_time < before for each in made)


def _full_collections(banks: OpenAggregates) -> int:
    """Counts the collections in memory that something learned found no room in. Any thread may call it."""
    return sum(one.record.without_room > 0 for one in banks.held_of(CollectionKey.kind))


def _unshown_keys(banks: OpenAggregates, now: datetime) -> int:
    """Counts the keys that no prompt has shown for long, in the conversations in memory."""
    held = banks.held_of(ConversationKey.kind)
    return sum(key.unshown_since(now - UNUSED) for talk in held for key in talk.keys.values())


def facts_of(settings: Settings, clock: Clock, banks: OpenAggregates, start_time: datetime) -> ProcessFacts:
    """Returns what this process is and holds. To be called on the loop."""
    held = banks.figures()
    return ProcessFacts(
        version=version("agentic-memory-bank"),
        start_time=start_time,
        held=held.aggregates,
        held_bytes=held.size,
        memory_budget=settings.banks.memory_budget_bytes,
        disk_free=None if settings.store.kind == "memory" else shutil.disk_usage(settings.data_dir).free,
        open_conflicts=sum(len(bank.open_conflicts()) for bank in banks.held_of(BankKey.kind)),
        overdue_reviews=_overdue_reviews(settings, banks, clock.now()),
        overdue_retractions=_overdue_retractions(settings, banks, clock.now()),
        unshown_keys=_unshown_keys(banks, clock.now()),
        full_collections=_full_collections(banks),
    )
