"""Contradictions on the whole write path, by the offline agents: found, and both sides brought."""

import json

from core.agents.offline.agents import offline_agents
from core.bank.query import Target
from evaluation.both_sides import SETTINGS, ask_both_sides
from evaluation.contradictions import run
from evaluation.contradictions_report import markdown, plain
from evaluation.pacing import Progress
from evaluation.sets import Case, Contradictions
from tests.evaluation.test_asking import CONDITIONS
from tests.support.embedders import local_comparer
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.house import open_house

HARBOUR = (
    "The ferry to Lindau leaves at 6:30 in the morning.",
    "Marta Keller repairs clocks in a shop by the harbour.",
)
TOWN = ("The library in Bregenz has 40,000 books.", "Jonas Weber teaches chemistry in Dornbirn.")
CHOSEN = Contradictions(
    name="towns",
    cases=(
        Case(
            world=HARBOUR,
            question="When does the ferry to Lindau leave?",
            contradicting="The ferry to Lindau leaves at 8:15 in the morning.",
            contradicted=frozenset((0,)),
        ),
        Case(
            world=TOWN,
            question="How many books has the library in Bregenz?",
            contradicting="The library in Bregenz has 25,000 books.",
            contradicted=frozenset((0,)),
        ),
    ),
)


async def test_both_sides_come_in_the_prompt_in_which_one_came_alone() -> None:
    embedder = HashingEmbedder()

    async with open_house(embedder=embedder, agents=offline_agents(embedder, local_comparer())) as house:
        results = [await run(house, number, case) for number, case in enumerate(CHOSEN.cases)]
        brought = await ask_both_sides(house, CHOSEN, Progress())

    assert [result.right for result in results] == [True, True]
    assert (brought.crowd, brought.unrecorded, brought.dismissed) == (4, 0, 0)
    assert min(brought.task_tokens) > 0
    assert len(SETTINGS) == len(brought.came)
    assert [one < both for one, both in brought.needed] == [True, True]
    for one in (*brought.came[Target.SEGMENTS, 4_000], *brought.came[None, 4_000]):
        assert one.before
        assert one.both
    shown = markdown(CHOSEN, results, brought, CONDITIONS)
    assert "| segments, 4,000 tokens | 1.000 | 1.000 |" in shown
    assert "| as by default, 4,000 tokens | 1.000 | 1.000 |" in shown
    told = json.loads(json.dumps(plain(CHOSEN, results, brought, CONDITIONS)))
    assert told["right_partner"] == 1.0
    assert told["both_sides_in_prompts"]["cases"] == 2
