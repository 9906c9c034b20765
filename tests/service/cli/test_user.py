"""`memorybank user`, against the real server."""

import os
from itertools import count
from pathlib import Path
from zipfile import ZipFile

from tests.support.shell import Shell

NAMES = count(1)


def test_a_user_is_switched_off_and_on_and_purged(shell: Shell) -> None:
    name = f"owner-{os.getpid()}-{next(NAMES)}"
    shell.done("facts", "add", "Ada's desk is in Zürich.", "--user", name)

    shown = shell.done("user", "show", name)
    off = shell.done("user", "off", name)
    on = shell.done("user", "on", name)
    purged = shell.done("user", "purge", name, "--yes")

    assert f"{name}: memory is on; 1 collection" in shown
    assert "memory is off" in off
    assert "memory is on" in on
    assert f"purged {name}: 1 collection" in purged


def test_an_export_is_an_archive_whose_collections_can_be_imported(shell: Shell, tmp_path: Path) -> None:
    name = f"owner-{os.getpid()}-{next(NAMES)}"
    shell.done("facts", "add", "Ada 的桌子在苏黎世。", "--user", name)

    written = shell.done("user", "export", name, str(tmp_path / "ada.zip"))
    with ZipFile(tmp_path / "ada.zip") as archive:
        archive.extractall(tmp_path / "ada")
        paths = archive.namelist()
    imported = shell.done("facts", "import", str(tmp_path / "ada/collections/1"), "--user", f"{name}-too")

    assert "3 files" in written
    assert paths == ["user.json", "collections/1/collection.json", "collections/1/memory.json"]
    assert "imported 1 records" in imported
    assert "苏黎世" in shell.done("facts", "list", "--user", f"{name}-too")
