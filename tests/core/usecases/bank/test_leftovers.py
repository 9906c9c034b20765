"""What a crash or a failure left is taken up by the background."""

from collections.abc import Sequence
from datetime import timedelta

import numpy as np
import pytest
from numpy.typing import NDArray

from core.errors import AgentUnavailable, EmbedderUnavailable, StructuringFailed
from core.ids import InteractionId
from core.model.structuring import StructuringState
from core.usecases.bank.record import Context
from core.usecases.bank.structuring.leftovers import take_up_leftovers
from core.usecases.bank.verbs.add_nodes import AddNodes, NewNode, add_nodes
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.claims import Claims, work_on
from service.adapters.store.memory_store import MemoryStore
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.house import KEY, CountingIds, make_bank, open_house, work_done
from tests.support.scripted_agents import ScriptedAgents

LONG_AGO = timedelta(hours=-1)  # the second house's clock begins anew, behind what the first one left


async def test_an_interaction_left_by_another_process_is_finished_once() -> None:
    store, agents, ids = MemoryStore(), ScriptedAgents(), CountingIds()
    agents.clusterer.clusters.then(AgentUnavailable("clusterer", "killed"))
    async with open_house(store=store, agents=agents.roles, ids=ids) as house:
        await make_bank(house)
        with pytest.raises(StructuringFailed) as left:
            await memorize(house, Memorize(key=KEY, context=Context(text="alpha one")))
    async with open_house(store=store, agents=agents.roles, ids=ids) as house:
        started = await take_up_leftovers(house, LONG_AGO)
        await work_done(house)

        again = await take_up_leftovers(house, LONG_AGO)

        async with house.banks.reading(KEY) as bank:
            assert (
                bank.tree.structuring(InteractionId(left.value.interaction_id)).state is StructuringState.DONE
            )
            assert len(bank.nodes) == 1
        assert (started, again) == (1, 0)


async def test_what_moved_a_moment_ago_is_left_to_the_process_that_moves_it() -> None:
    agents = ScriptedAgents()
    agents.clusterer.clusters.then(AgentUnavailable("clusterer", "down"))
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        with pytest.raises(StructuringFailed):
            await memorize(house, Memorize(key=KEY, context=Context(text="alpha one")))

        assert await take_up_leftovers(house, timedelta(minutes=1)) == 0


async def test_what_another_process_is_at_work_on_is_left_to_it_until_its_claim_runs_out() -> None:
    store, agents, ids = MemoryStore(), ScriptedAgents(), CountingIds()
    agents.clusterer.clusters.then(AgentUnavailable("clusterer", "killed"))
    async with open_house(store=store, agents=agents.roles, ids=ids) as house:
        await make_bank(house)
        with pytest.raises(StructuringFailed) as left:
            await memorize(house, Memorize(key=KEY, context=Context(text="alpha one")))
    what = work_on(KEY, InteractionId(left.value.interaction_id))
    assert await Claims(store, "another process").take(what)
    async with open_house(store=store, agents=agents.roles, ids=ids) as house:
        assert await take_up_leftovers(house, LONG_AGO) == 0

        await store.claim(what, "another process", 0.0)

        assert await take_up_leftovers(house, LONG_AGO) == 1


class Faltering(HashingEmbedder):
    """Embeds nothing that it was told to falter at."""

    faltering = ""

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.faltering and any(self.faltering in text for text in texts):
            raise EmbedderUnavailable("away")
        return await super().embed_passages(texts)


async def test_vectors_that_segments_lack_are_made_once_the_embedder_is_back() -> None:
    embedder = Faltering()
    embedder.faltering = "verbatim"
    async with open_house(embedder=embedder) as house:
        await make_bank(house)
        node = NewNode(summary="a summary", verbatim="its verbatim record")
        await add_nodes(house, AddNodes(key=KEY, nodes=(node,)))
        await work_done(house)
        async with house.banks.reading(KEY) as bank:
            assert len(bank.wanting_vectors) == 1

        embedder.faltering = ""
        await take_up_leftovers(house, timedelta(0))
        await work_done(house)

        async with house.banks.reading(KEY) as bank:
            assert (len(bank.wanting_vectors), len(bank.verbatim.vectors)) == (0, 1)
