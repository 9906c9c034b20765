"""The queue that is fair between callers."""

import pytest

from service.process.fair_queue import FairQueue, Job


def served(queue: FairQueue[str]) -> list[str]:
    names = []
    while queue:
        names.append(queue.pop()[1])
    return names


def test_callers_take_turns_however_much_one_of_them_asks_for() -> None:
    queue: FairQueue[str] = FairQueue()
    for number in range(4):
        queue.push("greedy", 1, f"g{number}")
    queue.push("modest", 1, "m")

    assert served(queue) == ["g0", "m", "g1", "g2", "g3"]


def test_a_newcomer_beside_a_busy_caller_does_not_wait_for_the_past() -> None:
    queue: FairQueue[str] = FairQueue()
    for number in range(9):
        queue.push("greedy", 10, f"g{number}")
    for _ in range(5):
        queue.pop()

    queue.push("modest", 1, "m")

    assert served(queue)[:2] == ["m", "g5"]


def test_a_caller_s_heavy_entries_count_for_more() -> None:
    queue: FairQueue[str] = FairQueue()
    for number in range(3):
        queue.push("heavy", 3, f"h{number}")
        queue.push("light", 1, f"l{number}")

    assert served(queue) == ["l0", "l1", "h0", "l2", "h1", "h2"]


def test_jobs_of_many_entries_are_served_one_after_another_and_a_short_one_between() -> None:
    queue: FairQueue[str] = FairQueue()
    jobs = {name: Job(6.0) for name in "ab"}
    for number in range(3):
        for name, job in jobs.items():
            queue.push(name, 2, f"{name}{number}", job)
    first = queue.pop()[1]

    queue.push("short", 1, "s")

    assert [first, *served(queue)] == ["a0", "s", "a1", "a2", "b0", "b1", "b2"]


def test_a_job_whose_entries_come_one_by_one_keeps_its_turn() -> None:
    queue: FairQueue[str] = FairQueue()
    early, late = Job(6.0), Job(6.0)
    queue.push("early", 2, "e0", early)
    queue.push("late", 2, "l0", late)
    order = [queue.pop()[1]]
    for number in (1, 2):
        queue.push("early", 2, f"e{number}", early)
        order.append(queue.pop()[1])

    assert order == ["e0", "e1", "e2"]


def test_of_one_caller_the_lightest_goes_first_and_equals_in_their_order() -> None:
    queue: FairQueue[str] = FairQueue()
    for weight, name in ((5, "long"), (1, "short"), (1, "next")):
        queue.push("one", weight, name)

    assert served(queue) == ["short", "next", "long"]


def test_what_left_is_not_served() -> None:
    queue: FairQueue[str] = FairQueue()
    gone, stays = "gone", "stays"
    queue.push("one", 1, gone)
    queue.push("one", 2, stays)

    queue.remove("one", gone)
    queue.remove("one", gone)

    assert served(queue) == ["stays"]
    with pytest.raises(IndexError):
        queue.pop()


def test_ahead_is_what_is_served_before_one_that_comes_now() -> None:
    queue: FairQueue[str] = FairQueue()
    for _ in range(10):
        queue.push("greedy", 5, "g")
    queue.push("one", 2, "own")

    assert queue.ahead("one", 2) == 2 + 4
    assert queue.ahead("another", 3) == 3 + 2
    assert queue.ahead("greedy", 5) == 50 + 2
