"""The real process: one line when ready, what it refuses, how it stops, what it remembers."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import memory_bank_pb2_grpc
from tests.support.process import refused_start, served_process

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60


async def start(*options: str) -> Process:
    path = os.pathsep.join(str(ROOT / part) for part in ("", "protos", "clients/python"))
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "service",
        "serve",
        *options,
        stdout=PIPE,
        stderr=PIPE,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
    )


@asynccontextmanager
async def served(data: Path) -> AsyncIterator[tuple[Process, str]]:
    """A process that serves, and its address."""
    process = await start("--listen", "127.0.0.1:0", "--data", str(data))
    logs = asyncio.create_task(process.stderr.read())  # type: ignore[union-attr]  # or it fills up
    try:
        async with asyncio.timeout(PATIENCE):
            line = (await process.stdout.readline()).decode()  # type: ignore[union-attr]
        assert line.startswith("listening on 127.0.0.1:"), (await logs).decode()
        yield process, line.removeprefix("listening on ").strip()
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        await logs


async def test_what_was_acknowledged_outlives_the_process(tmp_path: Path) -> None:
    async with served_process(tmp_path) as server:
        async with grpc.aio.insecure_channel(server.address) as channel:
            bank = memory_bank_pb2_grpc.MemoryBankStub(channel)
            await bank.CreateBank(pb.CreateBankRequest(bank_id="b1", goal="谁是CEO"))
            stored = await bank.Memorize(pb.MemorizeRequest(bank_id="b1", text="公司的CEO是张三。"))
        await server.kill()

    async with served_process(tmp_path) as server, grpc.aio.insecure_channel(server.address) as channel:
        read = await memory_bank_pb2_grpc.MemoryBankStub(channel).GetBank(
            pb.GetBankRequest(bank_id="b1", min_revision=stored.revision)
        )

    assert (read.bank.goal, read.counts.nodes) == ("谁是CEO", 1)


async def test_sigterm_stops_it_cleanly_and_ends_streams_with_a_reason(tmp_path: Path) -> None:
    async with served(tmp_path) as (process, address), grpc.aio.insecure_channel(address) as channel:
        bank = memory_bank_pb2_grpc.MemoryBankStub(channel)
        await bank.CreateBank(pb.CreateBankRequest(bank_id="b1"))
        watch = bank.WatchBank(pb.WatchBankRequest(bank_id="b1"))
        await watch.read()
        health = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest())
        assert (await health.read()).status == health_pb2.HealthCheckResponse.SERVING

        process.send_signal(signal.SIGTERM)
        last = await health.read()
        code = await watch.code()
        async with asyncio.timeout(PATIENCE):
            exit_code = await process.wait()
        rest = await process.stdout.read()  # type: ignore[union-attr]

    assert last.status == health_pb2.HealthCheckResponse.NOT_SERVING
    assert code is grpc.StatusCode.UNAVAILABLE
    assert exit_code == 0
    assert rest == b""  # one line, and no more


async def test_it_will_not_be_reached_from_elsewhere_unless_told_so(tmp_path: Path) -> None:
    refused = await refused_start(tmp_path, "--listen", "0.0.0.0:0", "--data", str(tmp_path))

    assert (refused.code, refused.out) == (1, "")
    assert "--insecure" in refused.err


async def test_it_does_not_start_on_bad_settings_and_says_which(tmp_path: Path) -> None:
    settings = {"retrieval.top_k": "0", "listen": "127.0.0.1:0"}
    refused = await refused_start(tmp_path, "--data", str(tmp_path), settings=settings)

    assert (refused.code, refused.out) == (1, "")
    assert "retrieval.top_k" in refused.err


async def test_a_port_that_is_taken_is_said_to_be(tmp_path: Path) -> None:
    async with served_process(tmp_path / "one") as server:
        process = await start("--listen", server.address, "--data", str(tmp_path / "two"))
        out, err = await process.communicate()

    assert process.returncode == 1
    assert out == b""
    assert b"another program listens there. Choose another port: --listen" in err
    assert b"add_port" not in err  # gRPC's own lines
