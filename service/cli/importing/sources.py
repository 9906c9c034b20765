"""The systems whose memory can be brought along, and what reads each."""

from collections.abc import Callable, Mapping

from service.cli.exits import Failure
from service.cli.importing import chats, memories, plain
from service.cli.importing.bringing import require_room
from service.cli.importing.found import FileContents, FileDamaged

SOURCES: Mapping[str, Callable[[str], FileContents]] = {
    "mem0": memories.mem0,
    "zep": memories.zep,
    "letta": memories.letta,
    "langgraph": memories.langgraph,
    "chatgpt": chats.chatgpt,
    "claude": chats.claude,
    "jsonl": plain.jsonl,
    "markdown": plain.markdown,
}


def read(source: str, text: str) -> FileContents:
    """Returns what a file of a system holds. Raises Failure, which names line and field."""
    try:
        found = SOURCES[source](text)
        require_room(found)
    except FileDamaged as broken:
        place = ", ".join(filter(None, (f"line {broken.line}" if broken.line else "", broken.field)))
        raise Failure(f"{place}: {broken.problem}", f"is it what {source} wrote?") from None
    return found


def nameless(found: FileContents) -> str:
    """Returns what does not say whose it is; empty: all does."""
    facts = any(not fact.user for fact in found.facts)
    talks = any(not talk.user for talk in found.talks)
    return " and ".join(filter(None, ("facts" if facts else "", "conversations" if talks else "")))
