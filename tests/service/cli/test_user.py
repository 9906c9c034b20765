"""`memorybank user`, against the real server."""

import json
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

    written = shell.done("user", "export", name, str(tmp_path / "ada.mbz"))
    with ZipFile(tmp_path / "ada.mbz") as archive:
        archive.extractall(tmp_path / "ada")
        paths = archive.namelist()
    imported = shell.done("facts", "import", str(tmp_path / "ada/collections/1"), "--user", f"{name}-too")

    assert "5 files" in written
    assert paths == [
        "user.json",
        "collections/1/collection.json",
        "collections/1/memory.json",
        "schema.json",
        "manifest.json",
    ]
    assert "imported 1 records" in imported
    assert "苏黎世" in shell.done("facts", "list", "--user", f"{name}-too")


def test_an_archive_is_brought_back_after_a_look_and_a_second_time_adds_nothing(
    shell: Shell, tmp_path: Path
) -> None:
    name, bundle = f"owner-{os.getpid()}-{next(NAMES)}", str(tmp_path / "ada.mbz")
    shell.done("facts", "add", "Ada 的桌子在苏黎世。", "--user", name)
    shell.done("user", "export", name, bundle)

    there = shell("user", "import", bundle)
    shell.done("user", "purge", name, "--yes")
    looked = shell.done("user", "import", bundle, "--dry-run")
    nobody = shell("user", "show", name)
    came = shell.done("user", "import", bundle)
    again = shell.done("user", "import", bundle)
    copied = shell.done("user", "import", bundle, "--user", f"{name}-too")
    misread = shell("import", bundle)

    assert there.exit_code != 0
    assert "something is kept of a user" in there.err
    assert looked == f"{name} would come: 1 collection (1 records)\n"
    assert nobody.exit_code == 4
    assert came == looked.replace("would come", "came")
    assert again == looked.replace("would come", "was there already")
    assert "too came: 1 collection" in copied
    assert "苏黎世" in shell.done("facts", "list", "--user", name)
    assert f"memorybank user import {bundle}" in misread.err.replace("\n", "")


def test_an_export_for_people_is_a_page_of_facts_conversations_and_documents(
    shell: Shell, tmp_path: Path
) -> None:
    name, page = shell.bank, tmp_path / "ada.md"
    lines = [
        {"content": "Ada has a boat.\nIt is blue.", "tags": ["boat"], "time": 1_700_000_000},
        {"content": "船叫什么名字?", "conversation": "boat", "role": "user", "time": 1_700_000_000},
        {"content": "Mishka.\u2028It is Bulgarian.", "conversation": "boat", "role": "assistant"},
    ]
    (tmp_path / "memory.jsonl").write_text(
        "\n".join(json.dumps(line, ensure_ascii=False) for line in lines), encoding="utf-8"
    )
    shell.done("import", "--from", "jsonl", str(tmp_path / "memory.jsonl"), "--user", name)
    shell.done("instructions", "put", f"user:{name}", "style.md", into="Be long.")
    shell.done("instructions", "put", f"user:{name}", "style.md", into="Be brief.")
    shell.done("facts", "add", "The project's database is MySQL.", "--user", name)

    shell.done("user", "export", name, str(page))

    told = page.read_text(encoding="utf-8")
    assert "## Facts\n\n- 2023-11-14: Ada has a boat.\n  It is blue. [boat]\n" in told
    assert (
        "## Conversation jsonl-boat\n\n- 2023-11-14: 船叫什么名字?\n- 2023-11-14: **reply** Mishka." in told
    )
    assert "## Document style.md\n\nBe brief.\n" in told
    assert "Be long." not in told
    assert "The project's database is MySQL." in told
