"""`memorybank resolve --dismiss` of several conflicts, against the real server."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.support.shell import Shell

PAIRS = (
    ("海滩上可以遛狗。", "海滩上禁止遛狗。"),
    ("健身房有空调。", "健身房里没有装空调，夏天很热。"),
)


@pytest.fixture
def conflicts(shell: Shell, tmp_path: Path) -> list[str]:
    """Two that are open in the shell's bank: the judge is less sure of the other."""
    for number, sides in enumerate(PAIRS):
        for side, text in zip(("old", "new"), sides, strict=True):
            path = tmp_path / f"{side}{number}.txt"
            path.write_text(text, encoding="utf-8")
            shell.done("ingest", str(path))
    found = [each["conflict_id"] for each in shell.told("show", "conflicts")["conflicts"]]
    assert len(found) == 2
    return found


def nodes_and_open(shell: Shell) -> tuple[str, str]:
    counts = shell.told("show", "bank")["counts"]
    return counts["nodes"], counts["open_conflicts"]


def test_several_are_listed_dismissed_and_told_and_their_sides_stand(
    shell: Shell, conflicts: list[str]
) -> None:
    ended = shell("resolve", *conflicts, "--dismiss", columns=200)

    assert ended.exit_code == 0
    assert "2 conflicts to dismiss" in ended.err
    assert all(each in ended.err for each in conflicts)
    assert "空调" in ended.err
    assert "遛狗" in ended.out.splitlines()[0]
    assert [line.split()[:2] for line in ended.out.splitlines()] == [
        ["dismissed", each] for each in conflicts
    ]
    assert nodes_and_open(shell) == ("4", "0")


def test_all_below_a_confidence_are_dismissed_and_the_others_wait(shell: Shell, conflicts: list[str]) -> None:
    found = shell.told("show", "conflicts")["conflicts"]
    surer, other = (each["confidence"] for each in found)
    assert other < surer

    told = shell.told("resolve", "--dismiss", "--below", str(surer))

    assert [each["conflict_id"] for each in told["conflicts"]] == conflicts[1:]
    assert [each["conflict_id"] for each in shell.told("show", "conflicts")["conflicts"]] == conflicts[:1]
    assert nodes_and_open(shell) == ("4", "1")


def test_the_same_again_changes_nothing_and_succeeds(shell: Shell, conflicts: list[str]) -> None:
    shell.done("resolve", *conflicts, "--dismiss")
    before = shell.told("show", "bank")["revision"]

    named = shell.told("resolve", *conflicts, "--dismiss")
    below = shell.done("resolve", "--dismiss", "--below", "1")

    assert [each["outcome"] for each in named["conflicts"]] == ["dismissed_before"] * 2
    assert below.strip() == "no open conflict has a confidence below 1"
    assert shell.told("show", "bank")["revision"] == before


def test_one_that_fails_is_named_and_the_others_go_on(shell: Shell, conflicts: list[str]) -> None:
    settled, waits = conflicts
    shell.done("resolve", settled, "--verdict", "海滩上禁止遛狗，全年如此。", "--merge")

    ended = shell("resolve", settled, "c-nowhere", waits, "--dismiss", "--json")
    told = {each["conflict_id"]: each for each in json.loads(ended.out)["conflicts"]}

    assert ended.exit_code == 1  # one was closed, one never was
    assert [told[each]["outcome"] for each in (settled, "c-nowhere", waits)] == [
        "failed",
        "failed",
        "dismissed",
    ]
    assert told[settled]["error"]["reason"] == "CONFLICT_CLOSED"
    assert told["c-nowhere"]["error"]["reason"] == "CONFLICT_NOT_FOUND"
    assert told[waits]["result"]["conflict"]["status"] == "CONFLICT_STATUS_DISMISSED"
    assert ended.error["message"] == "2 of 3 conflicts could not be dismissed"
    assert settled in ended.error["remedy"]


@pytest.mark.parametrize("others", [[], ["c-nowhere-else"]])
def test_failures_of_one_kind_end_with_its_exit_code(
    shell: Shell, conflicts: list[str], others: list[str]
) -> None:
    ended = shell("resolve", "c-nowhere", *others, "--dismiss")

    assert ended.exit_code == 4
    assert all(each in ended.err for each in ("c-nowhere", *others))
    assert nodes_and_open(shell)[1] == str(len(conflicts))


def test_many_need_a_yes(shell: Shell, conflicts: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.cli.dismiss.MANY", 1)
    every = ("resolve", "--dismiss", "--below", "1")

    unasked = shell(*every, "--json")
    monkeypatch.setattr(
        "service.cli.confirming.sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True))
    )
    refused = shell(*every, into="n\n")
    left = nodes_and_open(shell)[1]
    agreed = shell(*every, into="y\n")

    assert (unasked.exit_code, "--yes" in unasked.error["message"]) == (2, True)
    assert (refused.exit_code, "nothing was dismissed" in refused.err, left) == (130, True, "2")
    assert all(each in refused.err for each in conflicts)
    assert agreed.exit_code == 0
    assert nodes_and_open(shell)[1] == "0"


def test_yes_asks_nothing(shell: Shell, conflicts: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.cli.dismiss.MANY", 1)

    told = shell.told("resolve", *conflicts, "--dismiss", "--yes")

    assert [each["outcome"] for each in told["conflicts"]] == ["dismissed"] * 2


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--dismiss"],
        ["c-1", "--dismiss", "--below", "0.6"],
        ["--below", "0.6", "--verdict", "ten"],
        ["--dismiss", "--below", "1.5"],
        ["c-1", "c-2", "--verdict", "ten"],
    ],
)
def test_what_makes_no_sense_is_wrong_usage(shell: Shell, words: list[str]) -> None:
    assert shell("resolve", *words).exit_code == 2
