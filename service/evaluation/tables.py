"""Tables in Markdown, and figures as tables write them.

Law: pure.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from service.evaluation.figures import Estimate


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table, numbers to the right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def share(value: float) -> str:
    return f"{value:.3f}"


def interval(found: Estimate) -> str:
    """The bounds of a share."""
    return f"{found.low:.3f}–{found.high:.3f}"


def points(more: Estimate) -> str:
    """A difference of shares in points of a hundred, with its bounds."""
    return f"{100 * more.mean:+.1f} ({100 * more.low:+.1f} to {100 * more.high:+.1f})"


def milliseconds(seconds: Sequence[float]) -> str:
    """Median and 95th percentile; nothing of nothing."""
    if not seconds:
        return ""
    middle, high = np.percentile(np.array(seconds) * 1_000, (50, 95)).tolist()
    return f"{middle:.2f}/{high:.2f}"


def quantiles(seconds: Sequence[float]) -> Mapping[str, float]:
    if not seconds:
        return {}
    return dict(zip(("p50", "p95"), np.percentile(np.array(seconds), (50, 95)).tolist(), strict=True))
