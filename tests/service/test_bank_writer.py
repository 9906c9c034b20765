"""The writer of one bank: what it does while a change is being stored."""

from collections.abc import Callable, Sequence

from core.bank.bank import Bank
from core.bank.change import BankPut, Change, NodePut
from core.ids import BankKey
from core.ports import Draft
from service.adapters.memory_store import MemoryStore
from service.adapters.system_clock import SystemClock
from service.adapters.ulid_ids import UlidIds
from service.banks import OpenBanks
from service.held_bank import Holding
from tests.support.changes import KEY, node, record, vector
from tests.support.no_blobs import NoBlobs


class Told(MemoryStore):
    """Notes when a change stands in the store."""

    def __init__(self, events: list[str]) -> None:
        super().__init__()
        self._events = events

    async def append(
        self, key: BankKey, uid: str, changes: Sequence[Change], meanwhile: Callable[[], None] | None = None
    ) -> None:
        await super().append(key, uid, changes, meanwhile)
        self._events.append(f"stored revision {changes[-1].revision}")


async def test_what_an_answer_takes_may_be_made_while_its_change_is_being_stored() -> None:
    events: list[str] = []
    parts = (Told(events), NoBlobs(), SystemClock(), UlidIds(), Holding())
    banks = OpenBanks(*parts, foresee=lambda result: events.append(f"foresaw {result}"))
    await banks.found(KEY, Draft(result=None, steps=(BankPut(record=record(KEY, "u1")),)))

    def stage(bank: Bank, revision: int) -> Draft[str]:
        put = NodePut(node=node("n1", revision=revision), vector=vector(1))
        return Draft(result="n1", steps=(put,), touches=frozenset(("node:n1",)))

    await banks.commit(KEY, stage)

    assert events == ["stored revision 1", "foresaw n1", "stored revision 2"]
    await banks.close()
