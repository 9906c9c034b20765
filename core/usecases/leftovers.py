"""Taking up what a crash, or a failed agent, left unstructured: the background's part of Memorize."""

from datetime import timedelta

from core.usecases.embed_segments import embed_later
from core.usecases.house import House
from core.usecases.structure import begin

AT_ONCE = 16  # interactions taken up in one pass


async def take_up_leftovers(house: House, untouched_for: timedelta) -> int:
    """Start on interactions that nobody has moved for so long; how many. Their outcome is stored, not awaited.

    Of banks in memory, vectors that segments lack are made too (where a crash cut their making short).
    """
    before = house.clock.now() - untouched_for
    for key, interaction_id in house.banks.unembedded()[:AT_ONCE]:
        embed_later(house, key, interaction_id)
    started = 0
    for leftover in await house.store.leftovers(AT_ONCE):
        idle = leftover.update_time <= before
        if idle and not house.workshop.is_running(leftover.key, leftover.interaction_id):
            begin(house, leftover.key, leftover.interaction_id)
            started += 1
    return started
