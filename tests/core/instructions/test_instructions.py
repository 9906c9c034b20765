"""An owner's documents in memory, and what a run fixes of them."""

from datetime import timedelta

import pytest

from core.aggregate.aggregate import Tuning
from core.errors import RunExpired, SourceNotFound
from core.instructions.instructions import Instructions
from core.instructions.run import fixed_source, pinned
from core.instructions.steps import SourcePut, VersionsDrop
from core.model.instructions import SourceRef
from tests.core.instructions.sources import ADA, START, WEB, change, instructions, source

WEEK = timedelta(days=7)
ONE = SourceRef(owner=ADA, path="a.md")
ALL = SourceRef(owner=ADA)


def three_versions() -> Instructions:
    return instructions(
        ADA,
        source("a.md", "one", 1),
        source("a.md", "two", 2, day=1),
        source("a.md", "three", 3, day=5),
        source("b.md", "二", 1),
    )


def test_the_newest_version_is_read_unless_one_is_named() -> None:
    ours = three_versions()

    assert ours.source("a.md").text == "three"
    assert ours.source("a.md", 1).text == "one"
    assert ours.paths == ["a.md", "b.md"]
    with pytest.raises(SourceNotFound):
        ours.source("a.md", 4)
    with pytest.raises(SourceNotFound):
        ours.source("A.md")


def test_a_loaded_one_equals_the_one_that_was_changed_step_by_step() -> None:
    ours = three_versions()
    ours.apply(change((VersionsDrop(path="a.md", versions=(1,)), SourcePut(source=source("c.md", "c"))), 2))

    again = Instructions.load(ours.state(), Tuning())

    assert again.state() == ours.state()
    assert (again.paths, again.size) == (ours.paths, ours.size)
    assert again.find("a.md", 1) is None


def test_a_superseded_version_is_outlived_a_while_after_it_was_replaced() -> None:
    ours = three_versions()

    drops, following = ours.outlived(START + timedelta(days=8), WEEK)

    assert drops == [VersionsDrop(path="a.md", versions=(1,))]
    assert following == START + timedelta(days=12)


def test_the_newest_version_is_never_outlived() -> None:
    drops, following = three_versions().outlived(START + timedelta(days=1_000), WEEK)

    assert drops == [VersionsDrop(path="a.md", versions=(1, 2))]
    assert following is None


# ---- what a run fixes ----


def test_a_reference_is_fixed_to_the_newest_versions() -> None:
    ours = three_versions()

    assert pinned(ONE, ours, ()).versions == {"a.md": 3}
    assert pinned(ALL, ours, ()).versions == {"a.md": 3, "b.md": 1}
    assert pinned(SourceRef(owner=WEB), None, ()).versions == {}


def test_a_later_reference_gets_what_the_run_has_fixed_of_the_same_sources() -> None:
    ours = three_versions()
    first = pinned(ONE, ours, ())
    ours.apply(
        change((SourcePut(source=source("a.md", "four", 4)), SourcePut(source=source("b.md", "2", 2))), 2)
    )

    assert pinned(ALL, ours, (first,)).versions == {"a.md": 3, "b.md": 2}


def test_what_was_missing_when_it_was_fixed_stays_missing() -> None:
    ours = three_versions()
    missing = pinned(SourceRef(owner=ADA, path="c.md"), ours, ())
    whole = pinned(ALL, ours, ())
    ours.apply(change((SourcePut(source=source("c.md", "new", 1)),), 2))

    assert pinned(ALL, ours, (missing,)).versions == {"a.md": 3, "b.md": 1}
    assert pinned(SourceRef(owner=ADA, path="c.md"), ours, (whole,)).versions == {}


def test_a_fixed_version_is_read_after_newer_ones_came() -> None:
    ours = three_versions()
    pin = pinned(ONE, ours, ())
    ours.apply(change((SourcePut(source=source("a.md", "four", 4)),), 2))

    found = fixed_source(pin, "a.md", ours, "r1")

    assert found is not None
    assert found.text == "three"


def test_a_fixed_version_of_a_deleted_source_is_missing_also_when_it_was_created_again() -> None:
    ours = three_versions()
    pin = pinned(ONE, ours, ())
    ours.apply(change((VersionsDrop(path="a.md", versions=(1, 2, 3)),), 2))
    assert fixed_source(pin, "a.md", ours, "r1") is None

    ours.apply(change((SourcePut(source=source("a.md", "again", 4, first_version=4)),), 3))

    assert fixed_source(pin, "a.md", ours, "r1") is None


def test_a_fixed_version_that_is_kept_no_longer_means_that_the_run_is_too_old() -> None:
    ours = three_versions()
    pin = pinned(ONE, ours, ())
    ours.apply(
        change((SourcePut(source=source("a.md", "four", 4)), VersionsDrop(path="a.md", versions=(3,))), 2)
    )

    with pytest.raises(RunExpired):
        fixed_source(pin, "a.md", ours, "r1")


def test_nothing_of_an_owner_that_was_purged_comes_back_into_a_run() -> None:
    pin = pinned(ONE, three_versions(), ())
    others = instructions(ADA, source("a.md", "another", 3), uid="u-2")

    assert fixed_source(pin, "a.md", others, "r1") is None
    assert pinned(ALL, others, (pin,)).versions == {"a.md": 3}
    assert fixed_source(pinned(ALL, others, (pin,)), "a.md", others, "r1") is None
