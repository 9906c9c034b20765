from core.bank.bank import Bank, Tuning
from core.bank.change import InteractionAdd, Step
from core.bank.giving_way import FEW, InTurns, in_turns
from core.ids import InteractionId
from tests.support import changes as a

MANY = 4 * FEW


class Counted:
    """A GiveWay that knows how often it was called."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> None:
        self.times += 1


def steps(nodes: int) -> list[Step]:
    texts = [f"segment {number} 河边" for number in range(nodes)]
    told = InteractionAdd(interaction=a.interaction("i1", *texts))
    known = {"interaction_ids": (InteractionId("i1"),)}
    return [told, *(a.node_put(f"node-{number}", number, **known) for number in range(nodes))]


def test_it_is_given_way_between_portions_and_neither_before_nor_after() -> None:
    counted, seen = Counted(), []

    for item in in_turns(range(6), counted, portion=2):
        seen.append((item, counted.times))

    assert seen == [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (5, 2)]
    assert counted.times == 2


def test_a_mapping_in_turns_is_the_same_mapping() -> None:
    counted, inner = Counted(), {"one": 1, "two": 2, "three": 3}

    outer = InTurns(inner, counted, portion=1)

    assert dict(outer) == inner
    assert list(outer.values()) == [1, 2, 3]
    assert (len(outer), outer.get("two"), "four" in outer) == (3, 2, False)
    assert counted.times == 4  # twice gone through


def test_who_loads_a_bank_gives_way_and_has_the_same_bank() -> None:
    story, counted = a.Story(), Counted()
    before = Bank.found(story.founding(*steps(MANY)), story.uid, Tuning())

    after = Bank.load(before.state(), Tuning(give_way=counted))

    assert (after.nodes, after.tree.interactions) == (before.nodes, before.tree.interactions)
    assert after.node_words.search(["summary"], 3) == before.node_words.search(["summary"], 3)
    assert counted.times >= 2 * MANY  # for the words of each, most of all
