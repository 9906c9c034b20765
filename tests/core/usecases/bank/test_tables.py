"""A table that is cut across nodes keeps the heads of its columns in each of them."""

from collections.abc import Sequence

import pytest

from core.agents.offline.statements import statements
from core.agents.roles import Cluster, Piece
from core.usecases.bank.record import Context, Message
from core.usecases.bank.verbs.memorize import Memorize, memorize
from tests.support.house import KEY, make_bank, open_house
from tests.support.scripted_agents import ScriptedAgents

HEAD = "| Crop | Sown | Harvested |\n|---|---|---|"
TABLE = "\n".join([HEAD, *(f"| crop {n} | in week {n} | in week {n + 12} |" for n in range(60))])


def apart(pieces: Sequence[Piece], _task: str) -> tuple[Cluster, ...]:
    """Every piece a topic of its own."""
    return tuple(Cluster(pieces=(n,), context=f"part {n}", keywords=()) for n in range(len(pieces)))


async def summaries(agents: ScriptedAgents, context: Context) -> list[str]:
    """Returns the summaries of a bank that was told this."""
    agents.clusterer.clusters.otherwise = apart
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        told = await memorize(house, Memorize(key=KEY, context=context))
        async with house.banks.reading(KEY) as bank:
            return [bank.nodes[node_id].summary for node_id in told.node_ids]


async def test_every_part_of_a_table_has_its_head_once() -> None:
    found = await summaries(ScriptedAgents(), Context(text=f"What grows where:\n\n{TABLE}"))

    assert len(found) > 3
    assert [summary.count(HEAD) for summary in found] == [1] * len(found)


@pytest.mark.parametrize("speaker", ["", "Ann"])
async def test_a_row_of_a_later_part_is_read_under_the_heads_of_its_columns(speaker: str) -> None:
    context = Context(messages=(Message(text=TABLE, speaker=speaker),))

    *_, last = await summaries(ScriptedAgents(), context)

    assert "crop 59: Sown: in week 59; Harvested: in week 71" in [one.told for one in statements(last)]
