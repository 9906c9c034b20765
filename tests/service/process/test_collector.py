import gc
import sys
import threading
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import FrameType
from typing import Any

import pytest

from service.process.collector import AT_LATEST, LEFT, LONGEST, MANY, Collector, brief_collections


class Thing:
    """What can be in a cycle, and can be watched."""

    itself: "Thing"


def cycle() -> "weakref.ref[Thing]":
    thing = Thing()
    thing.itself = thing
    return weakref.ref(thing)


@pytest.fixture(autouse=True)
def _unfrozen() -> Iterator[None]:
    gc.unfreeze()  # what other tests left: its number goes down as they are forgotten
    yield
    gc.freeze()  # as all that was collected to be run was before
    gc.enable()


def test_it_is_off_while_any_load_lasts_and_on_again_afterwards() -> None:
    collector = Collector()

    with collector.held_off():
        with collector.held_off():
            assert not gc.isenabled()
        assert not gc.isenabled()

    assert gc.isenabled()


def test_a_load_that_fails_within_another_changes_nothing_for_that_one() -> None:
    collector = Collector()

    with collector.held_off():
        with pytest.raises(OSError), collector.held_off():
            raise OSError
        assert not gc.isenabled()

    assert gc.isenabled()


def test_where_it_was_off_it_stays_off() -> None:
    gc.disable()

    with Collector().held_off():
        pass

    assert not gc.isenabled()


def test_what_a_large_load_made_is_out_of_its_sight() -> None:
    before = gc.get_freeze_count()

    with Collector().held_off():
        made: list[list[int]] = [[] for _ in range(MANY + 5_000)]

    assert gc.get_freeze_count() - before > len(made)


def test_a_small_load_takes_nothing_out_of_its_sight() -> None:
    gc.collect()
    before = gc.get_freeze_count()

    with Collector().held_off():
        pass

    assert gc.get_freeze_count() == before


def test_what_a_load_says_it_made_counts_whatever_went_meanwhile() -> None:
    before = gc.get_freeze_count()

    with Collector().held_off() as load:
        made: list[list[int]] = [[] for _ in range(100)]
        load.items = MANY

    assert gc.get_freeze_count() - before > len(made)


def test_what_a_full_collection_leaves_is_out_of_its_sight_where_it_is_much() -> None:
    with brief_collections():
        before = gc.get_freeze_count()
        made: list[list[int]] = [[] for _ in range(LEFT + 1_000)]
        lost = cycle()
        gc.collect()

        assert gc.get_freeze_count() - before > len(made)
        assert lost() is None


def test_what_a_full_collection_leaves_stays_in_its_sight_where_it_is_little() -> None:
    with brief_collections():
        before = gc.get_freeze_count()
        gc.collect()

        assert gc.get_freeze_count() == before


def test_other_threads_may_go_on_at_any_step_of_a_full_collection() -> None:
    begun, goes_on = threading.Event(), threading.Event()

    def parts() -> Iterator[int]:
        yield 1
        begun.set()
        goes_on.wait()

    with brief_collections(), ThreadPoolExecutor(1) as pool:
        making = pool.submit(lambda: tuple(parts()))
        begun.wait()

        def step(frame: FrameType, event: str, _given: Any) -> None:
            if event == "c_return" and frame.f_globals["__name__"] == brief_collections.__module__:
                goes_on.set()
                making.exception()  # to its end, here

        sys.setprofile(step)
        gc.collect()
        sys.setprofile(None)
        went_on = goes_on.is_set()
        goes_on.set()

        assert went_on
        assert making.result() == (1,)


def test_collections_are_brief_no_longer_than_asked() -> None:
    thresholds, watching = gc.get_threshold(), list(gc.callbacks)

    with brief_collections():
        assert gc.get_threshold() != thresholds

    assert (gc.get_threshold(), gc.callbacks) == (thresholds, watching)


def test_loads_that_follow_one_another_leave_it_its_turn() -> None:
    now = [0.0]
    collector = Collector(lambda: now[0])

    with collector.held_off():
        with collector.held_off():
            lost = cycle()
            now[0] = LONGEST + 1

        assert lost() is None
        assert not gc.isenabled()


@pytest.mark.parametrize(("is_idle", "after"), [(True, 0.0), (False, AT_LATEST + 1)])
def test_a_cycle_that_went_out_of_sight_goes_when_there_is_time(*, is_idle: bool, after: float) -> None:
    now = [0.0]
    collector = Collector(lambda: now[0])
    lost = Thing()
    lost.itself = lost
    with collector.held_off() as load:
        load.items = MANY
    gone = weakref.ref(lost)
    del lost
    gc.collect()
    assert gone() is not None

    busy = collector.look_again(is_idle=False)
    now[0] = after
    looked = collector.look_again(is_idle=is_idle)

    assert (busy, looked, gone()) == (False, True, None)


def test_what_a_look_froze_in_passing_is_no_reason_for_another() -> None:
    collector = Collector()
    with collector.held_off() as load:
        load.items = MANY
    in_passing = [Thing(), Thing()]  # what a thread or a call has in its hands just then

    first = collector.look_again(is_idle=True)
    del in_passing

    assert first
    assert not collector.look_again(is_idle=True)
    with collector.held_off() as load:
        load.items = MANY
    assert collector.look_again(is_idle=True)


def test_what_was_frozen_before_there_was_a_collector_is_no_reason_for_a_look() -> None:
    with Collector().held_off() as load:
        load.items = MANY

    assert not Collector().look_again(is_idle=True)


def test_what_a_server_loaded_before_its_first_call_is_traversed_once() -> None:
    collector = Collector()

    with brief_collections():
        assert not collector.look_again(is_idle=True)
