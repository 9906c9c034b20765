"""`memorybank import --from`: memory of other systems, against the real server."""

import json
from pathlib import Path
from typing import Any

import pytest

from service.cli.importing.sources import read
from tests.support.shell import Shell

TIMES = {"created_at": "2024-07-26T08:48:41-07:00", "updated_at": "2025-01-02T03:04:05.123456Z"}
MEM0 = {
    "results": [
        {"id": "6d1b0c8e-0d2f-4a52-93f5-5f4d2a3f1111", "memory": "The project's database is MySQL.", **TIMES},
        {"id": "m 2", "memory": "The project's database is PostgreSQL.", "categories": ["work"], **TIMES},
        {"id": "m3", "memory": "用户住在杭州。", "metadata": {"fix_pattern": {}, "error_type": "x"}},
        {"id": "m4", "memory": "the projects database is MySQL"},
        {"id": "m5", "memory": "The project's database is MySQL!"},
    ]
}
ZEP = {
    "edges": [
        {"uuid": "e1", "fact": "Ada rows on Sundays.", "name": "ROWS", "valid_at": "2024-01-01T00:00:00Z"},
        {"uuid": "e2", "fact": "Ada lives in Kiel.", "invalid_at": "2025-01-01T00:00:00Z"},
    ]
}
LETTA = [
    {"id": "block-1", "label": "human", "value": "Ada keeps bees."},
    {"id": "block-2", "label": "persona", "value": ""},
    {"id": "passage-1", "text": "Ada's bees swarm in May. " * 300, "created_at": "2025-05-01T10:00:00"},
]
LANGGRAPH = [
    {"namespace": ["memories", "ada"], "key": "k1", "value": {"content": "Ada plays the oboe."}, **TIMES},
    {"prefix": "memories.ada", "key": "k2", "value": {"shoe": 38}, **TIMES},
]


def node(name: str, parent: str | None, role: str = "", *parts: Any, **content: str) -> dict[str, Any]:
    message = {
        "id": f"msg-{name}",
        "author": {"role": role},
        "content": {"content_type": "text", "parts": list(parts), **content},
        "create_time": 1_700_000_000.5,
    }
    return {"id": name, "parent": parent, "message": message if role else None, "children": []}


CHATGPT = [
    {
        "conversation_id": "c-1",
        "title": "Bees",
        "current_node": "e",
        "mapping": {
            "a": node("a", None),
            "b": node("b", "a", "user", "When do bees swarm?"),
            "c": node("c", "b", "assistant", "In June."),
            "d": node("d", "b", "assistant", "In May.", {"content_type": "image_asset_pointer"}),
            "e": node("e", "d", "tool", "ran"),
        },
    }
]
CLAUDE = [
    {
        "uuid": "1c",
        "name": "Oboe",
        "chat_messages": [
            {
                "uuid": "u1",
                "sender": "human",
                "text": "",
                "content": [{"type": "text", "text": "哪种双簧管好?"}],
                **TIMES,
            },
            {"uuid": "u2", "sender": "assistant", "text": "A light one.", "files": [{"file_name": "x"}]},
            {"uuid": "u3", "sender": "assistant", "content": [{"type": "tool_use"}], "text": ""},
        ],
    }
]
JSONL = [
    {"content": "Ada has a boat.", "id": "f1", "time": 1_700_000_000, "tags": ["boat"]},
    {"content": "What is it called?", "conversation": "boat", "role": "user"},
    {"content": "Mishka.", "conversation": "boat", "role": "assistant"},
]
MARKDOWN = (
    "# Home\n\n- Ada's key hangs in the shed.\n- 花园的门是绿色的。\n\n## Guests\n\nBob sleeps\nupstairs.\n"
)
FILES: dict[str, tuple[str, int, int]] = {
    "mem0": (json.dumps(MEM0), 5, 0),
    "zep": (json.dumps(ZEP), 2, 0),
    "letta": (json.dumps(LETTA), 2, 0),
    "langgraph": (json.dumps(LANGGRAPH), 2, 0),
    "chatgpt": (json.dumps(CHATGPT), 0, 2),
    "claude": (json.dumps(CLAUDE), 0, 2),
    "jsonl": ("\n".join(map(json.dumps, JSONL)), 1, 2),
    "markdown": (MARKDOWN, 3, 0),
}


def written(folder: Path, text: str) -> str:
    (folder / "memory").write_text(text, encoding="utf-8")
    return str(folder / "memory")


def refused(shell: Shell, *words: str) -> str:
    ended = shell(*words)
    assert ended.exit_code != 0
    return " ".join(ended.err.split())


@pytest.mark.parametrize("source", FILES)
def test_memory_comes_along_once(source: str, shell: Shell, tmp_path: Path) -> None:
    text, facts, messages = FILES[source]
    command = ("import", "--from", source, written(tmp_path, text), "--user", shell.bank)

    tried = shell.told(*command, "--dry-run")
    came = shell.told(*command)
    again = shell.told(*command)

    assert (tried["facts"], tried["messages"]) == (facts, messages)
    assert (came["facts"], came["messages"]) == (facts, messages)
    assert (came["known_facts"], came["known_messages"]) == (0, 0)
    assert (again["facts"], again["messages"]) == (0, 0)
    assert (again["known_facts"], again["known_messages"]) == (facts, messages)


def test_times_marks_and_what_holds_no_more_are_kept(shell: Shell, tmp_path: Path) -> None:
    user = ("--user", shell.bank)
    shell.done("import", "--from", "mem0", written(tmp_path, json.dumps(MEM0)), *user)
    shell.done("import", "--from", "zep", written(tmp_path, json.dumps(ZEP)), *user)
    shell.done("import", "--from", "letta", written(tmp_path, json.dumps(LETTA)), *user)

    shell.done("facts", "export", str(tmp_path / "out"), *user)

    index = json.loads((tmp_path / "out" / "memory.json").read_text(encoding="utf-8"))
    kept = {entry["memory_id"]: entry for entry in index["memories"]}
    first = kept["mem0-6d1b0c8e-0d2f-4a52-93f5-5f4d2a3f1111"]
    assert (first["event_time"], first["created_at"], first["updated_at"]) == (
        1722008921,
        1722008921,
        1735787045.123456,
    )
    assert kept["mem0-m3"]["metadata"] == {"mem0": {"fix_pattern": {}, "error_type": "x"}}
    assert (kept["zep-e2"]["state"], kept["zep-e2"]["valid_until"]) == ("superseded", 1735689600)
    assert "lives in Kiel" not in shell.done("facts", "search", "where does Ada live?", *user)
    assert (tmp_path / "out/reflections/letta-passage-1.md").read_text(encoding="utf-8").count("swarm") == 300


def test_the_report_names_repetitions_and_contradictions(shell: Shell, tmp_path: Path) -> None:
    command = ("import", "--from", "mem0", written(tmp_path, json.dumps(MEM0)), "--user", shell.bank)

    told = shell.done(*command)

    assert "5 facts came" in told
    assert "The project's database is MySQL! = The project's database is MySQL." in told
    assert "contradict another" in told
    assert "PostgreSQL" in told.partition("contradict")[2]


def test_a_conversation_has_its_shown_branch_in_turns_with_their_times(shell: Shell, tmp_path: Path) -> None:
    user = ("--user", shell.bank)

    told = shell.done("import", "--from", "chatgpt", written(tmp_path, json.dumps(CHATGPT)), *user)
    shown = shell.told("conversation", "show", "chatgpt-c-1", *user)

    (turn,) = shown["turns"]
    assert (turn["input"], turn["reply"]) == ("When do bees swarm?", "In May.")
    assert turn["event_time"] == "2023-11-14T22:13:20.500Z"
    assert "left out: 1 messages of other branches" in told
    assert "left out: 1 messages without words, or of tools" in told


@pytest.mark.parametrize(
    ("source", "text", "said"),
    [
        ("mem0", '[\n{"id": "a", "memory": "x"},\n{"id": "b"}\n]', "line 3, [1].memory: must be given"),
        ("mem0", '{"results": [\n{"id": 5, "memory": "x"}]}', "line 2, results[0].id: must be text, not 5"),
        (
            "zep",
            '{"facts": [{"uuid": "a", "fact": "x", "valid_at": "soon"}]}',
            'line 1, facts[0].valid_at: is no time: "soon"',
        ),
        ("letta", '[{"id": "a", "text": "x", "tags": 3}]', "line 1, [0].tags: must be a list of texts"),
        ("langgraph", "[\n\n3]", "line 3, [0]: must be an object"),
        (
            "chatgpt",
            '[{"id": "a", "mapping": {}, "current_node": "x"}]',
            "line 1, [0].mapping: has no way from 'x'",
        ),
        ("claude", '{"a": 1}', "conversations: must be a list"),
        ("claude", "[{\n]", "line 2, column 1: is no JSON"),
        ("jsonl", '{"content": "x"}\n{"content": "y", "time": []}', "line 2, line.time: is no time"),
        ("jsonl", '{"content": "x"}\nnothing', "line 2, line: is no JSON"),
        ("markdown", "x" * 70_000, "[0]: holds 70,000 characters"),
    ],
)
def test_a_broken_file_names_line_and_field_and_brings_nothing(
    source: str, text: str, said: str, shell: Shell, tmp_path: Path
) -> None:
    user = ("--user", shell.bank)

    failed = refused(shell, "import", "--from", source, written(tmp_path, text), *user)

    assert said in failed
    assert "has no collection" in refused(shell, "facts", "list", *user)


def test_facts_of_nobody_need_a_user_and_others_keep_theirs(shell: Shell, tmp_path: Path) -> None:
    whose = {"id": "a", "memory": "Bob sings.", "user_id": shell.bank}
    named = shell.told("import", "--from", "mem0", written(tmp_path, json.dumps([whose])))

    assert named["facts"] == 1
    assert "Bob sings." in shell.done("facts", "list", "--user", shell.bank)
    assert "--user NAME" in refused(shell, "import", "--from", "markdown", written(tmp_path, MARKDOWN))


def test_half_a_character_in_one_message_keeps_no_other_out() -> None:
    said = "cut here \ud83d, \0, and not here: 🙂 \\u0000 \\\\"
    told = json.dumps([{**CHATGPT[0], "mapping": {"e": node("e", None, "user", said)}}])

    chat = read("chatgpt", told)
    line = read("jsonl", json.dumps({"content": said, "metadata": {"cut \ud83d": [said]}}))

    held = "cut here \ufffd, \ufffd, and not here: 🙂 \\u0000 \\\\"
    assert [saying.text for saying in chat.talks[0].sayings] == [held]
    assert [(fact.text, fact.metadata) for fact in line.facts] == [(held, {"cut \ufffd": [held]})]
