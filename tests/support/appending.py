"""A process that appends to one bank as fast as it can: `python -m tests.support.appending FILE WRITER COUNT`.

It founds the bank if nobody has, then adds a node with its interaction to whatever the head is,
COUNT times (or until it is killed), and prints `ack REVISION` after each append that returned.
"""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

from core.aggregate.change import Head
from core.bank.steps import InteractionAdd
from core.errors import BankExists
from core.ids import ChangeId
from core.internal_errors import HeadMoved
from service.adapters.store.sqlite_store import SqliteStore
from tests.support import changes as a


async def main(path: Path, writer: str, count: int) -> None:
    store = await SqliteStore.open(path)
    try:
        await store.append(
            a.KEY, "u1", [replace(a.Story().founding(), change_id=ChangeId(f"{writer}-founds"))]
        )
    except BankExists:
        pass
    done = 0
    while done < count:
        story = a.Story()
        story.head = (await store.heads([a.KEY]))[a.KEY]
        if await _append_one(store, story, f"{writer}-{done}"):
            print(f"ack {story.head.revision}", flush=True)
            done += 1
    await store.close()


async def _append_one(store: SqliteStore, story: a.Story, name: str) -> bool:
    change = replace(
        story.fork(
            InteractionAdd(interaction=a.interaction(f"i-{name}", f"{name} 写道:", "一段话。" * 50)),
            a.node_put(f"n-{name}", interaction_ids=(f"i-{name}",), segments=(a.ref(f"i-{name}", 1),)),
            a.node_put(f"m-{name}"),
            a.edge(f"n-{name}", f"m-{name}"),
        ),
        change_id=ChangeId(name),
    )
    try:
        await store.append(a.KEY, "u1", [change])
    except HeadMoved:
        return False
    story.head = Head(uid="u1", revision=change.revision, change_id=change.change_id)
    return True


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
