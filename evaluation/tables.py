"""Tables in Markdown, and figures as tables write them.

Law: pure.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from evaluation.figures import Estimate
from evaluation.pacing import Took


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns a Markdown table, numbers to the right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def share(value: float) -> str:
    return f"{value:.3f}"


def interval(found: Estimate) -> str:
    """Returns the bounds of a share."""
    return f"{found.low:.3f}–{found.high:.3f}"


def points(more: Estimate) -> str:
    """Returns a difference of shares in points of a hundred, with its bounds."""
    return f"{100 * more.mean:+.1f} ({100 * more.low:+.1f} to {100 * more.high:+.1f})"


def milliseconds(took: Sequence[Took]) -> str:
    """Formats median and 95th percentile by the clock; "" of nothing."""
    return _percentiles([one.seconds for one in took])


def processor_milliseconds(took: Sequence[Took]) -> str:
    """Returns the same of the processor's time."""
    return _percentiles([one.processor for one in took])


def _percentiles(seconds: Sequence[float]) -> str:
    if not seconds:
        return ""
    middle, high = np.percentile(np.array(seconds) * 1_000, (50, 95)).tolist()
    return f"{middle:.2f}/{high:.2f}"


def quantiles(took: Sequence[Took]) -> Mapping[str, float]:
    """Returns both, in seconds."""
    if not took:
        return {}
    clock = np.percentile([one.seconds for one in took], (50, 95)).tolist()
    processor = np.percentile([one.processor for one in took], (50, 95)).tolist()
    names = ("p50", "p95", "processor_p50", "processor_p95")
    return dict(zip(names, (*clock, *processor), strict=True))
