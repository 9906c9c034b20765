"""`memorybank facts`, against the real server."""

import json
from pathlib import Path

import pytest

from memorybank.v1.long_term_pb2 import ExportCollectionResponse
from service.cli.exits import Failure
from service.cli.facts import written
from tests.support.shell import Shell

TEA, COFFEE = "The project's database is MySQL.", "The project's database is PostgreSQL."


def test_a_fact_is_remembered_found_rated_brought_up_to_date_and_forgotten(shell: Shell) -> None:
    user = ("--user", shell.bank)
    added = shell.told("facts", "add", TEA, *user)["record"]
    first, day = added["record_id"], added["event_time"][:10]
    rated = shell.told("facts", "rate", first, "--up", *user)["records"][0]
    second = shell.told("facts", "add", COFFEE, *user)
    found = shell.done("facts", "search", "which database?", *user)
    gone = shell.told("facts", "forget", second["record"]["record_id"], "--yes", *user)

    assert rated["confidence"] > 0.8
    assert second["contested_ids"] == [first]
    assert found.index(COFFEE) < found.index(TEA)
    assert gone["revived_ids"] == [first]
    listed = shell.done("facts", "list", *user)
    assert TEA in listed
    assert day in listed


def test_what_a_fact_replaces_is_named_and_is_not_listed_as_replaced_without_a_reason(shell: Shell) -> None:
    user = ("--user", shell.bank)
    old = shell.told("facts", "add", TEA, *user)["record"]["record_id"]
    new = shell.told("facts", "add", COFFEE, "--supersedes", old, *user)

    assert new["superseded_ids"] == [old]
    assert TEA not in shell.done("facts", "search", "which database?", *user)
    assert "nothing" in shell.done("facts", "rejudge", *user)


def test_an_export_is_a_folder_that_people_can_read(shell: Shell, tmp_path: Path) -> None:
    user = ("--user", shell.bank)
    shell.done("facts", "add", "用户住在杭州。", "--category", "life", *user)

    shell.done("facts", "export", str(tmp_path / "out"), *user)

    index = json.loads((tmp_path / "out" / "memory.json").read_text(encoding="utf-8"))
    assert [entry["content"] for entry in index["memories"]] == ["用户住在杭州。"]


@pytest.mark.parametrize("path", ["../theirs.md", "reflections/../../theirs.md", "/tmp/theirs.md"])
def test_an_export_writes_nothing_outside_of_its_folder(tmp_path: Path, path: str) -> None:
    folder = tmp_path / "out"
    parts = [ExportCollectionResponse(path=each, content=b"x") for each in ("memory.json", path)]

    with pytest.raises(Failure, match="outside"):
        written(folder, parts)

    assert [each.name for each in tmp_path.rglob("*") if each.is_file()] == ["memory.json"]
