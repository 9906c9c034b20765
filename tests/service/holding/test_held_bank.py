"""A bank in memory: when it is looked at for grown indexes."""

from core.aggregate.aggregate import Tuning
from core.aggregate.indexes import Indexes
from core.bank.bank import Bank
from core.bank.kind import BANK
from core.bank.steps import BankChange
from service.adapters.store.memory_store import MemoryStore
from service.holding.held import FEW, HeldAggregate, Holding
from tests.support import changes as a


class Watched(Bank):
    """A bank that counts how often it is looked at."""

    looks = 0

    @property
    def indexes(self) -> Indexes:
        indexes = super().indexes
        return Indexes(
            words=indexes.words, vectors=indexes.vectors, others={**indexes.others, "looks": Looks(self)}
        )


class Looks:
    """An index that counts how often it is asked for its compaction."""

    def __init__(self, bank: Watched) -> None:
        self.bank = bank

    def compaction(self, *, at_rest: bool = False) -> None:
        self.bank.looks += 1

    def adopt(self, job: object) -> None: ...


def held_of(founding: BankChange) -> tuple[HeldAggregate, Watched]:
    bank = Watched.found(founding, "u1", Tuning())
    assert isinstance(bank, Watched)
    return HeldAggregate(BANK, bank, 0.0, MemoryStore(), None, Holding()), bank


async def test_a_bank_is_looked_at_for_grown_indexes_once_for_many_small_edits() -> None:
    story = a.Story()
    held, bank = held_of(story.founding())

    looks = []
    for number in range(FEW + 1):
        held.apply(story.change(a.node_put(f"n{number}", number)), None)
        held.edited()
        looks.append(bank.looks)

    assert looks == [0] * FEW + [1]
    held.let_go()


async def test_what_was_edited_since_the_last_look_is_looked_at_before_the_end() -> None:
    story = a.Story()
    held, bank = held_of(story.founding())
    held.apply(story.change(a.node_put("n1", 1)), None)
    held.edited()

    await held.compacted()
    await held.compacted()

    assert bank.looks == 1
    held.let_go()
