"""One bar for all files, on one scale."""

import pytest
from rich.progress import Progress

from memorybank.v1 import memory_bank_pb2 as memory
from service.cli.progress import Share, TimeLeft

RECEIVING, STORED, EMBEDDING, CLUSTERING, STRUCTURING = (
    memory.PROGRESS_STAGE_RECEIVING,
    memory.PROGRESS_STAGE_STORED,
    memory.PROGRESS_STAGE_EMBEDDING,
    memory.PROGRESS_STAGE_CLUSTERING,
    memory.PROGRESS_STAGE_STRUCTURING,
)


def news(stage: memory.ProgressStage.ValueType, done: int, total: int = 0) -> memory.Progress:
    return memory.Progress(stage=stage, done=done, total=total)


def test_a_text_goes_from_nothing_to_all_of_it_chunk_by_chunk() -> None:
    share = Share(1_000)
    events = [
        news(RECEIVING, 500),
        news(RECEIVING, 1_000),
        news(STORED, 0),
        news(CLUSTERING, 40, 100),
        news(STRUCTURING, 1, 4),
        news(STRUCTURING, 4, 4),
        news(CLUSTERING, 100, 100),
        news(STRUCTURING, 4, 8),
        news(STRUCTURING, 8, 8),
    ]

    reached = [share.after(event) for event in events]

    assert reached == sorted(reached)
    assert reached[5] == pytest.approx(0.02 + 0.98 * 0.4)
    assert reached[-1] == pytest.approx(1.0)


def test_the_bar_moves_while_segments_are_embedded() -> None:
    share = Share(1_000)
    share.after(news(STORED, 0))

    reached = [share.after(news(EMBEDDING, done, 100)) for done in (32, 64, 100)]

    assert reached == [pytest.approx(0.02 + 0.98 * 0.3 * done / 100) for done in (32, 64, 100)]


def test_the_bar_never_goes_back() -> None:
    share = Share(10)
    share.after(news(CLUSTERING, 50, 100))
    before = share.after(news(STRUCTURING, 5, 5))

    assert share.after(news(RECEIVING, 3)) == before


def test_the_time_left_is_shown_once_there_is_enough_to_estimate_it_by() -> None:
    now = 0.0
    progress = Progress(get_time=lambda: now)
    task = progress.add_task("reading", total=100)
    shown = []

    for done in (2, 4, 50):
        now += 10.0
        progress.update(task, completed=done)
        shown.append(str(TimeLeft().render(progress.tasks[0])))

    assert shown[:2] == ["-:--:--", "-:--:--"]
    assert shown[2].startswith("0:00:")
