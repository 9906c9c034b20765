"""What a load test found, as rows of a table and as one HTML page that needs nothing else.

Pure but for `machine`, which looks at the machine and at the versions of what ran.
"""

import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.bench import plotting
from tests.bench.plotting import Line
from tests.load.ghz import STEPPED, Outcome

HEADER = (
    "load",
    "on",
    "asked/s",
    "calls/s",
    "failed",
    "p50 ms",
    "p95",
    "p99",
    "max",
    "CPU µs/call",
    "× floor",
)
SHARES = (0, 25, 50, 75, 90, 95, 98, 99, 99.5, 99.9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was found, and the facts it depends on."""

    facts: Mapping[str, str]
    outcomes: Sequence[Outcome]


def machine(ghz: Path) -> dict[str, str]:
    """What ran where."""
    said = subprocess.run([ghz, "--version"], capture_output=True, text=True, check=True)
    return {**plotting.machine(), "ghz": (said.stdout or said.stderr).strip()}


def floor_of(one: Outcome, outcomes: Iterable[Outcome]) -> Outcome | None:
    """The floor's run of the same configuration."""
    return next((o for o in outcomes if o.target == "floor" and o.config["name"] == one.config["name"]), None)


def row(one: Outcome, outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """A line under HEADER."""
    floor = floor_of(one, outcomes)
    cpu, least = one.cpu_per_call, floor.cpu_per_call if floor else None
    milliseconds = [one.percentile(share) * 1e3 for share in (50, 95, 99, 100)]
    return (
        one.config["name"],
        one.target,
        asked(one),
        f"{one.rate:,.0f}",
        str(one.failed),
        *(f"{value:.2f}" for value in milliseconds),
        "" if cpu is None else f"{cpu * 1e6:,.0f}",
        f"{cpu / least:.2f}" if cpu and least and one.target != "floor" else "",
    )


def asked(one: Outcome) -> str:
    """The rate that the configuration asks for; `full` where it is as many as there can be."""
    config = one.config
    if STEPPED in config:
        return f"{config['load-start']}–{config['load-end']}"
    return str(config.get("rps", "full"))


def page(report: Report) -> str:
    """The whole report as HTML."""
    names = dict.fromkeys(one.config["name"] for one in report.outcomes)
    figures = {name: _figure([o for o in report.outcomes if o.config["name"] == name]) for name in names}
    body = [
        plotting.table(HEADER, [row(one, report.outcomes) for one in report.outcomes]),
        plotting.paragraph(_READING),
        plotting.figures(figures),
    ]
    return plotting.page("Load test", report.facts, body)


_READING = (
    "The floor is a bare gRPC echo in Python of the same answer, asked by the same ghz right after the service. "
    "Where a rate is asked for, calls are sent when their time has come, answered or not: latencies leave nothing "
    "out. Processor time is the server process's, all threads. Scales of time are logarithmic."
)


# ---- plots ----


def _figure(outcomes: Sequence[Outcome]) -> str:
    answered = [one for one in outcomes if len(one.latencies)]
    if answered and STEPPED in answered[0].config:
        ticks, label, lines = _by_rate(answered)
    else:
        ticks, label, lines = _by_share(answered)
    return plotting.plot(lines, ticks, label, empty="no call was answered")


def _by_share(outcomes: Sequence[Outcome]) -> tuple[dict[float, str], str, dict[str, Line]]:
    """Latency by percentile; the abscissa stretches towards the slowest calls."""
    places = {share: float(place) for place, share in enumerate(SHARES)}
    lines: dict[str, Line] = {
        one.target: [(places[share], one.percentile(share) * 1e3) for share in SHARES] for one in outcomes
    }
    return {place: f"{share:g}" for share, place in places.items()}, "percentile", lines


def _by_rate(outcomes: Sequence[Outcome]) -> tuple[dict[float, str], str, dict[str, Line]]:
    """p50 and p99 by the rate asked for, step by step."""
    config = outcomes[0].config
    rates = range(config["load-start"], config["load-end"] + 1, config["load-step"])
    lines: dict[str, Line] = {}
    for one in outcomes:
        step = (one.sent.max() + 1e-9) / len(rates)
        cut = [one.latencies[(one.sent // step) == place] * 1e3 for place in range(len(rates))]
        for share in (50, 99):
            points = [
                (float(r), float(np.percentile(c, share))) for r, c in zip(rates, cut, strict=True) if len(c)
            ]
            lines[f"{one.target} p{share}"] = points
    return {float(rate): str(rate) for rate in rates}, "calls asked for a second", lines
