"""The addresses of the pages. They hold ids and names of memories, never what these say or what was asked.

A name may hold any character, so it stands in the query, where all of them can be written.
"""

import re
from urllib.parse import urlencode

SEGMENT = re.compile(r"(?P<interaction>i-[^#]+)#(?P<index>\d+)")


def address(path: str, /, **ids: str | int) -> str:
    return f"{path}?{urlencode(ids)}" if ids else path


def user(name: str) -> str:
    return address("/user", user=name)


def bank(bank_id: str) -> str:
    return address("/bank", bank=bank_id)


def node(bank_id: str, node_id: str) -> str:
    return address("/node", bank=bank_id, node=node_id)


def interaction(bank_id: str, interaction_id: str, segment: int | None = None) -> str:
    place = {} if segment is None else {"segment": segment}
    return address("/interaction", bank=bank_id, interaction=interaction_id, **place)


def conflict(bank_id: str, conflict_id: str = "") -> str:
    """Returns the address of a conflict; without an id, of the first that is open."""
    return address("/conflict", bank=bank_id, **({"conflict": conflict_id} if conflict_id else {}))


def conversation(name: str, conversation_id: str) -> str:
    return address("/conversation", user=name, conversation=conversation_id)


def turn(name: str, conversation_id: str, step: int | str) -> str:
    return address("/turn", user=name, conversation=conversation_id, step=step)


def collection(name: str, collection_name: str) -> str:
    return address("/collection", user=name, collection=collection_name)


def record(name: str, collection_name: str, record_id: str) -> str:
    return address("/record", user=name, collection=collection_name, record=record_id)


def pair(first: str, second: str, /, **owner: str) -> str:
    """Returns the address of two topics (`bank`), or of two facts (`user` and `collection`)."""
    return address("/pair", **owner, first=first, second=second)


def document(level: str, owner: str, path: str) -> str:
    return address("/document", level=level, owner=owner, path=path)
