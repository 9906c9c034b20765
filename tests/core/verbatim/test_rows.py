"""Where segments stand in the indexes is looked up anew after every edit."""

import random
from collections.abc import Sequence

import numpy as np
import pytest

from core.conversation.resting import enter
from core.conversation.steps import TurnDrop
from core.ids import SegmentRef
from core.index.compiled_vectors import VectorSettings
from core.verbatim.verbatim import Verbatim
from tests.support.conversations import Talk, turn


def require_right(verbatim: Verbatim) -> None:
    found = verbatim.source.rows(verbatim.order.every_ref)
    assert verbatim.rows.words == found.words
    assert verbatim.rows.vectors.tolist() == found.vectors.tolist()


def test_after_turns_were_added_embedded_and_deleted() -> None:
    talk = Talk()
    talk.say(*(turn(step, f"Ferry {step} leaves at nine.", "It is late.") for step in range(1, 20)))
    verbatim = talk.conversation.verbatim
    require_right(verbatim)
    assert set(verbatim.rows.vectors.tolist()) == {-1}

    talk.embed()
    require_right(verbatim)
    assert verbatim.rows is verbatim.rows

    for step in (3, 7, 19):
        talk.change(TurnDrop(step=step))
        require_right(verbatim)
    talk.say(turn(20, "Ferry 20 is new."))
    require_right(verbatim)
    talk.embed()
    require_right(verbatim)


def test_after_vectors_were_compiled() -> None:
    verbatim = Verbatim(4, VectorSettings(exact_up_to=8))
    for step in range(1, 41):
        enter(verbatim, turn(step, f"Ferry {step} leaves at nine."))
    refs = list(verbatim.order.every_ref)
    vectors = np.random.default_rng(7).normal(size=(len(refs), 4)).astype(np.float32)
    for ref, vector in zip(refs, vectors, strict=True):
        verbatim.vectors.put(ref, vector / np.linalg.norm(vector))
    for ref in refs[:10]:
        verbatim.vectors.drop(ref)
    require_right(verbatim)
    before = verbatim.rows.vectors.tolist()

    job = verbatim.vectors.compaction(at_rest=True)
    assert job is not None
    job.build()
    verbatim.vectors.adopt(job)

    require_right(verbatim)
    assert verbatim.rows.vectors.tolist() != before


@pytest.mark.parametrize("seed", range(5))
def test_whatever_comes_and_goes(seed: int) -> None:
    """Turns come, get their vectors late or never, and go, and rows are asked for between any two of these."""
    chance, talk = random.Random(seed), Talk()
    living: list[int] = []
    for step in range(1, 60):
        what = chance.random()
        if what < 0.5 or not living:
            talk.say(turn(step, f"Ferry {step} leaves at nine.", "It is late." * (step % 2)))
            living.append(step)
        elif what < 0.75:
            talk.embed()
        else:
            talk.change(TurnDrop(step=living.pop(chance.randrange(len(living)))))
        if chance.random() < 0.7:
            require_right(talk.conversation.verbatim)
    require_right(talk.conversation.verbatim)


def test_of_what_only_came_nothing_else_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = Talk()
    talk.say(*(turn(step, f"Ferry {step} leaves at nine.") for step in range(1, 20)))
    talk.embed()
    verbatim = talk.conversation.verbatim
    require_right(verbatim)
    talk.say(turn(20, "Ferry 20 is new."))
    asked, rows = list[int](), verbatim.words.rows

    def noted(keys: Sequence[SegmentRef]) -> list[int]:
        asked.append(len(keys))
        return rows(keys)

    monkeypatch.setattr(verbatim.words, "rows", noted)

    assert len(verbatim.rows.words) == 20
    assert asked == [1]
