"""Facts and messages as anybody can write them: lines of JSON, and lists in Markdown."""

import re

from service.cli.importing.found import Fact, FileContents, FileDamaged, Saying, Talk, id_of
from service.cli.importing.json_items import Item, decoded

POINT = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(.*)")
HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*")
MOST_TAG = 256


def jsonl(text: str) -> FileContents:
    """A line is a fact (`content`, if known `id`, `user`, `time`, `tags`, `metadata`), or with `conversation` a message
    of it (`role` and `content`)."""
    found = FileContents()
    talks: dict[tuple[str, str], list[Saying]] = {}
    for number, line in enumerate(text.split("\n"), 1):  # other line breaks may stand in a text
        if not line.strip():
            continue
        try:
            _take(Item(_object(line), "line"), found, talks)
        except FileDamaged as broken:
            broken.line = number
            raise
    found.talks = [
        Talk(id=id_of("jsonl", name), user=user, sayings=tuple(sayings))
        for (user, name), sayings in talks.items()
    ]
    return found


def _object(line: str) -> dict[str, object]:
    try:
        fields = decoded(line)
    except (ValueError, RecursionError) as problem:
        raise FileDamaged("line", f"is no JSON: {problem}") from None
    if not isinstance(fields, dict):
        raise FileDamaged("line", "must be an object")
    return fields


def _take(item: Item, found: FileContents, talks: dict[tuple[str, str], list[Saying]]) -> None:
    words, user = item.text("content", "text"), item.optional("user", "user_id")
    time = item.time("time", "event_time", "created_at")
    if talk := item.optional("conversation", "conversation_id"):
        sayings = talks.setdefault((user, talk), [])
        is_reply = item.optional("role") == "assistant"
        sayings.append(
            Saying(id=item.optional("id") or str(len(sayings)), is_reply=is_reply, text=words, time=time)
        )
        return
    found.facts.append(
        Fact(
            id=id_of("jsonl", item.optional("id") or words),
            text=words,
            user=user,
            time=time,
            tags=item.texts("tags"),
            metadata=item.object("metadata"),
        )
    )


def markdown(text: str) -> FileContents:
    """A point of a list, and a paragraph, is a fact; the headings above it are its tags."""
    found = FileContents()
    headings: list[tuple[int, str]] = []
    paragraph: list[str] = []

    def close() -> None:
        if words := " ".join(paragraph):
            tags = tuple(heading for _, heading in headings)
            found.facts.append(
                Fact(id=id_of("markdown", f"{' / '.join(tags)}\n{words}"), text=words, tags=tags)
            )
        paragraph.clear()

    for line in text.splitlines():
        if heading := HEADING.fullmatch(line):
            close()
            depth = len(line) - len(line.lstrip("#"))
            headings[:] = [*(each for each in headings if each[0] < depth), (depth, heading[1][:MOST_TAG])]
        elif point := POINT.fullmatch(line):
            close()
            paragraph.append(point[1].strip())
        elif line.strip():
            paragraph.append(line.strip())
        else:
            close()
    close()
    return found
