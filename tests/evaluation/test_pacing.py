"""Progress is told at most every few seconds, beginnings always."""

from evaluation.pacing import SECONDS, Progress


def test_how_far_it_is_is_said_only_when_nothing_was_for_some_seconds() -> None:
    said: list[str] = []
    seconds = iter((0.0, 1.0, 1.5, 1.0 + SECONDS, 1.0 + SECONDS, 2.0 + SECONDS))
    progress = Progress(said.append, now=lambda: next(seconds))

    progress.began("memorizing")
    progress.so_far("memorized", 1, 9)
    progress.so_far("memorized", 5, 9)
    progress.so_far("memorized", 6, 9)

    assert said == ["memorizing", "memorized: 5 of 9"]
