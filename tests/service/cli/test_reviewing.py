"""`memorybank review`, against the real server."""

import json
from pathlib import Path

from tests.support.shell import Shell


def test_what_waits_is_listed_approved_corrected_and_rejected(shell: Shell, tmp_path: Path) -> None:
    user = ("--user", f"{shell.bank}-reviewed")
    shell.done("review", "set", "all", *user)
    ids = [f"d{n:02}" for n in range(23)]
    desks = [
        {"memory_id": record_id, "kind": "fact", "content": f"Desk {n} stands in room {n}. 桌子{n}"}
        for n, record_id in enumerate(ids)
    ]
    (tmp_path / "memory.json").write_text(json.dumps({"memories": desks}))
    shell.done("facts", "import", str(tmp_path), *user)

    first = shell.told("review", "list", *user)["records"]
    second = shell.told("review", "list", "--page", "2", *user)["records"]
    hidden = shell.told("facts", "list", *user)["records"]
    approved = shell.done("review", "approve", ids[0], ids[1], *user)
    corrected = shell.done("review", "correct", ids[2], "The desk is gone.", *user)
    rejected = shell.done("review", "reject", ids[3], "--yes", *user)
    again = shell.done("facts", "add", "Desk 3 stands in room 3. 桌子3", *user)
    rest = shell.done("review", "approve", "--all", *user)
    listed = shell.done("facts", "list", *user)
    empty = shell.done("review", "list", *user)
    nothing = shell("review", "approve", *user)
    walked = shell("review", "walk", *user)
    twice = shell("review", "approve", ids[0], *user)

    assert [len(first), len(second)] == [20, 3]
    assert {each["record_id"] for each in (*first, *second)} == set(ids)
    assert hidden == []
    assert "approved 2 records" in approved
    assert ids[2] in corrected
    assert "rejected 1 record" in rejected
    assert "waits for a review" in again  # whoever may approve may bring it again
    assert "approved 20 records" in rest
    assert "The desk is gone." in listed
    assert "nothing waits" in empty
    assert nothing.exit_code == 2
    assert "terminal" in walked.err
    assert (twice.exit_code, "RECORD_NOT_FOUND" in twice.err or ids[0] in twice.err) == (4, True)
