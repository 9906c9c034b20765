"""Banks in a store, for suites that run on every store."""

from collections.abc import Sequence

from core.bank.state import BankState
from core.bank.steps import BankChange, Step
from core.ids import NodeId
from core.keys import BankKey
from core.ports.store import Store
from tests.support import changes as a

N1, N2, N3 = NodeId("n1"), NodeId("n2"), NodeId("n3")


async def founded(store: Store, key: BankKey = a.KEY, uid: str = "u1", first: int = 1) -> a.Story:
    """A bank of one change: two related nodes from one interaction."""
    story = a.Story(key, uid, first)
    await store.append(key, uid, [a.founding_with_two_nodes(story)])
    return story


async def loaded(store: Store, key: BankKey = a.KEY) -> BankState:
    state = await store.load(key)
    assert isinstance(state, BankState)
    return state


async def after(store: Store, *steps: Step) -> BankState:
    """The bank of two nodes, when it is loaded after one more change."""
    story = await founded(store)
    await store.append(a.KEY, "u1", [story.change(*steps)])
    return await loaded(store)


def revisions(changes: Sequence[BankChange]) -> list[int]:
    return [change.revision for change in changes]
