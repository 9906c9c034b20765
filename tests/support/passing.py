"""The states a bank passes through, whole change by whole change, told apart by what they hold alone.

Times, revisions, tokens spent and the numbers in generated ids depend on how often something was tried; they
are left out, so that two runs that came to the same are equal.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np

from core.aggregate.change import Change
from core.keys import Key
from core.model.structuring import StructuringState
from service.adapters.store.memory_store import MemoryStore

GENERATED = re.compile(r"\b([a-z])-(\d{4})\b")


TRIES = ("revision", "tokens_spent")
RECORDS = ("interactions", "attachments", "structurings", "clusters")


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A bank as text. `memory` is what is made of the records: nodes and all between them, insight, settings."""

    whole: str
    memory: str


class WitnessStore(MemoryStore):
    """Remembers how the bank looked after every append."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Look] = []

    async def append(self, key: Key, uid: str, changes: Sequence[Change[Any]], **others: Any) -> None:
        await super().append(key, uid, changes, **others)
        self.seen.append(await look(self, key))


async def look(store: MemoryStore, key: Key) -> Look:
    """How the bank looks, as it is stored; apart from how its structurings failed, and what a resumed one cost."""
    state = await store.load(key)
    if state is None:
        return Look(whole="", memory="")
    structurings = tuple(
        replace(s, state=StructuringState.PENDING, problem="") if s.state is StructuringState.FAILED else s
        for s in (replace(s, usage=None, revision=0) for s in state.structurings)
    )
    plain = _plain(replace(state, structurings=structurings, segment_vectors=None))
    del plain["head"]
    memory = {name: part for name, part in plain.items() if name not in RECORDS}
    return Look(whole=_renumbered(repr(plain)), memory=_renumbered(repr(memory)))


def _renumbered(text: str) -> str:
    """The text with generated ids counted in order, without gaps."""
    numbers: dict[str, list[str]] = {}
    for prefix, number in sorted(set(GENERATED.findall(text))):
        numbers.setdefault(prefix, []).append(number)
    return GENERATED.sub(lambda found: f"{found[1]}-#{numbers[found[1]].index(found[2])}", text)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tobytes().hex()
    if is_dataclass(value):
        kept = {f.name: getattr(value, f.name) for f in fields(value) if f.name not in TRIES}
        return {name: _plain(part) for name, part in kept.items() if not isinstance(part, datetime)}
    if isinstance(value, tuple):
        return tuple(_plain(part) for part in value)
    return value
