"""`memorybank erase-mentions`, against the real server."""

from tests.support.shell import Shell


def test_what_names_somebody_is_told_first_and_then_erased(shell: Shell) -> None:
    user = ("--user", f"{shell.bank}-named")
    shell.done("facts", "add", "Zorkmid owns the harbour.", *user)
    shell.done("facts", "add", "李雷有一只猫。", *user)
    shell.done("facts", "add", "The quay is long.", *user)
    named = ("erase-mentions", *user, "--name", "zorkmid", "--alias", "李雷")

    tried = shell.done(*named, "--dry-run")
    untouched = shell.done("facts", "list", *user)
    asked = shell(*named)
    done = shell.done(*named, "--yes")
    left = shell.done("facts", "list", *user)
    again = shell.done(*named, "--yes")
    short = shell("erase-mentions", *user, "--name", "z", "--yes")

    assert "would be erased: 2 records" in tried
    assert "Zorkmid" in untouched
    assert asked.exit_code == 2
    assert "erased: 2 records" in done
    assert "The quay is long." in left
    assert "Zorkmid" not in left
    assert "李雷" not in left
    assert "nothing names it" in again
    assert short.exit_code == 5
    assert "mentions[0]" in short.err
