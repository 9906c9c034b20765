"""What the whole offline Judge makes of the texts of `tests/judging` that nothing was trained or chosen on.

One group, document, memory and talk in eight. Its sentences come one after another, as
into a bank, and each is judged among all those before it: contradictions found, what agrees and was called one;
paraphrases, contradictions and others merged.

    python -m tests.bench.bench_held_out [--false]

`--false` lists what was called a conflict or the same wrongly.
"""

import asyncio
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from core.agents.offline.judge import OfflineJudge
from core.agents.roles import ConflictOpinion, Grade, Judge, MergeOpinion, Topic
from core.ids import NodeId
from service.adapters.cached_embedder import CachedEmbedder
from service.adapters.local_embedder import LocalEmbedder
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


@dataclass(slots=True)
class Counted:
    """Of each label how many pairs there are, were called contradictions, and were taken to say the same."""

    pairs: Counter[Label] = field(default_factory=Counter)
    contradict: Counter[Label] = field(default_factory=Counter)
    same: Counter[Label] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    @property
    def found(self) -> float:
        return self.contradict[Label.CONFLICT] / max(1, self.pairs[Label.CONFLICT])

    @property
    def agreeing(self) -> int:
        """The pairs that may both hold."""
        return self.pairs[Label.SAME] + self.pairs[Label.RELATED]

    @property
    def false(self) -> int:
        """Those of them that were called contradictions."""
        return self.contradict[Label.SAME] + self.contradict[Label.RELATED]

    def line(self, name: str) -> str:
        return (
            f"{name:<14} contradictions {self.contradict[Label.CONFLICT]:>4}/{self.pairs[Label.CONFLICT]:<4}"
            f" = {self.found:.3f}   false {self.false:>3}/{self.agreeing:<5} = {self.false / max(1, self.agreeing):.2%}"
            f"   paraphrases {self.same[Label.SAME]:>3}/{self.pairs[Label.SAME]:<4}"
            f"   contradictions taken for such {self.same[Label.CONFLICT]}, others {self.same[Label.RELATED]}"
        )


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
            contradict = isinstance(opinion, ConflictOpinion) and opinion.grade is Grade.SURE
            same = isinstance(opinion, MergeOpinion)
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
