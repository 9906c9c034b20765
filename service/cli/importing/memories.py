"""Facts as other memory systems list them: Mem0, Zep, Letta, and the rows of a LangGraph store."""

import json
from typing import Any

from service.cli.importing.found import Fact, FileContents, Saying, Talk, id_of
from service.cli.importing.json_items import Item, each_of, items_of, whole

STORE_TEXTS = ("content", "text", "memory", "fact", "data", "value")
"""Fields by which a LangGraph store's values most often hold their words."""


def mem0(text: str) -> FileContents:
    """What `get_all` answers: a list, or an object with `results` or `memories`."""

    def fact(item: Item) -> Fact:
        others = {
            name: item.fields[name] for name in ("agent_id", "run_id", "app_id") if item.fields.get(name)
        }
        return Fact(
            id=id_of("mem0", item.text("id")),
            text=item.text("memory", "text", "data"),
            user=item.optional("user_id"),
            time=item.time("created_at"),
            update_time=item.time("updated_at"),
            tags=item.texts("categories"),
            metadata=item.object("metadata") | others,
        )

    return FileContents(facts=each_of(text, ("results", "memories"), fact))


def zep(text: str) -> FileContents:
    """The edges of a user's graph, which are its facts, and the messages of a thread or session."""
    document = whole(text)
    if isinstance(document, dict) and isinstance(document.get("messages"), list):
        found = FileContents(talks=[_thread(document)])
        return found if not document.get("edges") and not document.get("facts") else _with_facts(found, text)
    return _with_facts(FileContents(), text)


def _with_facts(found: FileContents, text: str) -> FileContents:
    def fact(item: Item) -> Fact:
        name = item.optional("name")
        return Fact(
            id=id_of("zep", item.text("uuid", "uuid_")),
            text=item.text("fact"),
            user=item.optional("user_id"),
            time=item.time("valid_at", "created_at"),
            update_time=item.time("created_at"),
            valid_until=item.time("invalid_at", "expired_at"),
            tags=(name,) if name else (),
            metadata=item.object("attributes"),
        )

    found.facts = each_of(text, ("edges", "facts", "results"), fact)
    return found


def _thread(document: dict[str, Any]) -> Talk:
    whole_thread = Item(document, "thread")
    sayings = tuple(
        Saying(
            id=item.optional("uuid", "uuid_") or str(place),
            is_reply=item.optional("role_type", "role") in ("assistant", "ai", "system", "tool"),
            text=item.text("content"),
            time=item.time("created_at"),
        )
        for place, item in enumerate(items_of(document["messages"], "messages"))
    )
    name = whole_thread.optional("thread_id", "session_id", "uuid") or sayings[0].id if sayings else "empty"
    return Talk(id=id_of("zep", name), sayings=sayings, user=whole_thread.optional("user_id"))


def letta(text: str) -> FileContents:
    """The passages of an archive, and the blocks of an agent's core memory."""
    found = FileContents()

    def fact(item: Item) -> Fact | None:
        label = item.optional("label")
        said = item.optional("value") if "value" in item.fields else item.text("text")
        if not said.strip():
            return None
        return Fact(
            id=id_of("letta", item.text("id")),
            text=said,
            time=item.time("created_at", "timestamp"),
            update_time=item.time("updated_at"),
            tags=(*((label,) if label else ()), *item.texts("tags")),
            metadata=item.object("metadata"),
        )

    names = ("passages", "archival_memory", "blocks", "results")
    made = each_of(text, names, fact)
    found.facts = [each for each in made if each is not None]
    found.leave_out("empty blocks", len(made) - len(found.facts))
    return found


def langgraph(text: str) -> FileContents:
    """The rows of a store: namespace (a list, or as PostgreSQL keeps it a `prefix` with dots), key, value, times."""
    found = FileContents()

    def fact(item: Item) -> Fact:
        path = item.texts("namespace") or tuple(item.optional("prefix").split("."))
        value = item.object("value")
        return Fact(
            id=id_of("langgraph", "/".join((*path, item.text("key")))),
            text=_words(value),
            time=item.time("created_at"),
            update_time=item.time("updated_at"),
            tags=tuple(each for each in path if each),
            metadata=value,
        )

    found.facts = each_of(text, ("items", "rows", "store"), fact)
    return found


def _words(value: dict[str, Any]) -> str:
    """Returns the words of a store's value: of the field that holds them, else all of it."""
    for name in STORE_TEXTS:
        if isinstance(held := value.get(name), str) and held.strip():
            return held
    return json.dumps(value, ensure_ascii=False)
