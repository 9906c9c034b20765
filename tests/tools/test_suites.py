"""What a run of other people's tests comes to: counts, causes that are theirs, and failures that are ours."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tools.suites.__main__ import copied, told
from tools.suites.suites import Suite

SUITE = Suite(
    plugin="p",
    folder="",
    tests=(),
    installed=(),
    told=(),
    causes={"_rows": "changes rows of its own database"},
)
PASSED = '<testcase classname="t" name="test_a"><properties><property name="ours" value="yes"/></properties></testcase>'
SKIPPED = '<testcase classname="t" name="test_b"><skipped message="no network"/></testcase>'
THEIRS = '<testcase classname="t" name="test_rows[{}]"><failure message="no table"/></testcase>'
OURS = (
    '<testcase classname="t" name="test_get"><error message="AssertionError: 渡轮&#10;and more"/></testcase>'
)


def report(*tests: str) -> ET.Element:
    return ET.fromstring(f"<testsuites><testsuite>{''.join(tests)}</testsuite></testsuites>")


def test_failures_with_a_cause_of_theirs_are_counted_by_it(capsys: pytest.CaptureFixture[str]) -> None:
    explained = told(SUITE, report(PASSED, SKIPPED, THEIRS.format("x"), THEIRS.format("y")))

    assert explained
    assert capsys.readouterr().out.splitlines() == [
        "  1 passed, 2 failed, 1 skipped; 1 of them open ours",
        "  2 by theirs: changes rows of its own database",
    ]


def test_a_failure_without_a_cause_is_named_and_ours(capsys: pytest.CaptureFixture[str]) -> None:
    explained = told(SUITE, report(PASSED, THEIRS.format("x"), OURS))

    assert not explained
    assert "  FAILED t::test_get: AssertionError: 渡轮" in capsys.readouterr().out.splitlines()


def test_a_suite_without_a_test_is_no_success() -> None:
    assert not told(SUITE, report())


def test_what_is_written_to_a_copy_is_not_in_the_checkout(tmp_path: Path) -> None:
    checkout, home = tmp_path / "checkout", tmp_path / "home"
    (checkout / ".git").mkdir(parents=True)
    (checkout / "libs").mkdir()
    (checkout / "libs" / "a.py").write_text("a = 1\n")

    copy = Path(copied(str(checkout), home))
    (copy / "libs" / "build").mkdir()

    assert (copy / "libs" / "a.py").read_text() == "a = 1\n"
    assert not (copy / ".git").exists()
    assert [each.name for each in (checkout / "libs").iterdir()] == ["a.py"]
