"""What carries out the chores of collections (`core.long_term.due`), by name."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from core.keys import CollectionKey
from core.long_term.due import EMBED, JUDGE, REFLECT, SWEEP
from core.usecases.long_term.embed_records import embed_records
from core.usecases.long_term.judging.judge_facts import judge_facts
from core.usecases.long_term.judging.reflect import reflect
from core.usecases.long_term.ports import CollectionChorePorts
from core.usecases.long_term.sweep import sweep

CHORES: Mapping[str, Callable[[CollectionChorePorts, CollectionKey], Awaitable[Any]]] = {
    EMBED.name: embed_records,
    JUDGE.name: judge_facts,
    REFLECT.name: reflect,
    SWEEP.name: sweep,
}
