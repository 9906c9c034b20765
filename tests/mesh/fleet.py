"""Three replicas over one PostgreSQL, with API keys and TLS, behind the real Envoy with the configuration that ships.

Between each replica and the database, and between Envoy and each replica, lies a cable that can be cut, where a test
cuts some: all that goes through them is one more process's work.
"""

import asyncio
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from core.ports.credentials import Credentials
from memorybank_client import MemoryBankClient
from service.assembly.minting import credentials_of
from service.cli.certs import NAMES, make
from tests.support.api_keys import key_for
from tests.support.cable import Cable, cable
from tests.support.envoy import NAME, envoy
from tests.support.postgres import Cluster
from tests.support.process import Server, Settings, free_port, modelless_process
from tests.support.server import settings_for

REPLICAS = 3
LAME_DUCK = 2.5  # Envoy asks for health each second
STORE_TIMEOUT = 3
ONCE = (("grpc.enable_retries", 0),)


@dataclass(slots=True, kw_only=True)
class Replica:
    """A place for a replica: its port, its cables, and what runs there."""

    port: int
    cables: "Cables | None"
    folder: Path
    settings: Settings
    server: Server | None = None
    closing: AsyncExitStack = field(default_factory=AsyncExitStack)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    async def start(self) -> None:
        starting = modelless_process(self.folder, self.settings, listen=self.address)
        self.server = await self.closing.enter_async_context(starting)

    async def kill(self) -> None:
        if self.server is not None:
            await self.server.kill()
            await self._gone()

    async def drain(self) -> None:
        assert self.server is not None
        assert await self.server.stop() == 0
        await self._gone()

    def signal(self, number: signal.Signals) -> None:
        assert self.server is not None
        self.server.process.send_signal(number)

    async def _gone(self) -> None:
        await self.closing.aclose()
        self.server = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cables:
    """What can be cut."""

    to_store: Cable
    from_proxy: Cable


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """The replicas, the proxy before them, and the credentials that their store keeps."""

    replicas: list[Replica]
    proxy: str
    tls: Path
    token: str
    credentials: Credentials
    database: Cluster

    def client(self, address: str, *, token: str = "", retries: bool = True) -> MemoryBankClient:
        """A client of the proxy or of one replica. Without `retries` it tells of every failure at once."""
        made = MemoryBankClient(
            address,
            metadata=[("authorization", f"Bearer {token or self.token}")],
            tls_ca=self.tls / "ca.pem",
            options=() if retries else ONCE,
        )
        return made.within(60)

    async def revoke(self, key_id: str) -> None:
        await self.credentials.revoke(key_id, datetime.now(UTC))

    async def read(self, acknowledged: Mapping[str, Mapping[str, int]]) -> None:
        """Each replica that runs has every acknowledged write once, under its revision, and no revision twice."""
        for replica in self.replicas:
            if replica.server is None:
                continue
            async with self.client(replica.address) as client:
                for bank, written in acknowledged.items():
                    found = await nodes_of(client, bank, max(written.values()))
                    assert written.items() <= found.items(), "an acknowledged write is lost"
                    revisions = sorted(found.values())
                    assert revisions == list(range(revisions[0], revisions[0] + len(found))), (
                        "one was made twice"
                    )


async def nodes_of(client: MemoryBankClient, bank: str, revision: int) -> dict[str, int]:
    """The revision of each node, as of this one at the least."""
    found: dict[str, int] = {}
    token = ""
    while not found or token:
        page = await client.list_nodes(bank_id=bank, min_revision=revision, page_size=500, page_token=token)
        found |= {node.node_id: node.revision for node in page.nodes}
        token = page.next_page_token
    return found


@asynccontextmanager
async def fleet(
    folder: Path, database: Cluster, url_of: "Mapping[str, str]", *, has_cables: bool
) -> AsyncIterator[Fleet]:
    """All replicas at work, each found healthy by the proxy. `url_of`: the settings `url` and `password` of the store,
    the port in the URL written as PORT. Without cables the store has as long as by default."""
    tls = folder / "tls"
    tls.mkdir()
    make(tls, (*NAMES, NAME))
    async with AsyncExitStack() as closing:
        replicas = []
        for _ in range(REPLICAS):
            port = free_port()
            cables = await _laid(database.port, port, closing) if has_cables else None
            replicas.append(_placed(folder, tls, database, url_of, port, cables))
        for replica in replicas:
            closing.push_async_callback(replica.kill)
        await asyncio.gather(*(replica.start() for replica in replicas))
        store = {"url": url_of["url"].replace("PORT", str(database.port)), "password": url_of["password"]}
        credentials = await closing.enter_async_context(credentials_of(settings_for(folder, store=store)))
        _, token = await key_for(credentials, subject="mesh")
        reached = [
            f"127.0.0.1:{replica.cables.from_proxy.port}" if replica.cables else replica.address
            for replica in replicas
        ]
        proxy = await closing.enter_async_context(envoy(folder, reached, tls))
        yield Fleet(
            replicas=replicas, proxy=proxy, tls=tls, token=token, credentials=credentials, database=database
        )


async def _laid(store: int, replica: int, closing: AsyncExitStack) -> Cables:
    return Cables(
        to_store=await closing.enter_async_context(cable(store)),
        from_proxy=await closing.enter_async_context(cable(replica)),
    )


def _placed(
    folder: Path,
    tls: Path,
    database: Cluster,
    url_of: Mapping[str, str],
    port: int,
    cables: Cables | None,
) -> Replica:
    store_port = cables.to_store.port if cables else database.port
    settings = {
        "store.url": url_of["url"].replace("PORT", str(store_port)),
        "store.password": url_of["password"],
        "grpc.lame_duck_seconds": str(LAME_DUCK),
        "auth.required": "true",
        "tls.certificate": str(tls / "server.pem"),
        "tls.key": str(tls / "server.key"),
        "audit.file": str(folder / f"audit-{port}.jsonl"),
    }
    if cables:
        settings["store.timeout_seconds"] = str(STORE_TIMEOUT)
    return Replica(port=port, cables=cables, folder=folder / str(port), settings=settings)
