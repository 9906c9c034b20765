"""What people do with the command line on their first day, against the real server."""

import asyncio
import json
import signal
import subprocess
import sys
from contextlib import aclosing
from pathlib import Path

import pytest

from tests.support.process import slow_process
from tests.support.shell import Shell

FERRY = "The ferry to Bygdøy leaves from pier 3 at nine in the morning."


def test_status_says_what_answers_and_where_the_bank_stands(shell: Shell) -> None:
    before = shell.done("status")
    shell.done("remember", FERRY, "--goal", "get to Bygdøy")

    after = shell.done("status")

    assert f"{shell.server} answers" in before
    assert f"there is no bank '{shell.bank}'" in before
    assert "sentences are compared by: e5-small-comparing" in before
    assert "get to Bygdøy" in after
    assert "1 node" in after
    assert shell.told("status")["bank"]["counts"]["nodes"] == "1"


def test_a_sentence_is_remembered_and_found_with_its_source(shell: Shell) -> None:
    told = shell.told("remember", FERRY, "--source", "the harbour")

    (found,) = shell.told("search", "when does the ferry leave?")["hits"]
    assert found["node"]["source"] == "the harbour"
    assert told["documents"][0]["result"]["node_ids"] == [found["node"]["node_id"]]
    assert shell("remember", " ").exit_code == 2


def test_a_sentence_that_is_remembered_is_told_in_a_line(shell: Shell) -> None:
    first = shell.done("remember", FERRY)

    again = shell.done("remember", FERRY)
    other = shell.done("remember", FERRY.replace("nine", "ten"))

    (line,) = first.splitlines()
    assert line.startswith(f"remembered in bank {shell.bank}, as n-")
    assert again == first.replace(f"{shell.bank},", f"{shell.bank} already,")
    assert [name in other for name in ("[nine]", "[ten]", " OPEN")] == [True, True, True]
    assert f"memorybank resolve CONFLICT --verdict TEXT --bank {shell.bank}" in other


def test_standard_input_is_remembered(shell: Shell) -> None:
    told = json.loads(shell.done("ingest", "-", "--json", into=FERRY))

    assert told["documents"][0]["file"] == "-"
    (found,) = shell.told("search", "ferry")["hits"]
    assert found["node"]["source"] == "standard input"


def test_a_node_is_deleted(shell: Shell) -> None:
    (node_id,) = shell.told("remember", FERRY)["documents"][0]["result"]["node_ids"]

    shell.done("delete", node_id, "--yes")

    assert shell("show", "node", node_id).exit_code == 4
    assert shell("delete", node_id).exit_code == 4


def test_all_banks_are_exported_to_a_folder_and_come_back(shell: Shell, tmp_path: Path) -> None:
    shell.done("remember", FERRY)
    folder = tmp_path / "backup"

    told = shell.told("export", str(folder), "--all")

    assert shell.bank in [each["bank_id"] for each in told["exports"]]
    assert {path.name for path in folder.iterdir()} == {f"{e['bank_id']}.jsonl.gz" for e in told["exports"]}
    shell.done("purge", "--bank", shell.bank, "--yes")
    shell.done("import", str(folder / f"{shell.bank}.jsonl.gz"))
    assert shell.told("search", "ferry")["hits"]


def test_a_folder_is_no_file_to_export_one_bank_to(shell: Shell, tmp_path: Path) -> None:
    ended = shell("export", str(tmp_path))

    assert ended.exit_code == 2
    assert "--all" in ended.err


def test_a_bank_that_goes_during_an_export_of_all_ends_it_not(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.done("remember", "The ferry leaves at nine.")
    monkeypatch.setattr("service.cli.export._bank_ids", lambda _: ["purged-since", shell.bank])

    told = shell.told("export", str(tmp_path / "all"), "--all")

    assert ([each["bank_id"] for each in told["exports"]], told["gone"]) == ([shell.bank], ["purged-since"])


def test_changes_are_watched_until_ctrl_c_which_says_how_to_go_on(shell: Shell) -> None:
    revision = shell.told("remember", "The museum opens at ten.")["documents"][0]["result"]["revision"]
    command = [sys.executable, "-m", "service", "watch", "--from", revision, "--server", shell.server]

    with subprocess.Popen(
        [*command, "--bank", shell.bank], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as watching:
        assert watching.stdout is not None
        shell.done("remember", FERRY)
        seen = ""
        for line in watching.stdout:
            seen += line
            if "node added" in line:
                break
        watching.send_signal(signal.SIGINT)
        _, err = watching.communicate(timeout=180)

    assert watching.returncode == 130, err
    assert "pier 3" in seen
    assert "interaction added" in seen
    assert f"memorybank watch --bank {shell.bank} --from " in err


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_a_shell_learns_to_complete(shell: Shell, name: str) -> None:
    assert "_MEMORYBANK_COMPLETE" in shell.done("completion", name)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["serch", "ferry"], "'search'"),
        (["show", "bnak"], "'bank'"),
        (["search", "ferry", "--bnk", "b"], "'--bank'"),
    ],
)
def test_what_was_probably_meant_is_said(shell: Shell, words: list[str], meant: str) -> None:
    ended = shell(*words)

    assert ended.exit_code == 2
    assert "Did you mean" in ended.err
    assert meant in ended.err


def test_an_option_that_is_wrong_is_spoken_of_by_its_name(shell: Shell) -> None:
    ended = shell("serve", "--listen", "7792")

    assert ended.exit_code == 1
    assert "--listen must be HOST:PORT, 127.0.0.1:7700 say, not '7792'" in ended.err


def test_a_refusal_names_the_option_that_was_given(shell: Shell) -> None:
    ended = shell("search", "ferry", "--bank", "my trip")

    secret = shell("facts", "add", "My password is hunter2.", "--user", "ada")

    assert (ended.exit_code, secret.exit_code) == (5, 5)
    assert ended.err.startswith("memorybank: --bank: must be ")
    assert "--allow-sensitive" in secret.err


def test_all_files_that_cannot_be_read_are_named_and_nothing_is_sent(shell: Shell, tmp_path: Path) -> None:
    good, packed, empty = (tmp_path / name for name in ("notes.md", "notes.md.gz", "empty.md"))
    good.write_text(FERRY, encoding="utf-8")
    packed.write_bytes(b"\x1f\x8b\x08\x08notes")
    empty.write_text("", encoding="utf-8")

    ended = shell("ingest", *map(str, (packed, good, empty)))

    assert ended.exit_code == 1
    assert f"{packed}: it is compressed (gzip)" in ended.err
    assert f"{empty}: there is nothing in it" in ended.err
    assert "nothing was sent, the other files neither" in ended.err
    assert shell("show", "bank").exit_code == 4


def test_what_is_compressed_is_refused_and_what_is_no_text_is_said_to_be_kept_as_it_is(
    shell: Shell, tmp_path: Path
) -> None:
    packed, raw = tmp_path / "notes.md.gz", tmp_path / "probe.bin"
    packed.write_bytes(b"\x1f\x8b\x08\x08notes")
    raw.write_bytes(b"\x00\x01\x02")

    refused = shell("ingest", str(packed))
    kept = shell.done("ingest", str(raw))

    assert refused.exit_code == 1
    assert "it is compressed (gzip): unpack it" in refused.err
    assert "its words are not read" in kept


async def test_ctrl_c_says_what_was_kept_and_that_the_server_goes_on(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text(FERRY, encoding="utf-8")

    async with slow_process(tmp_path, 600) as server, server.client() as client:
        await client.create_bank(bank_id="trip")
        command = ["-m", "service", "ingest", str(note), "--bank", "trip", "--server", server.address]
        ingesting = await asyncio.create_subprocess_exec(
            sys.executable, *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        async with aclosing(client.watch_bank(bank_id="trip", from_revision=0)) as changes:
            async for change in changes:
                if any(event.HasField("cluster_updated") for event in change.events):
                    break
        ingesting.send_signal(signal.SIGINT)
        _, err = await ingesting.communicate()
        found = await client.search(bank_id="trip", text="when does the ferry leave?")
        await server.kill()  # it would take ten minutes to place the topic

    assert ingesting.returncode == 130
    assert err.decode().splitlines() == [
        "memorybank: interrupted",
        "  0 of 1 text remembered so far",
        "  note.md is stored and searchable; the server goes on sorting it into topics",
        "  the same command again goes on from there, and doubles nothing",
    ]
    assert "pier 3" in found.hits[0].segment.text


def test_data_is_kept_word_for_word_and_is_no_topic(shell: Shell, tmp_path: Path) -> None:
    data = "".join(f"{n:08x}deadbeef" for n in range(20_000))
    path = tmp_path / "mixed.md"
    path.write_text(f"{FERRY}\n\n{data}\n", encoding="utf-8")

    (told,) = shell.told("ingest", str(path))["documents"]

    assert told["characters"] > 320_000
    assert len(told["result"]["node_ids"]) == 1
    (record,) = shell.told("deep", told["result"]["node_ids"][0], "--whole")["interactions"]
    assert record["text"] == path.read_text(encoding="utf-8")
