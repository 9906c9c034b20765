"""`memorybank retract` and `memorybank retractions`, against the real server."""

from pathlib import Path

from tests.support.shell import Shell


def test_a_file_is_taken_back_brought_back_and_erased(shell: Shell, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("The zorkmid of the harbour pays for every ferry.\n", encoding="utf-8")
    shell.done("remember", "渡轮九点从三号码头出发。")
    shell.done("ingest", str(page))

    tried = shell.done("retract", "--source", "page.md", "--dry-run")
    done = shell.told("retract", "--source", "page.md", "--reason", "a poisoned page")
    name = done["retraction"]["retraction_id"]
    waiting = shell.done("status")
    hidden = shell.done("search", "Who pays for the ferry? 渡轮几点出发？", "--target", "segments")
    again = shell("ingest", str(page))
    listed = shell.done("retractions", "list")
    released = shell.done("retractions", "release", name)
    shown = shell.done("search", "Who pays for the ferry?", "--target", "segments")
    second = shell.told("retract", *done["interaction_ids"])["retraction"]["retraction_id"]
    asked = shell("retractions", "erase", second)
    erased = shell.done("retractions", "erase", second, "--yes")
    nothing = shell("retract")

    assert "1 record, 1 node, 0 conflicts would go" in tried
    assert "1 retraction to be released or erased" in waiting
    assert "zorkmid" not in hidden
    assert "渡轮" in hidden
    assert again.exit_code == 5
    assert "was taken back by" in again.err
    assert "QUARANTINED" in listed
    assert "a poisoned page" in listed
    assert "1 record stand again" in released
    assert "zorkmid" in shown
    assert asked.exit_code == 2
    assert "erased 1 record" in erased
    assert nothing.exit_code == 5
