"""A person's name goes out of what callers said of a bank's retractions."""

from core.text.mentions import Mentions
from core.usecases.bank.record import Context
from core.usecases.bank.retraction.cover_interactions import cover_interactions
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.bank.verbs.retract_interactions import RetractInteractions, retract_interactions
from tests.support.house import KEY, make_bank, open_house


async def test_the_source_and_the_reason_of_a_retraction_lose_the_name() -> None:
    async with open_house() as house:
        await make_bank(house)
        await memorize(house, Memorize(key=KEY, context=Context(text="The harbour is old.", source="Bob")))
        taking = RetractInteractions(key=KEY, source="Bob", reason="Bob was wrong. It is new.")
        await retract_interactions(house, taking)

        await cover_interactions(house, KEY, Mentions(["Bob"]))

        async with house.banks.reading(KEY) as bank:
            (kept,) = bank.retractions.values()
    assert (kept.source, kept.reason) == ("███", "█" * 14 + " It is new.")
