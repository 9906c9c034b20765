"""The frontier as Markdown and as JSON.

Law: pure.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from evaluation.asking import DEEPEST
from evaluation.figures import DEPTHS
from evaluation.frontier import Frontier, Row
from evaluation.report import Conditions, heading, plain_figures
from evaluation.tables import interval, milliseconds, processor_milliseconds, quantiles, share, table


def markdown(found: Frontier, conditions: Conditions) -> str:
    """Renders one row a point."""
    head = [
        "embedder",
        "structure",
        "α",
        *(f"R@{d}" for d in DEPTHS),
        "R@10 95 %",
        f"MRR@{DEEPEST}",
        "hit@10",
    ]
    head += [
        "multi-hop R@10",
        "search p50/p95 ms",
        "with the query's vector made",
        "processor: search",
        "and vector",
    ]
    drawn = [heading(found.chosen) + f"\\\n{conditions.line()}", table(head, map(_line, found.rows))]
    drawn += [f"Not here: {why}" for why in found.missing]
    return "\n\n".join(drawn)


def _line(row: Row) -> list[str]:
    return [
        row.embedder,
        "on" if row.structure else "off",
        "–" if row.alpha is None else f"{row.alpha:g}",
        *map(share, row.all.recall),
        interval(row.all.recall10),
        share(row.all.mrr),
        share(row.all.hit10),
        "–" if row.multi_hop is None else share(row.multi_hop),
        milliseconds(row.searching),
        milliseconds(row.whole),
        processor_milliseconds(row.searching),
        processor_milliseconds(row.whole),
    ]


def plain(found: Frontier, conditions: Conditions) -> Mapping[str, Any]:
    """Returns the same figures."""
    return {
        "set": {"name": found.chosen.name, "sha256": found.chosen.digest, "split": found.chosen.split},
        "conditions": asdict(conditions),
        "missing": list(found.missing),
        "frontier": [
            {
                "embedder": row.embedder,
                "structure": row.structure,
                "alpha": row.alpha,
                "all": plain_figures(row.all),
                "multi_hop_recall_10": row.multi_hop,
                "search_seconds": quantiles(row.searching),
                "with_embedding_seconds": quantiles(row.whole),
            }
            for row in found.rows
        ],
    }
