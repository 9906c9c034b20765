"""The README and the pages it leads to are true: commands run and print what is shown, tables are complete, calls are
the contract's.

Numbers, ids and times of shown output may differ (machines and days do); words may not. A line of `...` stands for
any lines.
"""

import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.descriptor_pool import Default
from google.protobuf.json_format import ParseDict
from google.protobuf.message_factory import GetMessageClass

from core.language import ENGLISH
from memorybank.v1 import (
    conversation_pb2,
    deep_retrieval_pb2,
    instructions_pb2,
    long_term_pb2,
    memory_bank_pb2,
    operations_pb2,
    query_graph_pb2,
    retrieval_pb2,
)
from memorybank_client import SyncMemoryBankClient
from service.config import NESTING, PREFIX, make_settings, packaged
from tests.support.process import running_server
from tests.support.shell import Shell
from tools import document_access, document_settings

ROOT = Path(__file__).parents[1]
PAGES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in (
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/*.md"),
        *ROOT.glob("clients/*.md"),
        *ROOT.glob("clients/*/*.md"),
    )
}
RUN = ("README.md", "docs/tour.md", "docs/agents.md")
"""The pages whose commands are run, each against a server of its own."""
ADDRESS = "127.0.0.1:7700"

CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
ID = re.compile(r"\b[nic]-[0-9a-z]{26,32}\b")
HANDLE = re.compile(r'(?:(?<=\[)|(?<="node_id": "))[0-9a-z]{5,8}(?=[\]"])')
NUMBER = re.compile(rf"\d[\d.,:]*(?: (?:{'|'.join(ENGLISH.dates.months)}) \d+)?")
CALL = re.compile(
    r"-d '(\{.*?\})'.*?(memorybank\.v1\.\w+/\w+)|(memorybank\.v1\.\w+/\w+) -d '(\{.*?\})'", re.DOTALL
)


def words_of(shown: str) -> str:
    """What must be the same on every machine: white space folded; ids, handles, numbers and days without values."""
    return " ".join(NUMBER.sub("#", HANDLE.sub("<handle>", ID.sub("<id>", shown))).split())


def bind(shown: str, printed: str, known: dict[str, str]) -> None:
    """Find what is shown in what was printed, part by part, and learn which ids stand for the README's."""
    rest, ids = words_of(printed), ID.findall(printed)
    for part in filter(str.strip, re.split(r"^\.\.\.$", shown, flags=re.MULTILINE)):
        wanted = words_of(part)
        before, found, after = rest.partition(wanted)
        assert found == wanted, f"not printed:\n{part}\nbut:\n{printed}"
        ids = ids[before.count("<id>") :]
        own = ID.findall(part)
        known.update(zip(own, ids, strict=False))
        ids, rest = ids[len(own) :], after


def run(command: str, shell: Shell) -> str:
    """What a command of the README prints, against another address than it names."""
    words = shlex.split(command.replace("\\\n", "").replace(ADDRESS, shell.server))
    match words:
        case ["make", "demo"]:
            return shell.done("demo")
        case ["memorybank", *rest]:
            return shell.done(*rest)
        case ["python", *rest]:
            done = subprocess.run([sys.executable, *rest], capture_output=True, text=True, check=True)
            return done.stdout
    raise AssertionError(f"how to run {command}?")


def recipes() -> dict[str, str]:
    """What the Makefile does for each target that it explains."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return dict(re.findall(r"^([a-z-]+):[^\n]*## [^\n]*\n((?:\t[^\n]*\n)*)", makefile, re.MULTILINE))


def table_below(page: str, heading: str) -> list[list[str]]:
    """The cells of the first table after a line."""
    rows: list[list[str]] = []
    text = PAGES[page]
    for line in text[text.index(heading) :].splitlines():
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split(" | ")])
        elif rows:
            break
    return rows[2:]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of one that the agents of these pages share."""
    with running_server() as address:
        yield address


@pytest.mark.slow
@pytest.mark.parametrize("page", RUN)
def test_every_command_runs_and_prints_what_is_shown(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("OPENAI_MODEL", raising=False)  # the example's model is its script
    monkeypatch.setattr("service.cli.demo.running_server", running_server)  # its own takes seconds to start
    known: dict[str, str] = {}
    commands = [found for block in CONSOLE.findall(PAGES[page]) for found in COMMAND.findall(block)]

    with running_server() as server:
        for command, shown in commands:
            if command == "make serve":
                assert shown == f"listening on {ADDRESS}\n"
                continue
            bind(shown, run(ID.sub(lambda own: known[own[0]], command), Shell(server=server)), known)

    assert commands


def test_make_does_what_the_readme_says_it_does() -> None:
    made = recipes()

    assert made["demo"].split()[-2:] == ["$(BIN)/memorybank", "demo"] or "memorybank demo" in made["demo"]
    serve = made["serve"].replace("$(PORT)", "7700").replace("$(DATA)", "data")
    assert f"memorybank serve --listen {ADDRESS} --data data" in serve
    assert [
        cell.strip("`").removeprefix("make ") for cell, _ in table_below("CONTRIBUTING.md", "| | |")
    ] == list(made)


def test_the_table_of_calls_is_the_contract() -> None:
    modules = (
        memory_bank_pb2,
        query_graph_pb2,
        retrieval_pb2,
        deep_retrieval_pb2,
        conversation_pb2,
        instructions_pb2,
        long_term_pb2,
        operations_pb2,
    )
    services: dict[str, Any] = {}
    for module in modules:
        services |= module.DESCRIPTOR.services_by_name

    told = {
        name: re.findall(r"`(\w+)`", calls)
        for name, calls in table_below("docs/contract.md", "| Service | RPCs |")
    }

    assert told == {name: [method.name for method in service.methods] for name, service in services.items()}


def test_the_page_of_settings_is_what_the_code_says() -> None:
    assert document_settings.PAGE.read_text(encoding="utf-8") == document_settings.page(), (
        "run: make settings"
    )


def test_the_table_of_who_may_do_what_is_what_the_contract_says() -> None:
    assert document_access.PAGE.read_text(encoding="utf-8") == document_access.page(), "run: make access"


def test_the_setting_named_as_an_example_is_read_from_the_environment() -> None:
    (example,) = re.findall(r"`(MEMORYBANK_\w+)=\d+`", PAGES["docs/configuration.md"])

    names = re.findall(r"^\| `([\w.]+)` \|", document_settings.page(), re.MULTILINE)

    assert example in {f"{PREFIX}{name.replace('.', NESTING)}".upper() for name in names}


def test_the_variables_and_the_file_shown_put_the_agents_on_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    (shown,) = re.findall(r"^export (MEMORYBANK_.*)$", PAGES["docs/models.md"], re.MULTILINE)
    file, embedder = re.findall(r"```toml\n(.*?)```", PAGES["docs/models.md"], re.DOTALL)
    for variable in shown.replace("…", "yours").split():
        monkeypatch.setenv(*variable.split("=", 1))

    settings = make_settings({**packaged(), **tomllib.loads(file)}, {})

    assert settings.llm.is_named
    assert settings.llm.of("judge").model == "a-stronger-one"
    assert settings.llm.of("judge").base_url == settings.llm.base_url
    assert settings.agents.clusterer == settings.agents.structurer == "offline"
    assert settings.llm.record == Path("replies.jsonl")
    assert make_settings({**packaged(), **tomllib.loads(embedder)}, {}).embedder.dimension == 1024


def test_the_calls_from_other_languages_are_requests_of_the_contract() -> None:
    calls = [
        (after or before, one or other) for one, after, before, other in CALL.findall(PAGES["README.md"])
    ]

    for path, body in calls:
        service, _, method = path.partition("/")
        request = Default().FindServiceByName(service).methods_by_name[method].input_type
        ParseDict(json.loads(body), GetMessageClass(request)())

    assert len(calls) == 2


@pytest.mark.slow
def test_the_first_lines_of_code_print_what_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    scope: dict[str, Any] = {}
    (shown,) = re.findall(r"```text\n(.*?)```", PAGES["README.md"].partition("## Why not")[0], re.DOTALL)

    exec(python_of("README.md", "def plan("), scope)
    with running_server() as server:
        scope["plan"](server)

    bind(shown, capsys.readouterr().out, {})


@pytest.mark.slow
def test_the_agents_loop_is_adopted_as_shown(server: str) -> None:
    scope: dict[str, Any] = {}
    prompts: list[str] = []

    def agent(prompt: str, tools: list[dict[str, Any]], call_tool: Callable[[str, str], str]) -> str:
        prompts.append(prompt)
        assert tools[0]["type"] == "function"
        return "Answer: the ferry leaves at nine."

    exec(python_of("README.md", "def solve("), scope)
    answer = scope["solve"](agent, "When does the ferry to Naxos leave?", server)

    assert answer == "Answer: the ferry leaves at nine."
    assert "ferry" in prompts[0]


@pytest.mark.slow
def test_the_preference_that_an_agent_keeps_in_one_run_holds_in_the_next(server: str) -> None:
    scope: dict[str, Any] = {}
    edit = {"old_string": "in English", "new_string": "in Chinese"}

    def model(system: str, said: str) -> tuple[str, dict[str, str] | None]:
        if said == "answer in Chinese from now on":
            return "noted", edit
        return ("九点" if "in Chinese" in system else "at nine"), None

    exec(python_of("docs/instructions.md", "def run("), scope)
    with SyncMemoryBankClient(server) as client:
        client.put_source(owner=scope["ADA"], path="AGENTS.md", text="- Answer in English.")
        answers = [
            scope["run"](model, said, run_id, server)
            for said, run_id in (
                ("when?", "r1"),
                ("answer in Chinese from now on", "r1"),
                ("when?", "r1"),
                ("when?", "r2"),
            )
        ]

    assert answers == ["at nine", "noted", "at nine", "九点"]


@pytest.mark.slow
def test_ten_lines_give_a_chat_agent_its_memory(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    scope: dict[str, Any] = {}
    shown: list[str] = []

    def model(messages: list[dict[str, str]]) -> str:
        shown.append("\n".join(message["content"] for message in messages))
        return f"answer {len(shown)}"

    exec(python_of("README.md", "def chat("), scope)
    scope["chat"](model, ["Where shall we go?", "And what may it cost?"], server)

    assert capsys.readouterr().out.split("\n") == ["answer 1", "answer 2", ""]
    assert all("The budget is 500 euros." in prompt for prompt in shown)
    assert "Where shall we go?" in shown[1]
    assert "answer 1" in shown[1]


@pytest.mark.slow
def test_a_run_of_a_chat_agent_with_a_tool_is_as_shown(server: str) -> None:
    scope: dict[str, Any] = {}
    shown: list[str] = []

    def model(messages: list[dict[str, str]]) -> str:
        shown.append("\n".join(message["content"] for message in messages))
        return "Booked: nine o'clock."

    exec(python_of("docs/conversation.md", "def book("), scope)
    with SyncMemoryBankClient(server) as client:
        scope["book"](lambda to: f"a ferry to {to} at nine", model, server)
        (turn,) = client.list_turns(user="ada", conversation_id="c1").turns

    assert "a ferry to Naxos at nine" in shown[0]
    assert turn.reply == "Booked: nine o'clock."


def python_of(page: str, definition: str) -> str:
    """A page's Python in which something is defined."""
    blocks = re.findall(r"```python\n(.*?)```", PAGES[page], re.DOTALL)
    (code,) = [block for block in blocks if definition in block]
    return str(code)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "definition", "printed"),
    [
        ("docs/install.md", "memory.search(", "The ferry to Naxos leaves at nine."),
        ("docs/long-term-memory.md", "store_fact(", "PostgreSQL"),
    ],
)
def test_the_program_of_a_page_prints_what_it_says(
    page: str, definition: str, printed: str, server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    exec(python_of(page, definition).replace(ADDRESS, server), {})

    assert printed in capsys.readouterr().out


@pytest.mark.slow
def test_the_user_comes_into_the_loop_as_shown(server: str) -> None:
    scope: dict[str, Any] = {}

    exec(python_of("docs/agents.md", "def memory_of("), scope)
    with SyncMemoryBankClient(server) as client:
        prompt = scope["memory_of"](client).enhance("When does the ferry to Paros leave?")

    assert "Paros" in prompt


def test_the_readme_is_short() -> None:
    text = PAGES["README.md"]
    words = [word for word in text.split() if re.search(r"\w", word)]

    assert len(text.splitlines()) <= 220
    assert len(words) <= 1_500
