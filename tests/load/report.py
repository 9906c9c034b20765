"""What a load test found, as rows of a table and as one HTML page that needs nothing else.

Pure but for `machine`, which looks at the machine and at the versions of what ran.
"""

import html
import math
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np

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
PACKAGES = ("grpcio", "protobuf", "uvloop", "numpy", "hnswlib", "igraph", "onnxruntime")
SHARES = (0, 25, 50, 75, 90, 95, 98, 99, 99.5, 99.9)
WIDTH, HEIGHT, MARGIN = 460, 240, 46
COLOURS = {"service": "#0b6bcb", "floor": "#9a9a9a"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was found, and the facts it depends on."""

    facts: Mapping[str, str]
    outcomes: Sequence[Outcome]


def machine(ghz: Path) -> dict[str, str]:
    """What ran where."""
    said = subprocess.run([ghz, "--version"], capture_output=True, text=True, check=True)
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    return {
        "machine": f"{model}, {os.cpu_count()} processors, {platform.system()} {platform.release()}",
        "load of the machine (1, 5, 15 minutes)": ", ".join(f"{one:.1f}" for one in os.getloadavg()),
        "python": platform.python_version(),
        "ghz": (said.stdout or said.stderr).strip(),
        **{package: version(package) for package in PACKAGES},
    }


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
    facts = "".join(f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>" for name, value in report.facts.items())
    head = "".join(f"<th>{_text(name)}</th>" for name in HEADER)
    rows = "".join(
        "<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row(one, report.outcomes)) + "</tr>"
        for one in report.outcomes
    )
    names = dict.fromkeys(one.config["name"] for one in report.outcomes)
    figures = "".join(
        _figure(name, [o for o in report.outcomes if o.config["name"] == name]) for name in names
    )
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Load test</title>'
        f"<style>{_STYLE}</style><h1>Load test</h1><dl>{facts}</dl>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        f"<p>{_text(_READING)}</p><main>{figures}</main></html>"
    )


_STYLE = (
    "body{font:14px system-ui,sans-serif;margin:2em;max-width:1000px;color:#222}"
    "table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .6em;text-align:right;"
    "border-bottom:1px solid #ddd}td:first-child,th:first-child{text-align:left}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.1em 1em}dt{color:#666}dd{margin:0}"
    "main{display:grid;grid-template-columns:1fr 1fr;gap:1em}figure{margin:0}svg text{font-size:11px;fill:#555}"
)
_READING = (
    "The floor is a bare gRPC echo in Python of the same answer, asked by the same ghz right after the service. "
    "Where a rate is asked for, calls are sent when their time has come, answered or not: latencies leave nothing "
    "out. Processor time is the server process's, all threads. Scales of time are logarithmic."
)


# ---- plots ----

Line = Sequence[tuple[float, float]]


def _figure(name: str, outcomes: Sequence[Outcome]) -> str:
    answered = [one for one in outcomes if len(one.latencies)]
    if answered and STEPPED in answered[0].config:
        ticks, label, lines = _by_rate(answered)
    else:
        ticks, label, lines = _by_share(answered)
    return f"<figure><figcaption>{_text(name)}</figcaption>{plot(lines, ticks, label)}</figure>"


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


def plot(lines: Mapping[str, Line], ticks: Mapping[float, str], label: str) -> str:
    """Lines over the ticks as SVG; ordinates are milliseconds on a logarithmic scale."""
    heights = [y for line in lines.values() for _, y in line if y > 0]
    if not heights:
        return "<p>no call was answered</p>"
    low, high = math.floor(math.log10(min(heights))), math.ceil(math.log10(max(heights)) + 1e-9)
    first, last = min(ticks), max(ticks)

    def x(value: float) -> float:
        return MARGIN + (value - first) / ((last - first) or 1) * (WIDTH - MARGIN - 20)

    def y(value: float) -> float:
        return HEIGHT - MARGIN - (math.log10(max(value, 1e-9)) - low) / (high - low) * (HEIGHT - MARGIN - 20)

    parts = [
        f'<line x1="{MARGIN}" x2="{WIDTH - 20}" y1="{y(10.0**p):.1f}" y2="{y(10.0**p):.1f}" stroke="#ddd"/>'
        f'<text x="{MARGIN - 4}" y="{y(10.0**p) + 4:.1f}" text-anchor="end">{10.0**p:g} ms</text>'
        for p in range(low, high + 1)
    ]
    parts += [
        f'<text x="{x(at):.1f}" y="{HEIGHT - MARGIN + 16}" text-anchor="middle">{_text(name)}</text>'
        for at, name in ticks.items()
    ]
    for place, (name, line) in enumerate(lines.items()):
        colour = COLOURS.get(name.split()[0], "#222")
        dashes = ' stroke-dasharray="5 3"' if name.endswith("p50") else ""
        points = " ".join(f"{x(at):.1f},{y(value):.1f}" for at, value in line)
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2"{dashes} points="{points}"/>')
        parts.append(
            f'<text x="{MARGIN + 6}" y="{16 + 13 * place}" style="fill:{colour}">{_text(name)}</text>'
        )
    parts.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 6}" text-anchor="middle">{_text(label)}</text>')
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img">{"".join(parts)}</svg>'


def _text(value: str) -> str:
    return html.escape(value)
