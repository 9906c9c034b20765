"""What the whole offline Judge makes of the texts of `tests/judging` that nothing was trained or chosen on.

One group, document, memory and talk in eight. Its sentences come one after another, as
into a bank, and each is judged among all those before it: contradictions found, what agrees and was called one;
paraphrases, contradictions and others merged.

    python -m tests.bench.bench_held_out [--false]

`--false` lists what was called a conflict or the same wrongly.
"""

import asyncio
import sys
from collections.abc import Iterable, Sequence

from core.agents.offline.judge import OfflineJudge
from core.agents.roles import ConflictOpinion, Judge, Topic
from core.ids import NodeId
from service.adapters.cached_embedder import CachedEmbedder
from service.adapters.local_embedder import LocalEmbedder
from tests.bench.bench_groups import Counted
from tests.judging.groups import (
    Group,
    Memory,
    Written,
    held_out,
    read_documents,
    read_groups,
    read_memories,
    read_talks,
)
from tests.judging.pairs import LANGUAGES, Label
from tests.support.embedders import local_comparer


async def count(judge: Judge, written: Group | Memory, counted: Counted) -> None:
    """Judges each sentence among those before it."""
    labels = {frozenset((a, b)): label for label, a, b in written.pairs()}
    topics = [_topic(text) for text in dict.fromkeys(written.sentences)]
    for place, new in enumerate(topics):
        opinions = await judge.conflicts_and_merges(new, topics[:place])
        kinds = {opinion.existing: opinion for opinion in opinions}
        for old in topics[:place]:
            label = labels.get(frozenset((old.summary, new.summary)))
            if label is None:
                continue
            opinion = kinds.get(old.node_id)
            contradict = isinstance(opinion, ConflictOpinion)
            same = opinion is not None and not contradict
            counted.pairs[label] += 1
            counted.contradict[label] += contradict
            counted.same[label] += same
            if contradict and label is not Label.CONFLICT or same and label is not Label.SAME:
                called = "a contradiction" if contradict else "the same"
                counted.wrong.append(
                    f"    {label}, called {called} ({opinion and opinion.confidence}): {old.summary} / {new.summary}"
                )


async def totals(judge: Judge, written: Iterable[Group | Memory]) -> Counted:
    counted = Counted()
    for one in written:
        await count(judge, one, counted)
    return counted


def _topic(text: str) -> Topic:
    return Topic(node_id=NodeId(text), summary=text, context=text, keywords=())


async def main() -> None:
    embedder = CachedEmbedder(LocalEmbedder.open(), passages=4_096)
    judge = OfflineJudge(embedder, local_comparer())
    for language in LANGUAGES:
        sorts: dict[str, Sequence[Group | Memory]] = {
            "groups": held_out(read_groups(language, Written.AFTER)),
            "memories": held_out(read_memories(language)),
            "talks": held_out(read_talks(language)),
            "documents": held_out(read_documents(language)),
            "order": held_out(read_groups(language, Written.ORDER)),
            "close": held_out(read_groups(language, Written.CLOSE)),
        }
        for name, written in sorts.items():
            found = await totals(judge, written)
            print(found.line(f"{language} {name}"), flush=True)
            if "--false" in sys.argv:
                print("\n".join(found.wrong))


if __name__ == "__main__":
    asyncio.run(main())
