"""The level of the offline Judge on the open halves: what was reached stays reached.

A figure here is what was measured when it was written: it is raised when the judge becomes better, and lowered only
where the texts held out, many times as many, gain by what costs it (`tests/bench/bench_held_out.py`), or where rules
are deleted that were written for these pairs.
"""

from dataclasses import dataclass

import pytest

from core.agents.offline.judge import OfflineJudge
from tests.judging.level import judge_pairs, level
from tests.judging.pairs import Half, Label, read_pairs
from tests.support.embedders import local_comparer, local_embedder


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """`likely`: contradictions called sure or likely; `false`: what agrees, called a sure conflict."""

    conflicts: int
    likely: int
    false: int
    merges: int
    contradictions_merged: int


REACHED = {
    "en": Reached(conflicts=33, likely=44, false=3, merges=17, contradictions_merged=0),
    "zh": Reached(conflicts=25, likely=31, false=1, merges=12, contradictions_merged=0),
}


@pytest.mark.parametrize("language", REACHED)
async def test_the_judge_keeps_its_level_on_pairs_each_judged_alone(language: str) -> None:
    pairs = read_pairs(language, Half.OPEN)

    judged = await judge_pairs(
        OfflineJudge(local_embedder(), local_comparer()), pairs, [[n] for n in range(len(pairs))]
    )

    found, reached = level(judged), REACHED[language]
    assert found.conflicts[Label.CONFLICT] >= reached.conflicts
    assert found.conflicts[Label.CONFLICT] + found.likely[Label.CONFLICT] >= reached.likely
    assert found.false <= reached.false
    assert found.merges[Label.SAME] >= reached.merges
    assert found.merges[Label.CONFLICT] <= reached.contradictions_merged
