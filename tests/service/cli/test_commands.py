"""The commands, against the real server."""

import gzip
import json
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.pdf import write_pdf
from tests.support.shell import Shell

FERRY = "The ferry to Bygdøy leaves from pier 3 at nine in the morning."
CEO, OTHER_CEO = "星河科技的CEO是张三。", "星河科技的CEO是李四。"


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.md"
    path.write_text(FERRY, encoding="utf-8")
    return path


def written(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


# ---- ingest and search ----


def test_a_file_is_remembered_and_found_and_its_bank_is_made_on_the_way(shell: Shell, note: Path) -> None:
    told = shell.done("ingest", str(note), "--goal", "get to Bygdøy")
    found = shell.done("search", "when does the ferry leave?")

    assert "note.md" in told
    assert "pier 3" in found
    assert "get to Bygdøy" in shell.done("show", "bank")


def test_a_bank_says_how_long_it_is_kept(shell: Shell, note: Path) -> None:
    shell.done("ingest", str(note), "--ttl", "7d")
    week = shell.done("show", "bank")
    shell.done("ingest", str(note), "--ttl", "never")

    assert "7 days after its task has finished" in week
    assert "kept until  it is deleted" in shell.done("show", "bank")
    assert "neither a duration" in shell("ingest", str(note), "--ttl", "soon").err


def test_the_same_file_again_changes_nothing(shell: Shell, note: Path) -> None:
    first = shell.told("ingest", str(note))

    again = shell.told("ingest", str(note))

    assert again["documents"][0]["result"]["replayed"]
    assert shell.told("show", "bank")["revision"] == first["documents"][0]["result"]["revision"]


def test_json_is_the_contracts_own(shell: Shell, note: Path) -> None:
    told = shell.told("ingest", str(note))
    (document,) = told["documents"]
    found = shell.told("search", "ferry", "-k", "1")

    assert told["bank_id"] == shell.bank
    assert document["characters"] == len(FERRY)
    assert document["result"]["node_ids"] == [found["hits"][0]["node"]["node_id"]]
    assert document["result"]["state"] == "STRUCTURING_STATE_DONE"
    assert found["hits"][0]["score"] > 0


def test_of_a_document_that_is_compared_in_part_a_line_tells_it(shell: Shell, tmp_path: Path) -> None:
    short = written(tmp_path / "short.txt", "The kitchen of the house is white.")
    long = written(tmp_path / "long.txt", " ".join(f"Room {n} of the house is red." for n in range(80)))

    assert "not compared" not in shell.done("ingest", short)
    assert "pairs of sentences not compared, more than a judgement takes: 16" in shell.done("ingest", long)
    assert "未比较的句对（超出一次判断的上限）：16" in shell.done("--lang", "zh", "ingest", long)


def test_a_pdf_is_traced_to_its_page(shell: Shell, tmp_path: Path) -> None:
    pages = [
        ["Travel notes.", "The museum opens at ten."],
        ["The boat house is closed on Mondays in winter."],
    ]
    path = write_pdf(tmp_path / "notes.pdf", pages)

    shell.done("ingest", str(path))
    best = shell.told("search", "is the boat house closed?", "-k", "1")["hits"][0]["node"]["node_id"]
    shown = shell.done("deep", best)

    assert "The boat house is closed on Mondays" in shown
    assert "page 2, characters" in shown


def test_files_that_a_text_names_are_attached_to_it_and_others_get_a_line(
    shell: Shell, tmp_path: Path
) -> None:
    text = written(tmp_path / "trip.md", "The way to pier 3 is on the map: ![](map.png)")
    for name in ("map.png", "ticket.bin"):
        (tmp_path / name).write_bytes(b"\x00" + name.encode())

    told = shell.told("ingest", text, str(tmp_path / "map.png"), str(tmp_path / "ticket.bin"))
    by_file = {Path(each["file"]).name: each["result"]["interaction_id"] for each in told["documents"]}
    records = {
        name: shell.told("deep", "--record", interaction_id)["interactions"][0]
        for name, interaction_id in by_file.items()
    }

    assert list(by_file) == ["trip.md", "ticket.bin"]
    assert [each["attachment_id"] for each in records["trip.md"]["attachments"]] == ["map.png"]
    assert [each["attachment_id"] for each in records["ticket.bin"]["attachments"]] == ["ticket.bin"]


def test_an_attachment_comes_back_byte_for_byte(shell: Shell, tmp_path: Path) -> None:
    text = written(tmp_path / "trip.md", "See map.png.")
    content = bytes(range(256)) * 8192
    (tmp_path / "map.png").write_bytes(content)
    told = shell.told("ingest", text, str(tmp_path / "map.png"))
    (node_id,) = told["documents"][0]["result"]["node_ids"]

    shell.done("deep", node_id, "--attachment", "map.png", "--out", str(tmp_path / "back.png"))

    assert (tmp_path / "back.png").read_bytes() == content


def test_another_file_of_a_name_that_is_taken_is_refused_with_the_remedy(
    shell: Shell, tmp_path: Path
) -> None:
    path = tmp_path / "map.png"
    path.write_bytes(b"\x00 this map")
    shell.done("ingest", str(path))
    path.write_bytes(b"\x00 that map")

    ended = shell("ingest", str(path))

    assert ended.exit_code == 5
    assert "Rename" in ended.err


def test_nothing_is_sent_if_one_of_the_files_cannot_be_read(shell: Shell, note: Path, tmp_path: Path) -> None:
    blank = written(tmp_path / "blank.txt", " \n ")

    ended = shell("ingest", str(note), blank)

    assert ended.exit_code == 1
    assert "blank.txt" in ended.err
    assert shell("show", "bank").exit_code == 4


# ---- what is in a bank ----


def test_the_graph_is_an_adjacency_list(shell: Shell, tmp_path: Path) -> None:
    document = "# Boats\n\nThe ferry crosses the fjord in ten minutes and carries ninety people.\n\n" * 2
    shell.done("ingest", written(tmp_path / "a.md", document))

    told = shell.told("show", "graph")
    ids = [node["node_id"] for node in told["nodes"]]

    assert told["complete"]
    assert all(edge["node_id"] in ids and edge["other_node_id"] in ids for edge in told["edges"])
    assert ids[0] in shell.done("show", "graph")


def test_a_conflict_is_shown_settled_and_kept_in_the_lineage(shell: Shell, tmp_path: Path) -> None:
    shell.done("ingest", written(tmp_path / "old.txt", CEO))
    told = shell.told("ingest", written(tmp_path / "new.txt", OTHER_CEO))
    (conflict_id,) = told["documents"][0]["result"]["conflict_ids"]
    assert "CROSS_VALIDATION" in shell.done("show", "insight")
    shown = shell.done("show", "conflicts").splitlines()
    assert shown[0] == f"{conflict_id} OPEN"
    quotes = [line for line in shown if line.startswith("  • ")]
    assert sorted(name for line in quotes for name in re.findall(r"\[(.+?)\]", line)) == ["张三", "李四"]
    origins = [shown[shown.index(line) + 1] for line in quotes]
    assert sorted(line.split(" · ")[1] for line in origins) == ["new.txt", "old.txt"]

    settled = shell.told("resolve", conflict_id, "--verdict", "CEO是李四，张三已卸任。", "--merge")

    assert shell.done("show", "conflicts").strip() == "no conflicts"
    assert "RESOLVED" in shell.done("show", "conflicts", "--all")
    assert "CEO是李四，张三已卸任。" in shell.done("deep", settled["node_id"])
    assert "李四" in shell.done("show", "node", settled["node_id"])


def test_a_conflict_is_confirmed_without_a_verdict(shell: Shell, tmp_path: Path) -> None:
    shell.done("ingest", written(tmp_path / "old.txt", CEO))
    told = shell.told("ingest", written(tmp_path / "new.txt", OTHER_CEO))
    (conflict_id,) = told["documents"][0]["result"]["conflict_ids"]

    refused = shell("resolve", conflict_id, "--confirm", "--verdict", "李四。")
    confirmed = shell.told("resolve", conflict_id, "--confirm")

    assert "--confirm takes no --verdict" in refused.err
    assert confirmed["conflict"]["status"] == "CONFLICT_STATUS_OPEN"


def test_a_reference_is_remembered_without_judging(shell: Shell, tmp_path: Path) -> None:
    shell.done("ingest", written(tmp_path / "old.txt", CEO))

    told = shell.told("ingest", written(tmp_path / "manual.txt", OTHER_CEO), "--no-judging")

    assert len(told["documents"][0]["result"]["node_ids"]) == 1
    assert told["conflicts"] == []


def test_a_dismissed_conflict_leaves_both_sides(shell: Shell, tmp_path: Path) -> None:
    shell.done("ingest", written(tmp_path / "old.txt", CEO))
    told = shell.told("ingest", written(tmp_path / "new.txt", OTHER_CEO))
    (conflict_id,) = told["documents"][0]["result"]["conflict_ids"]

    shell.done("resolve", conflict_id, "--dismiss")

    assert (
        shell.told("show", "bank")["counts"] | {"nodes": "2", "open_conflicts": "0"}
        == shell.told("show", "bank")["counts"]
    )


def test_banks_are_listed(shell: Shell, note: Path) -> None:
    shell.done("ingest", str(note))

    assert shell.bank in [bank["bank_id"] for bank in shell.told("show", "banks")["banks"]]
    assert shell.bank in shell.done("show", "banks")


# ---- export, import, purge ----


@pytest.mark.parametrize("name", ["bank.jsonl", "bank.jsonl.gz"])
def test_an_export_imports_to_the_same_bank(shell: Shell, note: Path, tmp_path: Path, name: str) -> None:
    shell.done("ingest", str(note))
    file = str(tmp_path / name)
    shell.done("export", file)
    before = shell.done("export", "-")
    shell.done("purge", "--bank", shell.bank, "--yes")

    shell.done("import", file)

    contents = slice(2, -1)  # without header, the bank's record (its uid is new) and trailer
    assert shell.done("export", "-").splitlines()[contents] == before.splitlines()[contents]
    written_out = Path(file).read_bytes()
    assert (gzip.decompress(written_out) if name.endswith(".gz") else written_out).startswith(b'{"header"')


def test_an_export_is_imported_under_another_id_from_standard_input(shell: Shell, note: Path) -> None:
    shell.done("ingest", str(note))
    copy = f"{shell.bank}-copy"

    shell.done("import", "-", "--bank", copy, into=shell.done("export", "-"))

    assert "pier 3" in shell.done("search", "ferry", "--bank", copy)


def test_a_broken_export_is_refused_by_its_line_and_makes_no_bank(
    shell: Shell, note: Path, tmp_path: Path
) -> None:
    shell.done("ingest", str(note))
    lines = shell.done("export", "-").splitlines()
    broken = written(tmp_path / "broken.jsonl", "\n".join([lines[0], "{}}", *lines[2:]]))
    short = written(tmp_path / "short.jsonl", "\n".join(lines[:-2]))

    unread = shell("import", broken, "--bank", f"{shell.bank}-x")
    cut = shell("import", short, "--bank", f"{shell.bank}-x", "--json")

    assert (unread.exit_code, cut.exit_code) == (1, 5)
    assert "line 2" in unread.err
    assert cut.error["reason"] == "IMPORT_INVALID"
    assert shell("show", "bank", "--bank", f"{shell.bank}-x").exit_code == 4


def test_a_compressed_export_that_was_changed_is_refused_without_a_traceback(
    shell: Shell, note: Path, tmp_path: Path
) -> None:
    shell.done("ingest", str(note))
    file = tmp_path / "bank.jsonl.gz"
    shell.done("export", str(file))
    whole = file.read_bytes()
    middle, copy = len(whole) // 2, f"{shell.bank}-x"

    for changed in (
        whole[:middle],
        b"no gzip",
        whole[:-5] + b"wrong",
        whole[:middle] + bytes(99) + whole[middle + 99 :],
    ):
        file.write_bytes(changed)
        refused = shell("import", str(file), "--bank", copy)

        assert refused.exit_code == 1
        assert "is no record of an export" in refused.err
        assert "Traceback" not in refused.err
    assert shell("show", "bank", "--bank", copy).exit_code == 4


def test_an_export_that_fails_leaves_no_file(shell: Shell, tmp_path: Path) -> None:
    ended = shell("export", str(tmp_path / "bank.jsonl"))

    assert ended.exit_code == 4
    assert list(tmp_path.iterdir()) == []


def test_a_purge_asks_first_and_then_leaves_nothing(shell: Shell, note: Path) -> None:
    shell.done("ingest", str(note))

    unasked = shell("purge", "--bank", shell.bank)
    told = shell.told("purge", "--bank", shell.bank, "--yes")

    assert (unasked.exit_code, "--yes" in unasked.err) == (2, True)
    assert told["counts"]["nodes"] == "1"
    assert shell("show", "bank").exit_code == 4


# ---- when it does not work ----


def test_what_is_not_there_ends_with_4_and_the_reason(shell: Shell, note: Path) -> None:
    missing_bank = shell("search", "anything", "--json")
    shell.done("ingest", str(note))
    missing_node = shell("show", "node", "nowhere", "--json")

    assert [each.exit_code for each in (missing_bank, missing_node)] == [4, 4]
    assert missing_bank.error["reason"] == "BANK_NOT_FOUND"
    assert missing_node.error["reason"] == "NODE_NOT_FOUND"
    assert missing_node.out == ""


def test_what_is_refused_ends_with_5_and_names_the_option(shell: Shell) -> None:
    ended = shell("show", "bank", "--bank", "no/id")

    assert ended.exit_code == 5
    assert "--bank" in ended.err


@pytest.mark.parametrize(
    "words", [["search"], ["search", "x", "-k", "0"], ["resolve", "c"], ["ingest", "/no/file"]]
)
def test_wrong_usage_ends_with_2(shell: Shell, words: list[str]) -> None:
    assert shell(*words).exit_code == 2


def test_without_a_server_it_ends_with_3_and_the_remedy(shell: Shell) -> None:
    with socket.socket() as taken:  # bound, never listening: refuses at once, and is nobody else's
        taken.bind(("127.0.0.1", 0))
        ended = shell("search", "x", "--server", f"127.0.0.1:{taken.getsockname()[1]}")

    assert ended.exit_code == 3
    assert "memorybank serve" in ended.err


def test_a_server_that_does_not_answer_in_time_ends_with_3(shell: Shell) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        ended = shell("search", "x", "--server", f"127.0.0.1:{silent.getsockname()[1]}", "--timeout", "0.2")

    assert ended.exit_code == 3


def test_ctrl_c_ends_with_130_and_no_trace_of_the_program() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(180)
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        command = [sys.executable, "-m", "service", "search", "x", "--server", address]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
            connection, _ = silent.accept()
            with connection:
                running.send_signal(signal.SIGINT)
                out, err = running.communicate(timeout=180)

    assert (running.returncode, out, err.strip()) == (130, "", "memorybank: interrupted")


def test_every_command_explains_itself_with_an_example(shell: Shell) -> None:
    commands = ["ingest", "search", "show", "deep", "resolve", "export", "import", "purge"]

    explained = {name: shell.done(name, "--help") for name in commands}

    assert all(f"memorybank {name}" in text for name, text in explained.items())
    assert "130  interrupted" in shell.done("--help")


def test_commands_are_listed_and_completed_without_being_imported() -> None:
    listed = (
        "import sys; from service.cli import main; main(['--help'], standalone_mode=False); "
        "print([name for name in ('numpy', 'grpc', 'service.cli.serve') if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", listed], capture_output=True, text=True, check=True)

    assert re.search(r"serve +Serve the memory bank over gRPC\.", ended.stdout)
    assert ended.stdout.endswith("[]\n")


def test_the_version_is_the_packages(shell: Shell) -> None:
    assert json.loads(json.dumps(shell.done("--version"))).startswith("memorybank, version ")
