"""`memorybank check`, against the real server."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from memorybank_client import SyncMemoryBankClient
from memorybank_client.checking import Checker
from memorybank_client.expectations import ExpectationsInvalid, parse_expectations
from tests.support.shell import Shell


@pytest.fixture
def told(shell: Shell) -> Shell:
    """A bank with an open conflict, and a user of the same name with facts in both languages."""
    for text in (
        "The ferry to Naxos leaves at nine.",
        "The ferry to Naxos leaves at ten.",
        "量子比特需要冷却。",
    ):
        shell.done("remember", text)
    shell.done("facts", "add", "The project's database is MySQL.", "--user", shell.bank)
    shell.done("facts", "add", "预算不能超过10万元。", "--user", shell.bank)
    return shell


def suite(folder: Path, text: str) -> str:
    path = folder / "expect.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_what_holds_ends_well_and_what_does_not_says_what_came(told: Shell, tmp_path: Path) -> None:
    holds = f"""
bank: {told.bank}
user: {told.bank}
expect:
  - search: when does the ferry leave?
    words: [FERRY TO  Naxos]
    not: museum
    within: 2
  - augment: 量子比特
    words: 量子比特需要冷却
    tokens: 4000
    no_conflict: 量子
  - facts: 预算是多少？
    words: 10万元
    within: 1
    no_conflict: 预算
  - context: which database?
    bank: ""
    collection: ""
    words: mysql
"""
    broken = f"""
- name: the ferry
  search: when does the ferry leave?
  bank: {told.bank}
  words: [leaves at eleven]
  not: at ten
  ids: n-nowhere
  no_conflict: ferry
- augment: when does the ferry leave?
  bank: {told.bank}
  words: by bus
  not: at nine
  tokens: 1
- facts: which database?
  user: {told.bank}
  words: PostgreSQL
- facts: which database?
  user: nobody-{told.bank}
  not: MySQL
- context: which database?
  bank: no-{told.bank}
  not: MySQL
- search: anything
  bank: no-{told.bank}
  not: anything
"""

    well = told("check", suite(tmp_path, holds))
    ill = told("check", suite(tmp_path, broken), "--json", "--junit", str(tmp_path / "junit.xml"))

    assert well.exit_code == 0, well.out
    assert "4 of 4 entries hold" in well.out
    assert ill.exit_code == 1
    assert ill.error["message"].endswith("6 entries of 6 do not hold")
    found = json.loads(ill.out)
    entries = [each["problems"] for each in found["entries"]]
    assert [each["line"] for each in found["entries"]] == [2, 9, 14, 17, 20, 23]
    words, absent, ids, conflict = entries[0]
    assert "“leaves at eleven” is not there" in words
    assert "leaves at ten" in words  # what came instead
    assert "leaves at ten" in absent
    assert "n-nowhere" in ids
    assert "n-0" in ids.partition("instead: ")[2]
    assert "at ten" in conflict
    assert [each.partition(":")[0] for each in entries[1]] == ["words", "not", "tokens"]
    assert "The project's database is MySQL." in entries[2][0]
    assert "no collection" in entries[3][0]
    assert "BANK_NOT_FOUND" in entries[4][0]
    assert entries[5] == [f"refused: there is no bank 'no-{told.bank}': CreateBank or StartTask makes one"]
    _require_junit(tmp_path / "junit.xml")


def _require_junit(path: Path) -> None:
    made = ET.parse(path).getroot()
    cases = list(made)
    assert (made.get("tests"), made.get("failures"), made.get("errors")) == ("6", "5", "1")
    assert cases[0].get("name") == "the ferry"
    assert "leaves at ten" in (cases[0][0].text or "")
    assert [case[0].tag for case in cases] == ["failure"] * 5 + ["error"]


def test_a_file_that_is_wrong_names_each_line_and_calls_nothing(tmp_path: Path) -> None:
    nowhere = Shell(server="127.0.0.1:1")  # reached, this would be exit code 3
    wrong = """
expect:
  - search: ferry
    bank: trip
    wrods: nine
  - serch: ferry
    bank: trip
    words: nine
  - facts: ferry
    user: ada
    tokens: 5
    words: nine
  - augment: ferry
    bank: trip
  - search: ferry
    words: nine
  - context: ferry
    words: nine
  - search: ferry
    bank: trip
    words: nine
    words: ten
    within: 0
"""
    with pytest.raises(ExpectationsInvalid) as refused:
        parse_expectations(wrong)

    assert refused.value.problems == [
        "line 5: unknown word 'wrods': did you mean 'words'?",
        "line 6: unknown word 'serch': did you mean 'search'?",
        "line 11: facts makes no prompt whose tokens could be counted",
        "line 13: expects nothing: say words, not, ids, tokens or no_conflict",
        "line 15: search needs bank",
        "line 17: context needs bank, collection or conversation",
        "line 22: 'words' is said twice",
    ]
    assert nowhere("check", suite(tmp_path, "- search: x\n  bank: b\n  words: x")).exit_code == 3


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "line 1: no entries"),
        ("expect: [\n", "line 2: no YAML"),
        ("- 5", "line 1: an entry names a call and its query"),
        ("- search: ''\n  bank: b\n  words: x", "line 1: search has no query"),
        ("- search: [a, b]\n  bank: b\n  words: x", "line 1: search must be a text"),
        ("- search: a\n  bank: b\n  words: []", "line 3: words must be a text or texts, none empty"),
        (
            "- search: a\n  bank: b\n  words: x\n  within: two",
            "line 4: within must be a whole number from 1 on",
        ),
        ("- search: a\n  bank: b\n  words: x\n  user: ada", "line 4: search takes no user"),
        ("- search: a\n  facts: a\n  words: x", "line 1: an entry names one call"),
        ("- search: a\n  bank: b\n  words: x\n  target: all", "line 4: target is one of"),
        ("- augment: a\n  bank: b\n  words: x\n  within: 2", "line 4: a prompt has no order by rank"),
    ],
)
def test_what_is_wrong_is_refused_as_wrong_usage(
    shell: Shell, tmp_path: Path, text: str, problem: str
) -> None:
    ended = shell("check", suite(tmp_path, text))

    assert ended.exit_code == 2
    assert problem in ended.err


class Counting:
    """A client whose calls are counted by their verb."""

    def __init__(self, client: SyncMemoryBankClient) -> None:
        self.calls: Counter[str] = Counter()
        self._client = client

    def __getattr__(self, verb: str) -> Any:
        self.calls[verb] += 1
        return getattr(self._client, verb)


def test_an_entry_costs_one_call_and_what_is_open_is_read_once(told: Shell) -> None:
    entry = f"- search: ferry\n  bank: {told.bank}\n  words: Naxos\n  no_conflict: museum\n"
    facts = f"- facts: database\n  user: {told.bank}\n  words: mysql\n"
    with SyncMemoryBankClient(told.server) as client:
        counting = Counting(client)
        checker = Checker(counting)  # type: ignore[arg-type]  # it passes every verb on

        outcomes = [checker.check(each) for each in parse_expectations(entry * 20 + facts * 20)]
        record = client.list_records(user=told.bank).records[0]

    assert not [each.problems for each in outcomes if each.problems]
    assert counting.calls == {"search": 20, "retrieve_facts": 20, "list_conflicts": 1}
    assert not record.HasField("last_use_time")  # looking changed nothing


TESTS = """
def test_holds(expect_memory):
    expect_memory(search="when does the ferry leave?", bank="BANK", words="at nine", absent=["museum"])
    expect_memory.file("expect.yaml", bank="BANK")

def test_does_not(expect_memory):
    expect_memory(search="when does the ferry leave?", bank="BANK", words="at eleven")

def test_is_mistyped(expect_memory):
    expect_memory(search="when does the ferry leave?", bank="BANK", wrods="nine")
"""


def test_the_fixture_of_pytest_fails_a_test_and_says_what_came(told: Shell, tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["memorybank_client.pytest_plugin"]\n')
    (tmp_path / "test_memory.py").write_text(TESTS.replace("BANK", told.bank))
    suite(tmp_path, "- search: 量子\n  words: 量子比特需要冷却\n")

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        env={**os.environ, "MEMORYBANK_SERVER": told.server, "PYTHONPATH": os.pathsep.join(sys.path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert "2 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "“at eleven” is not there; nearest of what came:" in done.stdout
    assert "The ferry to Naxos leaves at nine." in done.stdout
    assert "unknown word 'wrods': did you mean 'words'?" in done.stdout
