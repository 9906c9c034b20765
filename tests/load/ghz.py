"""Running ghz: a shipped configuration, pointed at a server, and what came of it.

Latencies are open-loop wherever the configuration says `async`: a call is sent when its time has come,
whether or not earlier ones have been answered, so that a server which stalls is charged for every call
that would have come meanwhile. A closed loop would have waited with it (coordinated omission).
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.bench.measuring import cpu_seconds

CONFIGS = Path(__file__).parent / "configs"
CHECKOUT = Path(__file__).parents[2]
STEPPED = "load-step-duration"

Config = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Who is asked."""

    name: str
    address: str
    pid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One configuration on one target. `latencies` in seconds and `sent` in seconds from the first call, by
    call that was answered; `cpu` seconds of the server's processor, None where another load shared it."""

    config: Config
    target: str
    latencies: NDArray[np.float64]
    sent: NDArray[np.float64]
    failed: int
    seconds: float
    cpu: float | None

    @property
    def rate(self) -> float:
        return len(self.latencies) / self.seconds if self.seconds else 0.0

    @property
    def cpu_per_call(self) -> float | None:
        calls = len(self.latencies) + self.failed
        return None if self.cpu is None or not calls else self.cpu / calls

    def percentile(self, share: float) -> float:
        """Seconds that so many per cent of the calls took at most; NaN when none was answered."""
        return float(np.percentile(self.latencies, share)) if len(self.latencies) else float("nan")


def shipped(sizes: Sequence[int], only: str = "") -> dict[str, Config]:
    """The configurations for banks of these sizes, by name, those whose name contains `only`."""
    found = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(CONFIGS.glob("*.json"))}
    return {
        name: config
        for name, config in found.items()
        if int(config["tags"]["nodes"]) in sizes and only in name
    }


def groups(configs: Mapping[str, Config]) -> list[list[str]]:
    """Names in the order in which they run; those that are `together` at once."""
    gathered: dict[str, list[str]] = {}
    for name, config in configs.items():
        gathered.setdefault(config["tags"].get("together", name), []).append(name)
    return list(gathered.values())


def pointed(config: Config, address: str, folder: Path, seconds: float) -> dict[str, Any]:
    """The configuration on this server, its questions from `folder`, for so long; steps share the time."""
    made = dict(config) | {
        "host": address,
        "data-file": str(folder / Path(config["data-file"]).name),
        "duration": f"{seconds:g}s",
        "format": "json",
    }
    if "protoset" in config:
        made["protoset"] = str(CHECKOUT / config["protoset"])
    if STEPPED in config:
        steps = (config["load-end"] - config["load-start"]) // config["load-step"] + 1
        step = max(1, round(seconds / steps))  # ghz takes whole seconds
        made |= {STEPPED: f"{step}s", "duration": f"{step * steps}s"}
    return made


async def run(
    ghz: Path, name: str, config: Config, target: Target, folder: Path, seconds: float, *, alone: bool = True
) -> Outcome:
    """Run ghz once. Raises RuntimeError with what it said when it gives no result."""
    paths = [folder / f"{name}.{target.name}.{kind}.json" for kind in ("config", "result")]
    paths[0].write_text(json.dumps(pointed(config, target.address, folder, seconds)), "utf-8")
    before = cpu_seconds(target.pid)
    process = await asyncio.create_subprocess_exec(
        str(ghz),
        *("--config", str(paths[0]), "--output", str(paths[1])),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    cpu = cpu_seconds(target.pid) - before
    if not paths[1].exists():
        raise RuntimeError(f"ghz gave no result for {name}: {said.decode(errors='replace')[-2_000:]}")
    result = json.loads(paths[1].read_text("utf-8"))
    return outcome(config, target.name, result, cpu if alone else None)


def outcome(config: Config, target: str, result: Mapping[str, Any], cpu: float | None) -> Outcome:
    """What ghz's JSON says."""
    details = result.get("details") or []
    answered = [one for one in details if one["status"] == "OK"]
    starts = np.array([_seconds(one["timestamp"]) for one in answered])
    return Outcome(
        config=config,
        target=target,
        latencies=np.array([one["latency"] / 1e9 for one in answered]),
        sent=starts - starts.min() if len(starts) else starts,
        failed=result["count"] - len(answered),
        seconds=result["total"] / 1e9,
        cpu=cpu,
    )


def _seconds(timestamp: str) -> float:
    """RFC 3339 with nanoseconds, which Python reads to the microsecond."""
    return datetime.fromisoformat(timestamp).timestamp()
