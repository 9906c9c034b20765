"""What the offline Judge makes of pairs of sentences that contradict each other, say the same, or are merely near.

The pairs are those of `tests/judging`, written by hand, in English and Chinese. Each second sentence is judged
against its first among the nearest of the others. Prints for each language the contradictions found, what agrees
and was called a conflict, paraphrases and contradictions merged, conflicts and merges with other pairs' sentences;
of the open half class by class, of the locked half the totals alone. The time of a judged candidate stands beside
the floor: what the embedder takes for one of the sentences. A server lets numpy have one thread, so this does too.

    OPENBLAS_NUM_THREADS=1 python -m tests.bench.bench_judging [--locked] [--misses]

`--locked` reports the locked halves: for a report, not for finding out what is missed. `--misses` lists the pairs
of the open halves that were judged wrongly.
"""

import asyncio
import sys
import time
from collections.abc import Sequence

from core.agents.offline.judge import OfflineJudge
from service.adapters.cached_embedder import CachedEmbedder
from service.adapters.local_embedder import LocalEmbedder
from tests.judging.level import CONFLICT, MERGE, NEAREST, Judged, Level, judge_pairs, level, nearest_firsts
from tests.judging.pairs import LANGUAGES, Half, Label, Pair, read_pairs
from tests.support.embedders import local_comparer

RIGHT = {Label.CONFLICT: CONFLICT, Label.SAME: MERGE, Label.RELATED: "", Label.UNRELATED: ""}


def totals(name: str, found: Level) -> str:
    """One line of figures."""
    conflicts, paraphrases = found.pairs[Label.CONFLICT], found.pairs[Label.SAME]
    merged, hidden = found.merges[Label.SAME], found.merges[Label.CONFLICT]
    return (
        f"{name:<10} conflicts {found.conflicts[Label.CONFLICT]:>3}/{conflicts:<3} = {found.found:.3f}"
        f"   and likely {found.likely[Label.CONFLICT]:>2}, falsely {found.likely_falsely:>2}"
        f"   false {found.false:>2}/{found.agreeing:<3} = {found.false / max(1, found.agreeing):.1%}"
        f"   paraphrases merged {merged:>2}/{paraphrases} = {found.merged:.2f}"
        f"   contradictions merged {hidden}, others {found.wrongly_merged - hidden}   strays {found.strays}"
    )


def classes(judged: Sequence[Judged]) -> list[str]:
    """One line a class: what it should be called, and what it was called."""
    lines = []
    for category in dict.fromkeys(one.pair.category for one in judged):
        own = [one for one in judged if one.pair.category == category]
        conflicts, merges = (sum(one.said == kind for one in own) for kind in (CONFLICT, MERGE))
        label = own[0].pair.label
        lines.append(
            f"  {category:<16} {label:<10} {len(own):>3} pairs   conflicts {conflicts:>2}   merges {merges:>2}"
        )
    return lines


def misses(judged: Sequence[Judged]) -> list[str]:
    """The pairs that were called a conflict or a merge wrongly, or not though they are."""
    return [
        f"    {one.pair.pair_id}: {one.said or 'nothing'}, is {one.pair.label}\n      "
        + "\n      ".join(one.pair.told())
        for one in judged
        if one.said != RIGHT[one.pair.label]
    ]


async def measure(language: str, half: Half, embedder: CachedEmbedder, show: bool) -> None:
    """One half in one language: its lines, and the time."""
    pairs = read_pairs(language, half)
    await warmed(pairs, language, embedder)
    nearest = await nearest_firsts(embedder, pairs)
    judge = OfflineJudge(embedder, local_comparer())
    started = time.process_time()
    judged = await judge_pairs(judge, pairs, nearest)
    each = (time.process_time() - started) / sum(map(len, nearest))
    floor = await embedding(pairs)
    print(totals(f"{language} {half}", level(judged)))
    print(
        f"  {each * 1e6:.0f} µs a candidate, {each / floor:.2f} of a sentence embedded ({floor * 1e6:.0f} µs)"
    )
    if half is Half.OPEN:
        print("\n".join([*classes(judged), *(misses(judged) if show else ())]))


async def warmed(pairs: Sequence[Pair], language: str, embedder: CachedEmbedder) -> None:
    """Has the dictionaries read and the vectors kept before the clock runs."""
    await judge_pairs(
        OfflineJudge(embedder, local_comparer()), pairs, [[place] for place in range(len(pairs))]
    )


async def embedding(pairs: Sequence[Pair]) -> float:
    """Processor seconds that one sentence takes by itself."""
    plain = LocalEmbedder.open()
    texts = [pair.told()[1] for pair in pairs]
    await plain.embed_passages(texts[:1])
    started = time.process_time()
    for text in texts:
        await plain.embed_passages([text])
    return (time.process_time() - started) / len(texts)


async def main() -> None:
    half = Half.LOCKED if "--locked" in sys.argv else Half.OPEN
    embedder = CachedEmbedder(LocalEmbedder.open(), passages=8192)
    print(f"each second sentence among {NEAREST} candidates")
    for language in LANGUAGES:
        await measure(language, half, embedder, "--misses" in sys.argv)


if __name__ == "__main__":
    asyncio.run(main())
