"""What a round changes of a node, and what it leaves."""

from core.model.node import NodeState
from core.usecases.bank.structuring.rewording import MAX_KEYWORDS, reworded, touched
from core.usecases.moment import Moment
from tests.support import changes as a

MOMENT = Moment(now=a.START, revision=9, top_k=8, alpha=0.5, validation_floor=0.0, judge_assistants=False)


def test_a_node_touched_says_when_and_keeps_what_is_not_given() -> None:
    before = a.node("n1", context="旧的背景", revision=3)

    after = touched(before, MOMENT, state=NodeState.CONTESTED)

    assert (after.revision, after.update_time) == (9, MOMENT.now)
    assert (after.state, after.context) == (NodeState.CONTESTED, "旧的背景")


def test_a_nodes_own_keywords_come_first_and_there_are_not_too_many() -> None:
    before = a.node("n1", keywords=("里斯本", "nurse"), base_keywords=("里斯本", "nurse"))

    after = reworded(before, MOMENT, "new", ["nurse", "hospital"], [f"word-{n}" for n in range(MAX_KEYWORDS)])

    assert after.keywords[:4] == ("里斯本", "nurse", "hospital", "word-0")
    assert len(after.keywords) == MAX_KEYWORDS
