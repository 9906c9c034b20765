"""What the demo's stories have in common: calls to the bank, what is shown of them, and the claims they make good.

Law: nothing is shown that the server did not answer, and a claim is checked against the server or the documents.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from datetime import time as clock_time
from importlib.resources import files
from typing import Any

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.text import Text

from memorybank.v1 import memory_bank_pb2 as memory
from memorybank.v1 import retrieval_pb2 as retrieval
from memorybank_client import SyncMemoryBankClient, timestamp
from service.cli import drawing
from service.cli.passages import Evidence

INDENT = (0, 0, 0, 3)


@dataclass(slots=True, kw_only=True)
class Tour:
    """One run of the demo: `steps` with their figures, `claims` with whether they hold. `bank_id` is empty where a
    chapter is about no bank."""

    client: SyncMemoryBankClient
    screen: Console
    bank_id: str = ""
    steps: list[dict[str, Any]] = field(default_factory=list)
    claims: dict[str, bool] = field(default_factory=dict)

    @contextmanager
    def step(self, title: str) -> Iterator[dict[str, Any]]:
        """Shows one step: what is put into the dictionary goes into the summary. Ends with how the graph stands."""
        self.screen.print(Text(f"{len(self.steps) + 1}  {title}", drawing.STRONG))
        facts: dict[str, Any] = {"step": title}
        started = time.monotonic()
        yield facts
        seconds = time.monotonic() - started
        facts["seconds"] = round(seconds, 3)
        self.steps.append(facts)
        if self.bank_id:
            self._show_graph(facts, seconds)
        else:
            self.show(Text(f"{seconds:.2f} s\n", drawing.FAINT))

    def _show_graph(self, facts: dict[str, Any], seconds: float) -> None:
        held = self.client.get_bank(bank_id=self.bank_id)
        counts = held.counts
        facts |= {
            "nodes": counts.nodes,
            "edges": counts.edges,
            "open_conflicts": counts.open_conflicts,
            "revision": held.revision,
        }
        seen = {"node": counts.nodes, "edge": counts.edges, "open conflict": counts.open_conflicts}
        graph = "graph: " + ", ".join(drawing.many(count, noun) for noun, count in seen.items())
        self.show(Text(f"{graph}; revision {held.revision}, {seconds:.2f} s\n", drawing.FAINT))

    def show(self, part: RenderableType) -> None:
        self.screen.print(Padding(part, INDENT))

    def claim(self, what: str, holds: bool) -> None:
        self.claims[what] = holds
        if not holds:
            self.show(Text(f"NOT SO: {what}", drawing.WARNING))

    # ---- calls ----

    def memorize(self, name: str, day: date) -> memory.MemorizeResponse:
        """Memorizes a packaged document as of a day, and shows what it caused."""
        text = document(name)
        happened = timestamp(datetime.combine(day, clock_time(), UTC))
        if len(text.splitlines()) == 1:
            self.show(drawing.words(f"“{text.strip()}”"))
        result = self.client.memorize(bank_id=self.bank_id, text=text, source=name, event_time=happened)
        merged = sum(len(merge.absorbed_node_ids) for merge in result.merges)
        made = {"node": len(result.node_ids), "conflict": len(result.conflict_ids)}
        caused = [drawing.many(count, noun) for noun, count in made.items()]
        caused += [f"{drawing.many(merged, 'node')} merged", drawing.many(len(result.related), "edge")]
        self.show(f"{name}: {len(text):,} characters → {', '.join(caused)}")
        return result

    def search(self, query: str, top_k: int = 3) -> retrieval.SearchResponse:
        found = self.client.search(bank_id=self.bank_id, text=query, top_k=top_k)
        self.show(drawing.hits(found, full=False, evidence=Evidence()))
        return found


def document(name: str) -> str:
    """Reads a packaged document."""
    return (files("service.cli.demo") / "documents" / name).read_text(encoding="utf-8")
