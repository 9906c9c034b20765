"""Twenty minutes of calls on three replicas behind Envoy, with purges and kills: what a long run would leak, or lose.

At soak's size alone. Each bank is written until it is full, compared with what was acknowledged, and purged: so what
is remembered stays as much as it was, and memory and descriptors must stay as they were. One replica is never killed,
and its process is looked at.
"""

import asyncio
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median

import pytest

from memorybank_client import MemoryBankClient, NotFound
from tests.mesh.fleet import Fleet, Replica, nodes_of
from tests.mesh.load import CALLERS, Load
from tests.mesh.test_mesh import FOUND, NAMED, scene
from tests.support.process import CLIENT_SPACE, vector
from tests.support.scale import scaled

SECONDS = scaled(120)
CALLS = float(os.environ.get("MEMORYBANK_SOAK_CALLS", "150"))  # a second, of all callers
KILLS = 10
FULL_BANK = 100  # nodes, after which a bank is purged
LOOKS = 60  # at the process, in all
GROWTH = 1.1  # of memory, from the second third of the time to the last
SLACK = 24 * 2**20  # bytes that an allocator may keep, whatever is asked of it
CHANGE = 10  # descriptors more or less: connections of a replica that has just come or gone

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(scaled(1) == 1, reason="in soak: it takes twenty minutes there"),
]


@dataclass(slots=True, kw_only=True)
class Looks:
    """What a process took, look by look: bytes in memory, and open descriptors."""

    memory: list[int] = field(default_factory=list)
    descriptors: list[int] = field(default_factory=list)

    def look(self, replica: Replica) -> None:
        assert replica.server is not None
        place = Path(f"/proc/{replica.server.process.pid}")
        pages = int((place / "statm").read_text().split()[1])
        self.memory.append(pages * os.sysconf("SC_PAGE_SIZE"))
        self.descriptors.append(len(list((place / "fd").iterdir())))

    def thirds(self) -> Iterator[str]:
        third = len(self.memory) // 3
        for name, start in (("first", 0), ("second", third), ("last", 2 * third)):
            memory = median(self.memory[start : start + third]) / 2**20
            descriptors = self.descriptors[start : start + third]
            yield f"{name} third: {memory:,.0f} MiB, {min(descriptors)} to {max(descriptors)} descriptors"

    def is_level(self) -> bool:
        third = len(self.memory) // 3
        before, after = self.memory[third : 2 * third], self.memory[2 * third :]
        is_growing = median(after) > GROWTH * median(before) + SLACK
        most = max(self.descriptors[third : 2 * third]) + CHANGE
        return not is_growing and max(self.descriptors[2 * third :]) <= most


async def test_twenty_minutes_of_calls_purges_and_kills_leak_nothing_and_fail_at_kills_alone(
    tmp_path: Path,
) -> None:
    looks = Looks()
    async with scene(tmp_path, has_cables=False) as (made, load):
        load.phase = "steady"
        calling = [asyncio.create_task(fill_and_purge(load, caller)) for caller in range(CALLERS)]
        killing = asyncio.create_task(kill_now_and_then(made, load))
        for _ in range(LOOKS):
            await asyncio.sleep(SECONDS / LOOKS)
            looks.look(made.replicas[0])
        await killing
        load.is_over = True
        purged = sum(await asyncio.gather(*calling))

    print(*load.table(), *looks.thirds(), f"{purged} banks purged; {dict(load.kinds)}", sep="\n")
    assert purged >= CALLERS
    assert set(load.kinds) <= NAMED
    assert (load.failed["steady", False], load.failed["steady", True]) == (0, 0)
    assert looks.is_level(), list(looks.thirds())


async def fill_and_purge(load: Load, caller: int) -> int:
    """Writes and reads at its pace; a full bank is compared and purged, and the next begun. Returns how many were."""
    now, pace = asyncio.get_running_loop().time, 2 * CALLERS / CALLS
    tries_again = caller % 2 == 0
    client = load.patient if tries_again else load.impatient
    purged, turn = 0, now()
    while not load.is_over:
        bank, written = f"s{caller}-{purged}", dict[str, int]()
        founding = partial(client.create_bank, bank_id=bank, embedding_space=CLIENT_SPACE, request_id=bank)
        await load.made(tries_again, founding)
        while len(written) < FULL_BANK and not load.is_over:
            name = f"n{len(written)}"
            request_id = f"{bank}-{name}"
            adding = partial(
                client.add_node,
                bank_id=bank,
                request_id=request_id,
                node_id=name,
                summary=name,
                embedding=vector(1),
            )
            written[name] = (await load.made(tries_again, adding)).revision
            found = await load.made(tries_again, partial(client.get_node, bank_id=bank, node_id=name))
            assert found.node.revision == written[name], "a read below what was written"
            turn = max(turn + pace, now() - 1.0)
            await asyncio.sleep(max(0.0, turn - now()))
        there = await load.made(
            tries_again, partial(nodes_of, client, bank, max(written.values(), default=0))
        )
        assert there == written, "an acknowledged write is lost, or one was made twice"
        await load.made(tries_again, partial(_gone, client, bank))
        purged += 1
    return purged


async def _gone(client: MemoryBankClient, bank: str) -> None:
    """Purges a bank; that it is gone already, by a call of which no answer came, is as good."""
    with suppress(NotFound):
        await client.delete_bank(bank_id=bank)


async def kill_now_and_then(made: Fleet, load: Load) -> None:
    """Kills each replica but the first in turn, and starts it again."""
    for kill in range(KILLS):
        await asyncio.sleep(SECONDS / (KILLS + 1))
        replica = made.replicas[1 + kill % (len(made.replicas) - 1)]
        load.phase = "one killed"
        await replica.kill()
        await asyncio.sleep(FOUND)
        await replica.start()
        await asyncio.sleep(2 * FOUND)  # what was under way has come back to its callers
        load.phase = "steady"
