"""A user's memory as one page of Markdown, for people: of the files that ExportUser writes.

Law: it says what is remembered and since when, and nothing that only a program needs. It is not read back.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

from memorybank_client.quoting import quotation

Plain = Mapping[str, Any]

KINDS = {"fact": "Facts", "episode": "Episodes", "memory": "Memories"}
MARKS = {"contested": " (another fact says otherwise)", "superseded": " (holds no more)"}


def page(user: str, files: Mapping[str, str]) -> Iterator[str]:
    """Yields the page of a user's files, by their path in the export."""
    yield f"# What is remembered of {user}\n"
    for path in sorted(files):
        place = PurePosixPath(path)
        if place.name == "collection.json":
            named = json.loads(files[path]).get("collection", "")
            index = json.loads(files.get(f"{place.parent}/memory.json", "{}"))
            yield from _collection(
                named, index, {p: text for p, text in files.items() if p.startswith(f"{place.parent}/")}
            )
        elif place.parts[0] == "conversations":
            yield from _conversation(_lines(files[path]))
    yield from _documents(_lines(files.get("instructions.jsonl", "")))
    banks = [PurePosixPath(path).stem for path in sorted(files) if path.startswith("banks/")]
    if banks:
        yield f"\n## Banks of tasks\n\n{', '.join(banks)}: `memorybank show` and `memorybank export` tell more.\n"


def _collection(name: str, index: Plain, files: Mapping[str, str]) -> Iterator[str]:
    memories = index.get("memories", [])
    kinds: dict[str, list[Plain]] = {}
    for memory in sorted(memories, key=lambda each: each.get("event_time", 0)):
        kinds.setdefault(memory.get("kind", "memory"), []).append(memory)
    for kind, listed in kinds.items():
        yield f"\n## {KINDS.get(kind, kind)}{f' of {name}' if name else ''}\n\n"
        for memory in listed:
            tags = f" [{', '.join(memory['tags'])}]" if memory.get("tags") else ""
            said = [memory.get(name, "") for name in ("speaker", "said_dates", "context")]
            words = _indented(quotation(memory["content"], *said))
            yield f"- {_day(memory.get('event_time'))}{words}{tags}{MARKS.get(memory.get('state', ''), '')}\n"
    for reflection in index.get("reflections", []):
        text = next(
            (held for path, held in files.items() if path.endswith(f"/{reflection['memory_id']}.md")), ""
        )
        yield f"\n## Reflection: {reflection['title']}\n\n{_body(text).strip()}\n"


def _conversation(lines: Iterable[Plain]) -> Iterator[str]:
    for line in lines:
        if record := line.get("conversation"):
            goal = f": {record['goal']}" if record.get("goal") else ""
            yield f"\n## Conversation {record['conversation_id']}{goal}\n\n"
        elif turn := line.get("turn"):
            when = _day(turn.get("event_time"))
            for side, speaker in (
                ("input", turn.get("input_speaker")),
                ("reply", turn.get("reply_speaker") or "reply"),
            ):
                if words := turn.get(side):
                    said = f"**{speaker}** " if speaker else ""
                    yield f"- {when}{said}{_indented(words)}\n"


def _documents(lines: Iterable[Plain]) -> Iterator[str]:
    newest: dict[str, Plain] = {}
    for line in lines:
        if source := line.get("source"):
            known = newest.get(source["path"])
            if known is None or int(source["version"]) > int(known["version"]):
                newest[source["path"]] = source
    for path, source in sorted(newest.items()):
        if source.get("text"):
            yield f"\n## Document {path}\n\n{source['text'].strip()}\n"


def _lines(text: str) -> Iterator[Plain]:
    for line in text.split("\n"):  # other line breaks may stand in a text
        if line.strip():
            yield json.loads(line)


def _day(moment: Any) -> str:
    """Returns the day of a moment, in seconds or in ISO 8601, as a list's item begins with it."""
    if moment is None:
        return ""
    if isinstance(moment, str):
        return f"{moment[:10]}: "
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d}: "


def _indented(words: str) -> str:
    """Returns words that stay within their item of a list."""
    return "\n  ".join(words.strip().splitlines())


def _body(text: str) -> str:
    """Returns Markdown without its front matter."""
    return text.partition("\n---\n")[2] if text.startswith("---\n") else text
