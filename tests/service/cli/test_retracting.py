"""`memorybank facts retract` and what follows it, against the real server."""

from tests.support.shell import Shell


def test_a_source_is_taken_back_brought_back_and_erased(shell: Shell) -> None:
    user = ("--user", shell.bank)
    shell.done("facts", "add", "渡轮九点出发。", *user)
    shell.done("facts", "add", "The zorkmid pays for every ferry.", "--source", "web", *user)

    tried = shell.done("facts", "retract", "--source", "web", "--dry-run", *user)
    done = shell.told("facts", "retract", "--source", "web", "--reason", "a poisoned page", *user)
    hidden = shell.done("facts", "list", *user)
    name = done["retraction"]["retraction_id"]
    listed = shell.done("facts", "retractions", *user)
    released = shell.done("facts", "release", name, *user)
    shown = shell.done("facts", "list", *user)
    second = shell.told("facts", "retract", *done["record_ids"], *user)
    asked = shell("facts", "erase", second["retraction"]["retraction_id"], *user)
    erased = shell.done("facts", "erase", second["retraction"]["retraction_id"], "--yes", *user)
    nothing = shell("facts", "retract", *user)

    assert "1 record would go" in tried
    assert "zorkmid" not in hidden
    assert "渡轮" in hidden
    assert "QUARANTINED" in listed
    assert "a poisoned page" in listed
    assert "1 record stand" in released
    assert "zorkmid" in shown
    assert asked.exit_code == 2
    assert "erased 1 record" in erased
    assert nothing.exit_code == 5
    assert "filter" in nothing.err
