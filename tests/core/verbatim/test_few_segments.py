"""Of a few segments all are candidates by meaning: no index is asked which, and the ranking is the same."""

import pytest

from core.conversation.search import OwnerOfTurns
from core.conversation.steps import TurnDrop
from core.verbatim.placed import Ranking, ranking
from core.verbatim.plan import planned
from core.verbatim.query import Query
from core.verbatim.structure import Structure
from tests.support.conversations import EMBEDDER, SPACE, Talk, turn

STRUCTURE = Structure(near=0.4, reply=0.2, topic=0.3, quote=0.5)
ASKED = ("When does ferry 7 leave?", "第3次备份成功了吗？", "nothing of it")


def spoken(turns: int) -> Talk:
    talk = Talk()
    talk.say(*(turn(step, f"When does ferry {step} leave?", "At nine.") for step in range(1, turns)))
    talk.say(turn(turns, "第3次备份成功了吗？", "数据库的备份已经完成。"))
    return talk


def found(ranked: Ranking) -> tuple[object, ...]:
    return ranked.refs, ranked.best, ranked.scores.tolist(), [side.tolist() for side in ranked.sides]


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("state", ["whole", "one deleted", "one without a vector"])
def test_as_if_the_indexes_had_been_asked(asked: str, state: str) -> None:
    talk = spoken(10)
    talk.embed()
    if state == "one deleted":
        talk.change(TurnDrop(step=4))
    if state == "one without a vector":
        talk.say(turn(11, "When does ferry 11 leave?"))
    conversation, verbatim = talk.conversation, talk.conversation.verbatim
    vector = EMBEDDER.vector(asked)
    plan = planned(Query(top_k=20, alpha=0.5, text=asked, vector=vector, structure=STRUCTURE), SPACE)
    owner = OwnerOfTurns(conversation, SPACE)

    few = ranking(plan, verbatim.source, verbatim.order, owner)
    looked_for = ranking(plan, verbatim.source._replace(allowed=lambda _: True), verbatim.order, owner)

    assert found(few) == found(looked_for)
    assert len(few.refs) == verbatim.order.living
