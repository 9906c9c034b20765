"""Banks held in memory over a store, and commands on them."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from core.bank.bank import Bank
from core.bank.steps import BankPut, NodePut
from core.errors import NodeExists
from core.keys import BankKey
from core.kinds import KINDS
from core.ports.aggregates import Draft
from core.ports.index_cache import IndexCache
from core.ports.store import Store
from service.adapters.system_clock import SystemClock
from service.adapters.ulid_ids import UlidIds
from service.holding.held import Holding
from service.holding.open import OpenAggregates
from tests.support.changes import KEY, node, record, vector
from tests.support.no_blobs import NoBlobs

MANY = 1_200  # nodes: so many that their words are worth a snapshot


@dataclass(frozen=True)
class Added:
    node_id: str


def adding(node_id: str) -> Callable[[Bank, int], Draft[Added]]:
    """A command that adds a node, once."""

    def stage(bank: Bank, revision: int) -> Draft[Added]:
        if node_id in bank.nodes:
            raise NodeExists(node_id)
        put = NodePut(node=node(node_id, revision=revision), vector=vector(len(node_id)))
        return Draft(result=Added(node_id), steps=(put,), touches=frozenset((f"node:{node_id}",)))

    return stage


def founding(of: BankKey = KEY, uid: str = "u1") -> Draft[None]:
    return Draft(result=None, steps=(BankPut(record=record(of, uid)),))


def founding_with(count: int, of: BankKey = KEY) -> Draft[None]:
    nodes = [NodePut(node=node(f"n{number}"), vector=vector(number)) for number in range(count)]
    return Draft(result=None, steps=(BankPut(record=record(of, "u1")), *nodes))


def founding_many(of: BankKey = KEY) -> Draft[None]:
    return founding_with(MANY, of)


@asynccontextmanager
async def opened(
    store: Store, holding: Holding | None = None, cache: IndexCache | None = None
) -> AsyncIterator[OpenAggregates]:
    banks = OpenAggregates(KINDS, store, NoBlobs(), SystemClock(), UlidIds(), holding or Holding(), cache)
    yield banks
    await banks.close()
