"""What settings were chosen on is told from what they were not, by its words."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.contradictions import read_letta
from evaluation.documented import read
from evaluation.locomo import read as read_locomo
from evaluation.sets import Case, Contradictions, EvaluationSet, Split
from evaluation.splits import divided, limited
from tests.evaluation.test_documented import example
from tests.evaluation.test_own_sets import ALL, own

SHARED = Path(__file__).parents[3] / "shared" / "data"


@pytest.mark.parametrize("name", ALL)
def test_our_own_sets_are_development_sets_under_any_name(name: str) -> None:
    chosen = own(name)
    renamed = replace(chosen, worlds=tuple(replace(world, world_id="other") for world in chosen.worlds))

    assert [part.split for part in divided(renamed)] == [Split.DEVELOPMENT]


def test_the_published_development_files_are_known() -> None:
    path = SHARED / "locomo_dev.json"
    if not path.is_file():
        pytest.skip("no LoCoMo beside the checkout")
    letta = (SHARED / "letta_core_memory_update_dev.jsonl").read_text(encoding="utf-8")

    dialogues = divided(read_locomo(path.read_text(encoding="utf-8")))
    facts = divided(Contradictions(name="letta", cases=read_letta(letta)))

    assert [part.split for part in (*dialogues, *facts)] == [Split.DEVELOPMENT, Split.DEVELOPMENT]


def test_worlds_of_both_kinds_in_one_file_are_never_summed_up_together() -> None:
    known, unknown = own("chinese"), read(json.dumps(example()))
    mixed = replace(unknown, worlds=(*unknown.worlds, *known.worlds))

    parts = divided(mixed)

    assert [part.split for part in parts] == [Split.DEVELOPMENT, Split.HELD_OUT]
    worlds = [part.worlds for part in parts if isinstance(part, EvaluationSet)]
    assert worlds == [known.worlds, unknown.worlds]


def test_a_limit_spreads_the_questions_over_each_world() -> None:
    chosen = own("chinese")
    (world,) = chosen.worlds

    few = limited(chosen, 2)

    assert few.limit == 2
    assert isinstance(few, EvaluationSet)
    assert few.questions == (world.questions[0], world.questions[len(world.questions) // 2])
    assert limited(chosen, 0) == chosen
    assert limited(chosen, 1_000).limit == 1_000


def test_cases_are_limited_and_keep_their_facts_apart() -> None:
    cases = tuple(
        Case(world=(f"fact {n}", "the same"), question="?", contradicting="no", contradicted=frozenset((0,)))
        for n in range(4)
    )

    few = limited(Contradictions(name="letta", cases=cases), 2)

    assert isinstance(few, Contradictions)
    assert few.cases == (cases[0], cases[2])
    assert few.facts == ("fact 0", "the same", "fact 2")
    assert [part.split for part in divided(few)] == [Split.HELD_OUT]
