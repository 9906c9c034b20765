"""The load tests: the real server in a process of its own, filled, and asked by ghz.

    python -m tests.load --ghz PATH [--nodes 1000 10000] [--seconds 6] [--only search] [--out build/load]

Every configuration in `configs` runs on the service and right after it on the floor (a bare echo of the
same answers, through the same ghz and the same kind of channel). Prints one table and writes one report.
"""

import argparse
import asyncio
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import grpc

from tests.bench.bench_service import room_for
from tests.bench.corpus import SEED, Corpus, fill
from tests.bench.floor import teach
from tests.bench.measuring import calm, rests, table
from tests.load import ghz
from tests.load.memories import fill_memories, warm
from tests.load.questions import bank_of, write
from tests.load.report import HEADER, Report, machine, page, row
from tests.support.process import server_process

CONTEXTS_OF = 1_000  # nodes of the bank that contexts are asked of
LARGEST = [("grpc.max_receive_message_length", -1)]


class Drive:
    """A service and a floor, each a process, and who asks them."""

    def __init__(
        self, given: argparse.Namespace, service: ghz.Target, floor: ghz.Target, channels: Any
    ) -> None:
        self._given, self._service, self._floor = given, service, floor
        self._channel, self._floor_channel = channels
        self._first: dict[str, bytes] = {}  # request by data file

    async def fill(self, nodes: int) -> None:
        corpus = Corpus(nodes)
        self._first |= write(self._given.out, corpus)
        await fill(self._channel, bank_of(nodes), corpus)
        if nodes == CONTEXTS_OF:
            await fill_memories(self._channel, corpus)
        await rests(self._service.pid)
        if nodes == CONTEXTS_OF:
            await warm(self._channel, corpus)

    async def run(self, configs: Mapping[str, ghz.Config], names: list[str]) -> list[ghz.Outcome]:
        """The configurations at once, on the service; then, where the floor can be asked the same, there."""
        found = await self._on(self._service, configs, names)
        if len(names) == 1 and "protoset" in configs[names[0]]:
            await self._teach(configs[names[0]])
            found += await self._on(self._floor, configs, names)
        return found

    async def _on(
        self, target: ghz.Target, configs: Mapping[str, ghz.Config], names: list[str]
    ) -> list[ghz.Outcome]:
        await calm(target.pid, within=30)
        given, alone = self._given, len(names) == 1
        runs = [
            ghz.run(given.ghz, name, configs[name], target, given.out, given.seconds, alone=alone)
            for name in names
        ]
        return list(await asyncio.gather(*runs))

    async def _teach(self, config: ghz.Config) -> None:
        """The floor answers as the service does."""
        service, _, name = config["call"].rpartition(".")
        method = f"/{service}/{name}"
        answer = await self._channel.unary_unary(method)(self._first[Path(config["data-file"]).stem])
        await teach(self._floor_channel, method, [answer])


async def measured(given: argparse.Namespace, folder: Path) -> list[ghz.Outcome]:
    configs = ghz.shipped(given.nodes, given.only)
    async with (
        server_process(folder / "service", room_for(max(given.nodes))) as service,
        server_process(folder / "floor", program=("-m", "tests.bench.floor")) as floor,
        grpc.aio.insecure_channel(service.address, options=LARGEST) as channel,
        grpc.aio.insecure_channel(floor.address, options=LARGEST) as floor_channel,
    ):
        drive = Drive(
            given,
            ghz.Target(name="service", address=service.address, pid=service.pid),
            ghz.Target(name="floor", address=floor.address, pid=floor.pid),
            (channel, floor_channel),
        )
        for nodes in given.nodes:
            print(f"filling a bank of {nodes:,} nodes", file=sys.stderr)
            await drive.fill(nodes)
        outcomes = []
        for names in ghz.groups(configs):
            print(" and ".join(names), file=sys.stderr)
            outcomes += await drive.run(configs, names)
        return outcomes


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ghz", type=Path, default=shutil.which("ghz"), help="the program")
    parser.add_argument("--nodes", type=int, nargs="+", default=[1_000, 10_000], help="1000, 10000, 100000")
    parser.add_argument("--seconds", type=float, default=6.0, help="of each run")
    parser.add_argument("--only", default="", help="configurations whose name has this in it")
    parser.add_argument("--out", type=Path, default=Path("build/load"), help="for questions, results, report")
    given = parser.parse_args()
    if given.ghz is None:
        parser.error("ghz is not on the path: name it with --ghz, or use `make load`")
    given.out = given.out.absolute()
    given.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        outcomes = await measured(given, Path(folder))
    print(table(HEADER, [row(one, outcomes) for one in outcomes]))
    facts = await asyncio.to_thread(machine, given.ghz) | {
        "seed": str(SEED),
        "seconds a run": f"{given.seconds:g}",
    }
    path = given.out / "report.html"
    path.write_text(page(Report(facts=facts, outcomes=outcomes)), "utf-8")
    print(f"report: {path}")


if __name__ == "__main__":
    asyncio.run(main())
