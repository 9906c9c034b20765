"""Memory of eight other systems comes to one user: times are kept, twice adds nothing, and all of it goes out and in.

5,120 records, by `make soak`; `make check` brings a few of each system (`tests/service/cli/test_importing.py`).
"""

import asyncio
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests.support.process import served_process
from tests.support.scale import scaled
from tests.support.shell import Shell

OF_EACH = 640
FIRST = datetime(2024, 3, 1, 9, tzinfo=UTC)
THINGS = ("ladder", "kettle", "紫砂壶", "barometer", "望远镜", "lantern", "安全绳", "anvil")
PLACES = ("shed", "attic", "地下室", "garage", "阳台", "cellar", "书房")


def at(source: int, number: int) -> datetime:
    return FIRST + timedelta(days=source, minutes=number)


def said(source: str, number: int) -> str:
    """A sentence that says what no other does."""
    thing, place = THINGS[number % len(THINGS)], PLACES[number % len(PLACES)]
    if number % 3 == 0:
        return f"{source}的第{number}号{thing}放在{place}的第{number}层架子上。"
    return f"Number {number} of the {source} list is a {thing}; it stands in the {place} on shelf {number}."


def iso(source: int, number: int) -> str:
    return at(source, number).isoformat()


def mem0(source: int) -> str:
    """Two that contradict each other come first: they are judged before all others."""
    texts = ["The project's database is MySQL.", "The project's database is PostgreSQL."]
    texts += [said("mem0", n) for n in range(2, OF_EACH)]
    rows = [{"id": f"m{n}", "memory": text, "created_at": iso(source, n)} for n, text in enumerate(texts)]
    return json.dumps({"results": rows})


def zep(source: int) -> str:
    return json.dumps(
        {
            "edges": [
                {"uuid": f"z{n}", "fact": said("zep", n), "valid_at": iso(source, n)} for n in range(OF_EACH)
            ]
        }
    )


def letta(source: int) -> str:
    rows = [
        {"id": f"l{n}", "text": said("letta", n), "created_at": iso(source, n)} for n in range(OF_EACH - 1)
    ]
    again = {"id": "l-again", "text": said("letta", 1).upper(), "created_at": iso(source, OF_EACH - 1)}
    return json.dumps([*rows, again])


def langgraph(source: int) -> str:
    return json.dumps(
        [
            {"namespace": ["of", "ada"], "key": f"k{n}", "value": {"content": said("langgraph", n)}}
            | {"created_at": iso(source, n)}
            for n in range(OF_EACH)
        ]
    )


def chatgpt(source: int) -> str:
    """A conversation of all messages, on one branch."""
    mapping: dict[str, Any] = {"r": {"id": "r", "parent": None, "message": None}}
    before = "r"
    for n in range(OF_EACH):
        role = "assistant" if n % 2 else "user"
        message = {
            "id": f"g{n}",
            "author": {"role": role},
            "content": {"content_type": "text", "parts": [said("chatgpt", n)]},
            "create_time": at(source, n).timestamp(),
        }
        mapping[f"n{n}"] = {"id": f"n{n}", "parent": before, "message": message}
        before = f"n{n}"
    return json.dumps([{"conversation_id": "g", "title": "G", "current_node": before, "mapping": mapping}])


def claude(source: int) -> str:
    messages = [
        {
            "uuid": f"c{n}",
            "sender": "assistant" if n % 2 else "human",
            "text": said("claude", n),
            "created_at": iso(source, n),
        }
        for n in range(OF_EACH)
    ]
    return json.dumps([{"uuid": "c", "name": "C", "chat_messages": messages}])


def jsonl(source: int) -> str:
    rows = [{"id": f"j{n}", "content": said("jsonl", n), "time": iso(source, n)} for n in range(OF_EACH)]
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)


def markdown(_source: int) -> str:
    return "# Things\n\n" + "\n".join(f"- {said('markdown', n)}" for n in range(OF_EACH))


WRITERS: dict[str, Callable[[int], str]] = {
    "mem0": mem0,
    "zep": zep,
    "letta": letta,
    "langgraph": langgraph,
    "chatgpt": chatgpt,
    "claude": claude,
    "jsonl": jsonl,
    "markdown": markdown,
}
TIMED = ("mem0-", "zep-", "letta-", "langgraph-", "jsonl-")
"""How ids of facts begin that came with a time. Others are Markdown's, and those that the conversations taught."""


BROUGHT = (*TIMED, "markdown-")


def told_times(shell: Shell, user: str, folder: Path) -> Iterator[datetime]:
    """The times of all facts and turns."""
    shell.done("facts", "export", str(folder), "--user", user)
    for entry in json.loads((folder / "memory.json").read_text(encoding="utf-8"))["memories"]:
        if entry["memory_id"].startswith(TIMED):
            yield datetime.fromtimestamp(entry["event_time"], UTC)
    for talk in ("chatgpt-g", "claude-c"):
        turns = shell.told("conversation", "show", talk, "--user", user, "--turns", str(OF_EACH))["turns"]
        yield from (datetime.fromisoformat(turn["event_time"]) for turn in turns)


@pytest.mark.slow
@pytest.mark.skipif(scaled(1) == 1, reason="`make soak` brings 5,120 records")
async def test_memory_of_eight_systems_comes_once_with_its_times_and_goes_out_and_in(tmp_path: Path) -> None:
    async with served_process(tmp_path / "data") as server:
        await asyncio.to_thread(comes_along, Shell(server=server.address), tmp_path)


def comes_along(shell: Shell, folder: Path) -> None:
    user, reports = "ada", dict[str, Any]()
    for place, (source, written) in enumerate(WRITERS.items()):
        (folder / source).write_text(written(place), encoding="utf-8")
        reports[source] = shell.told("import", "--from", source, str(folder / source), "--user", user)
    again = {
        source: shell.told("import", "--from", source, str(folder / source), "--user", user)
        for source in WRITERS
    }

    facts = sum(report["facts"] for report in reports.values())
    messages = sum(report["messages"] for report in reports.values())
    assert (facts, messages) == (6 * OF_EACH, 2 * OF_EACH)
    assert sum(report["facts"] + report["messages"] for report in again.values()) == 0
    assert sum(report["known_facts"] + report["known_messages"] for report in again.values()) == 8 * OF_EACH
    timed = [at(place, n) for place in (0, 1, 2, 3, 6) for n in range(OF_EACH)]
    asked = [
        at(place, n) for place in (4, 5) for n in range(0, OF_EACH, 2)
    ]  # a turn has the time of its input
    assert sorted(told_times(shell, user, folder / "out")) == sorted(timed + asked)
    assert [said("letta", 1).upper(), said("letta", 1)] in reports["letta"]["repeated"]
    assert any("MySQL" in "".join(pair) for pair in contested(shell, user, folder / "mem0"))
    goes_out_and_in(shell, user, folder)


def contested(shell: Shell, user: str, file: Path) -> list[list[str]]:
    """What the import of a file says again as soon as it has something to say: thousands are embedded before."""
    for _ in range(60):
        report = shell.told("import", "--from", "mem0", str(file), "--user", user)
        if report["contested"] or not report["unjudged"]:
            break
    pairs: list[list[str]] = report["contested"]
    return pairs


def goes_out_and_in(shell: Shell, user: str, folder: Path) -> None:
    first, second = folder / "first.mbz", folder / "second.mbz"
    shell.done("user", "export", user, str(first))
    shell.done("user", "purge", user, "--yes")
    shell.done("user", "import", str(first))
    shell.done("user", "export", user, str(second))

    assert memory_in(second) == memory_in(first)


def memory_in(bundle: Path) -> dict[str, Any]:
    """What no background work changes: the words, times and ids of all facts and turns."""
    with ZipFile(bundle) as archive:
        facts = json.loads(archive.read("collections/1/memory.json"))["memories"]
        talks = [name for name in archive.namelist() if name.startswith("conversations/")]
        lines = [
            json.loads(line) for name in talks for line in archive.read(name).decode().split("\n") if line
        ]
    kept = ("memory_id", "content", "event_time", "created_at", "source", "metadata")
    turns = [line["turn"] for line in lines if "turn" in line]
    return {
        "facts": [[fact[name] for name in kept] for fact in facts if fact["memory_id"].startswith(BROUGHT)],
        "turns": [
            [turn.get(name) for name in ("step", "input", "reply", "event_time", "labels")] for turn in turns
        ],
    }
