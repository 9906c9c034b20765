"""Measurements as one HTML page that needs nothing else: facts, tables, plots as SVG.

Pure but for `machine`, which looks at the machine and at the versions of what runs.
"""

import html
import math
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

PACKAGES = ("grpcio", "protobuf", "uvloop", "numpy", "igraph", "onnxruntime")
WIDTH, HEIGHT, MARGIN = 460, 240, 46
COLOURS = ("#0b6bcb", "#c4572b", "#2f8f4e", "#7a4fc0", "#b58a00", "#c0408a")
FLOOR = "#9a9a9a"

Line = Sequence[tuple[float, float]]


def machine() -> dict[str, str]:
    """What runs where."""
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
        **{package: version(package) for package in PACKAGES},
    }


# ---- the page ----


def page(title: str, facts: Mapping[str, str], body: Iterable[str]) -> str:
    """A page of these facts, then of what `table`, `figures`, `heading` and `paragraph` made."""
    shown = "".join(f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>" for name, value in facts.items())
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{_text(title)}</title>'
        f"<style>{_STYLE}</style><h1>{_text(title)}</h1><dl>{shown}</dl>{''.join(body)}</html>"
    )


def heading(text: str) -> str:
    return f"<h2>{_text(text)}</h2>"


def paragraph(text: str) -> str:
    return f"<p>{_text(text)}</p>"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{_text(name)}</th>" for name in header)
    lines = "".join("<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>"


def figures(plots: Mapping[str, str]) -> str:
    """Plots by caption, side by side."""
    made = "".join(
        f"<figure><figcaption>{_text(name)}</figcaption>{drawn}</figure>" for name, drawn in plots.items()
    )
    return f"<main>{made}</main>"


_STYLE = (
    "body{font:14px system-ui,sans-serif;margin:2em;max-width:1000px;color:#222}"
    "table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .6em;text-align:right;"
    "border-bottom:1px solid #ddd}td:first-child,th:first-child{text-align:left}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.1em 1em}dt{color:#666}dd{margin:0}"
    "main{display:grid;grid-template-columns:1fr 1fr;gap:1em}figure{margin:0}svg text{font-size:11px;fill:#555}"
)


# ---- plots ----


def plot(
    lines: Mapping[str, Line],
    ticks: Mapping[float, str],
    label: str,
    unit: str = "ms",
    empty: str = "nothing",
) -> str:
    """Lines over the ticks as SVG; ordinates are in `unit` on a logarithmic scale. `empty` is said of none.

    A line whose name starts with "floor" is grey, others take colours by their first word; one that ends
    in "p50" is dashed.
    """
    heights = [y for line in lines.values() for _, y in line if y > 0]
    if not heights:
        return paragraph(empty)
    low, high = math.floor(math.log10(min(heights))), math.ceil(math.log10(max(heights)) + 1e-9)
    first, last = min(ticks), max(ticks)

    def x(value: float) -> float:
        return MARGIN + (value - first) / ((last - first) or 1) * (WIDTH - MARGIN - 20)

    def y(value: float) -> float:
        return HEIGHT - MARGIN - (math.log10(max(value, 1e-9)) - low) / (high - low) * (HEIGHT - MARGIN - 20)

    parts = [
        f'<line x1="{MARGIN}" x2="{WIDTH - 20}" y1="{y(10.0**p):.1f}" y2="{y(10.0**p):.1f}" stroke="#ddd"/>'
        f'<text x="{MARGIN - 4}" y="{y(10.0**p) + 4:.1f}" text-anchor="end">{_round(10.0**p)} {_text(unit)}</text>'
        for p in range(low, high + 1)
    ]
    parts += [
        f'<text x="{x(at):.1f}" y="{HEIGHT - MARGIN + 16}" text-anchor="middle">{_text(name)}</text>'
        for at, name in ticks.items()
    ]
    for place, ((name, line), colour) in enumerate(zip(lines.items(), _colours(lines), strict=True)):
        dashes = ' stroke-dasharray="5 3"' if name.endswith("p50") else ""
        points = " ".join(f"{x(at):.1f},{y(value):.1f}" for at, value in line)
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2"{dashes} points="{points}"/>')
        parts += [
            f'<circle cx="{x(at):.1f}" cy="{y(value):.1f}" r="2" fill="{colour}"/>' for at, value in line
        ]
        parts.append(
            f'<text x="{MARGIN + 6}" y="{16 + 13 * place}" style="fill:{colour}">{_text(name)}</text>'
        )
    parts.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 6}" text-anchor="middle">{_text(label)}</text>')
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img">{"".join(parts)}</svg>'


def _colours(names: Iterable[str]) -> list[str]:
    """The same for lines whose names have their first word in common."""
    of: dict[str, str] = {"floor": FLOOR}
    words = [name.split()[0].rstrip(":") for name in names]
    return [of.setdefault(word, COLOURS[(len(of) - 1) % len(COLOURS)]) for word in words]


def _round(power: float) -> str:
    """A power of ten as scales show it: 0.01, 100, 10k, 1M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if power >= size:
            return f"{power / (1e3 if letter == 'k' else size):g}{letter}"
    return f"{power:g}"


def _text(value: str) -> str:
    return html.escape(value)
