"""`memorybank user`, against the real server."""

import os
from itertools import count

from tests.support.shell import Shell

NAMES = count(1)


def test_a_user_is_switched_off_and_on_and_purged(shell: Shell) -> None:
    name = f"ada-{os.getpid()}-{next(NAMES)}"
    shell.done("facts", "add", "Ada's desk is in Zürich.", "--user", name)

    shown = shell.done("user", "show", name)
    off = shell.done("user", "off", name)
    on = shell.done("user", "on", name)
    purged = shell.done("user", "purge", name, "--yes")

    assert f"{name}: memory is on; 1 collection" in shown
    assert "memory is off" in off
    assert "memory is on" in on
    assert f"purged {name}: 1 collection" in purged
