"""What the house does periodically: it follows the store, writes counts, and removes what is no longer needed."""

from collections.abc import Coroutine, Iterator
from functools import partial
from typing import Any

from core.usecases.bank.sweep_files import sweep_files
from core.usecases.conversation.tiers.count_hits import write_hits
from core.usecases.house import House
from core.usecases.upkeep.store_time import StoreTime
from core.usecases.user.count_tokens import write_tokens
from service.assembly.upkeep import trim
from service.config import Settings
from service.holding.open import OpenAggregates
from service.process.repeating import repeat

# Seconds between two runs:
USES_SECONDS = 5.0  # of how often records were retrieved
FILES_SECONDS = 3_600.0  # of the search for files that no bank names
COLLECT_SECONDS = 60.0  # of the check whether there is time to collect cycles
TRIM_SECONDS = 600.0  # of the search for feed entries that are no longer kept
SWEEP_SECONDS = 600.0  # of the search for snapshots of banks that are no more


def periodic_tasks(
    settings: Settings, house: House, banks: OpenAggregates, time: StoreTime
) -> Iterator[Coroutine[Any, Any, None]]:
    """Yields what the house does periodically, each until it is cancelled."""
    # Twice in the time that an answer may be old, so that reads need not wait for it.
    often = settings.banks.max_staleness_seconds / 2
    yield repeat("confirming heads", banks.confirm_recent, often)
    yield repeat("telling the time", time.look, settings.banks.upkeep_seconds)
    yield repeat("writing uses", partial(house.uses.flush, banks), USES_SECONDS)
    yield repeat("writing hits", partial(write_hits, house), USES_SECONDS)
    yield repeat("writing tokens", partial(write_tokens, house), USES_SECONDS)
    yield repeat("scrubbing", house.store.scrub, settings.store.scrub_seconds)
    yield repeat("collecting cycles", banks.collect, COLLECT_SECONDS)
    yield repeat("trimming", partial(trim, house, settings.banks), TRIM_SECONDS)
    yield repeat("sweeping snapshots", banks.sweep, SWEEP_SECONDS)
    yield repeat("sweeping files", partial(sweep_files, house), FILES_SECONDS)
