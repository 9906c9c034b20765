"""`memorybank instructions`, against the real server."""

import os
from itertools import count
from pathlib import Path

import pytest

from tests.support.shell import Shell

OWNERS = count(1)
PATH = "AGENTS.md"


@pytest.fixture
def owner() -> str:
    """Nobody's yet."""
    return f"user:ada-{os.getpid()}-{next(OWNERS)}"


def test_a_document_is_put_edited_loaded_and_its_history_told(
    shell: Shell, owner: str, tmp_path: Path
) -> None:
    file = tmp_path / "own.md"
    file.write_text("- 用英文回答\n", encoding="utf-8")

    put = shell.done("instructions", "put", owner, PATH, str(file), "--by", "ada")
    edit = shell.done("instructions", "edit", owner, PATH, "英文", "中文", "--by", "coder")

    assert "version 1, 8 characters" in put
    assert "version 2" in edit
    assert shell.done("instructions", "show", owner, PATH) == "- 用中文回答\n"
    assert shell.done("instructions", "show", owner, PATH, "--version", "1") == "- 用英文回答\n"
    loaded = shell.done("instructions", "load", owner)
    assert loaded.startswith("<agent_memory>\nAGENTS.md\n\n- 用中文回答\n</agent_memory>")
    assert "coder" in shell.done("instructions", "history", owner, PATH)
    assert PATH in shell.done("instructions", "list", owner)


def test_a_document_may_come_through_standard_input(shell: Shell, owner: str) -> None:
    shell.done("instructions", "put", owner, PATH, into="- tabs\n")

    told = shell.told("instructions", "load", f"{owner}={PATH}")

    assert [source["path"] for source in told["sources"]] == [PATH]


def test_a_run_keeps_what_it_loaded_until_it_is_refreshed(shell: Shell, owner: str) -> None:
    run = ("instructions", "load", owner, "--run", f"r-{owner.partition(':')[2]}")
    shell.done("instructions", "put", owner, PATH, into="one")
    first = shell.done(*run)
    shell.done("instructions", "put", owner, PATH, into="two")

    assert shell.done(*run) == first
    assert "two" in shell.done(*run, "--refresh")


def test_what_is_missing_is_told_beside_the_block(shell: Shell, owner: str) -> None:
    ended = shell("instructions", "load", f"{owner}=absent.md")

    assert ended.exit_code == 0
    assert "absent.md: not found" in " ".join(ended.err.split())
    assert "(nothing is saved yet)" in ended.out


def test_refusals_have_their_exit_codes(shell: Shell, owner: str) -> None:
    shell.done("instructions", "put", owner, PATH, into="- tabs\n- tabs\n")

    codes = {
        "ambiguous": shell("instructions", "edit", owner, PATH, "tabs", "spaces").exit_code,
        "stale": shell("instructions", "put", owner, PATH, "-", "--if-version", "0", into="x").exit_code,
        "missing": shell("instructions", "show", owner, "absent.md").exit_code,
        "owner": shell("instructions", "list", "ada").exit_code,
    }

    assert codes == {"ambiguous": 5, "stale": 5, "missing": 4, "owner": 2}


def test_a_file_that_is_no_text_is_refused(shell: Shell, owner: str, tmp_path: Path) -> None:
    file = tmp_path / "picture.md"
    file.write_bytes(b"\x89PNG\xff\xfe")

    ended = shell("instructions", "put", owner, PATH, str(file))

    assert ended.exit_code == 1
    assert "is not UTF-8 text" in ended.err


def test_a_deleted_document_is_gone(shell: Shell, owner: str) -> None:
    shell.done("instructions", "put", owner, PATH, into="one")

    told = shell.done("instructions", "delete", owner, PATH, "--yes")

    assert told == "erased AGENTS.md: 1 version\n"
    assert "no documents" in shell.done("instructions", "list", owner)
