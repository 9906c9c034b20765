"""Taking up what a crash, or a failed agent, left unstructured: the background's part of Memorize."""

from datetime import timedelta

from core.keys import BankKey
from core.usecases.bank.ports import LeftoverPorts
from core.usecases.bank.structuring.embed_segments import embed_later
from core.usecases.bank.structuring.take_up import take_up
from core.usecases.claims import work_on

AT_ONCE = 16  # interactions taken up in one pass
LOOKED_AT = 1_024  # interactions considered in one pass: those of banks left alone must not hide the others


async def take_up_leftovers(ports: LeftoverPorts, untouched_for: timedelta) -> int:
    """Starts on interactions that have not moved for so long; returns how many. Their outcome is stored, not awaited.

    Banks whose agents failed are left alone for longer each time, and then tried with one interaction
    (see `RetryBackoff`). What another process is at work on is left to it. Of banks in memory, vectors that segments
    lack are made too (where a crash cut their making short).
    """
    before = ports.clock.now() - untouched_for
    for key, interaction_id in ports.banks.unembedded()[:AT_ONCE]:
        embed_later(ports, key, interaction_id)
    patience, tried = ports.workshop.patience, set[BankKey]()
    started = 0
    for leftover in await ports.store.leftovers(LOOKED_AT):
        key, interaction_id = leftover.key, leftover.interaction_id
        if started == AT_ONCE or leftover.update_time > before:
            break  # they come longest untouched first
        if key in tried or ports.workshop.is_running(key, interaction_id):
            continue
        if patience.allows(key, interaction_id) and await ports.claims.take(work_on(key, interaction_id)):
            take_up(ports, key, interaction_id)
            started += 1
            if patience.is_tried(key):
                tried.add(key)
    return started
