"""How far the ingestion of files is: one bar for all of them, on one scale, with a clock and an estimate.

Law: the bar never goes back. A file counts by its characters; sending it is a small part of its time. Finding the
topics of its segments is a third of the rest, placing them in the graph what is left.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from memorybank.v1 import memory_bank_pb2 as memory

STAGES = {
    memory.PROGRESS_STAGE_RECEIVING: "sending",
    memory.PROGRESS_STAGE_STORED: "stored",
    memory.PROGRESS_STAGE_EMBEDDING: "reading",
    memory.PROGRESS_STAGE_CLUSTERING: "finding topics",
    memory.PROGRESS_STAGE_STRUCTURING: "placing topics",
}
SENDING = 0.02
"""The share of a file's time in which it is sent."""
CLUSTERING = 0.3
"""The share of a chunk's time in which its segments are embedded and its topics found."""
ESTIMATED_FROM = 5.0
"""Percent of all that must be done before the time left is shown: the first steps include the wait to begin."""


class Share:
    """How much of one text is done, of its news: 0 to 1. A long text goes chunk by chunk."""

    def __init__(self, characters: int) -> None:
        self._characters = max(1, characters)
        self._before, self._clustered, self._segments = 0, 0, 1
        self.done = 0.0

    def after(self, news: memory.Progress) -> float:
        """Moves on by an event, and returns the share."""
        if news.stage == memory.PROGRESS_STAGE_RECEIVING:
            reached = SENDING * min(1.0, news.done / self._characters)
        elif news.stage == memory.PROGRESS_STAGE_EMBEDDING and news.total:
            reached = SENDING + (1.0 - SENDING) * CLUSTERING * news.done / news.total
        elif news.stage == memory.PROGRESS_STAGE_CLUSTERING:
            self._before, self._clustered = self._clustered, news.done
            self._segments = max(1, news.total)
            reached = self._at(CLUSTERING)
        elif news.stage == memory.PROGRESS_STAGE_STRUCTURING and news.total:
            reached = self._at(CLUSTERING + (1.0 - CLUSTERING) * news.done / news.total)
        else:
            reached = SENDING
        self.done = max(self.done, reached)
        return self.done

    def _at(self, share_of_chunk: float) -> float:
        placed = self._before + share_of_chunk * (self._clustered - self._before)
        return SENDING + (1.0 - SENDING) * placed / self._segments


class Bar:
    """The bar of several texts, each named with its characters."""

    def __init__(self, progress: Progress, texts: Sequence[tuple[str, int]]) -> None:
        self._progress = progress
        self._texts = texts
        self._number = -1
        self._share = Share(0)
        total = sum(max(1, characters) for _, characters in texts)
        self._task: TaskID = progress.add_task("", total=total, stage="")

    def begin(self) -> None:
        """Begins the next text."""
        self._number += 1
        self._share = Share(self._texts[self._number][1])
        self._show("sending")

    def move(self, news: memory.Progress) -> None:
        """Moves on by news of the text at hand."""
        self._share.after(news)
        counted = f" {news.done:,} of {news.total:,}" if news.total else ""
        self._show(f"{STAGES.get(news.stage, 'at work')}{counted}")

    def end(self) -> None:
        """Ends the text at hand."""
        self._share.done = 1.0
        self._show("done")

    def _show(self, stage: str) -> None:
        name, characters = self._texts[self._number]
        before = sum(max(1, characters) for _, characters in self._texts[: self._number])
        place = f"{self._number + 1} of {len(self._texts)}: " if len(self._texts) > 1 else ""
        self._progress.update(
            self._task,
            completed=before + self._share.done * max(1, characters),
            description=f"{place}{name}",
            stage=stage,
        )


class TimeLeft(TimeRemainingColumn):
    """The estimated time left, once enough is done to estimate it by."""

    def render(self, task: Task) -> Text:
        if task.percentage < ESTIMATED_FROM:
            return Text("-:--:--", style="progress.remaining")
        return super().render(task)


@contextmanager
def bar(console: Console, texts: Sequence[tuple[str, int]]) -> Iterator[Bar]:
    """Shows a bar on a terminal, gone when all is done; elsewhere nothing."""
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeLeft(elapsed_when_finished=False),
        TextColumn("{task.fields[stage]}"),
        console=console,
        transient=True,
        disable=not console.is_terminal,
        speed_estimate_period=120.0,
    ) as progress:
        yield Bar(progress, texts)
