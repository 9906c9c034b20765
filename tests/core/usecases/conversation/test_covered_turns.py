"""A person's name goes out of a conversation, whatever is at work on it meanwhile."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.text.mentions import Mentions
from core.usecases.conversation.cover_turns import cover_turns
from core.usecases.conversation.tiers.embed_turns import embed_turns
from core.usecases.conversation.verbs.retract_turns import RetractTurns, retract_turns
from core.usecases.house import House
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.house import open_house
from tests.support.talking import KEY, said, say

BOB = Mentions(["Bob"])


class CoveringEmbedder(HashingEmbedder):
    """Has the name go while the first texts are being embedded."""

    house: House | None = None

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = await super().embed_passages(texts)
        if (house := self.house) is not None:
            self.house = None
            await cover_turns(house, KEY, BOB)
        return rows


async def test_a_turn_that_is_overwritten_while_it_is_embedded_keeps_no_vector_of_its_old_words() -> None:
    embedder = CoveringEmbedder()
    async with open_house(embedder=embedder, unasked=False) as house:
        await say(house, said("Bob owns the harbour."))
        embedder.house = house

        await embed_turns(house, KEY, house.workshop.ledger(KEY))

        async with house.conversations.reading(KEY) as conversation:
            turn = conversation.turn(1)
            (ref,) = conversation.refs(turn)
            (line,) = conversation.lines(turn).values()
            vector = conversation.verbatim.vectors.get(ref)
    assert turn.input == "█" * 21
    assert vector is not None
    assert np.allclose(vector, embedder.vector(line), atol=0.01)


async def test_the_reason_of_a_retraction_loses_the_name() -> None:
    async with open_house(unasked=False) as house:
        await say(house, said("The harbour is old."))
        taking = RetractTurns(key=KEY, steps=(1,), reason="Bob was wrong. It is new.")
        await retract_turns(house, taking)

        await cover_turns(house, KEY, BOB)

        async with house.conversations.reading(KEY) as conversation:
            (kept,) = conversation.retractions.values()
    assert kept.reason == "█" * 14 + " It is new."
