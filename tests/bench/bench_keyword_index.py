"""What the keyword index costs at the size of a large bank, in English and in Chinese.

    python -m tests.bench.bench_keyword_index [documents]

Texts are drawn by the Zipf–Mandelbrot law from an invented vocabulary, 25 words or 60 Chinese characters
each: the commonest word that is no stop word is in every seventh text, the commonest character in most.
"""

import sys
import time
from collections.abc import Callable

import numpy as np
import psutil
from numpy.typing import NDArray

from core.index.keyword_index import KeywordIndex
from core.text import analysis

Maker = Callable[[np.random.Generator, int], list[str]]


def drawn(rng: np.random.Generator, shape: tuple[int, int], size: int, shift: int) -> NDArray[np.int64]:
    """Ranks from 0 to size − 1, each as likely as 1 / (rank + shift)."""
    bounds = np.cumsum(1.0 / (np.arange(size) + shift))
    ranks: NDArray[np.int64] = np.searchsorted(bounds, rng.random(shape) * bounds[-1])
    return ranks


def english(rng: np.random.Generator, count: int) -> list[str]:
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    vocabulary = ["".join(rng.choice(letters, rng.integers(3, 10))) for _ in range(60_000)]
    return [" ".join(vocabulary[rank] for rank in row) for row in drawn(rng, (count, 25), 60_000, 20)]


def chinese(rng: np.random.Generator, count: int) -> list[str]:
    return ["".join(chr(0x4E00 + rank) for rank in row) for row in drawn(rng, (count, 60), 5_000, 4)]


def milliseconds(act: Callable[[], object], rounds: int = 30) -> tuple[float, float]:
    """The median and the worst of `rounds`."""
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        act()
        taken.append((time.perf_counter() - start) * 1e3)
    return float(np.median(taken)), max(taken)


def measure(name: str, make: Maker, count: int) -> None:
    rng = np.random.default_rng(7)
    texts = make(rng, count + 200)
    documents = {("i", number): {"text": text} for number, text in enumerate(texts[:count])}
    index: KeywordIndex[tuple[str, int]] = KeywordIndex({"text": 1.0})
    start = time.perf_counter()
    prepared = index.prepare(documents)
    prepare_s = time.perf_counter() - start
    before = psutil.Process().memory_info().rss
    start = time.perf_counter()
    index.put(prepared)
    put_s = time.perf_counter() - start
    megabytes = (psutil.Process().memory_info().rss - before) / 1e6
    spare = iter(enumerate(texts[count:]))
    queries = iter(analysis.terms(text) for text in texts[count + 100 :])
    print(f"{name}, {count:,} documents")
    print(f"  prepare {prepare_s:.2f} s · put {put_s:.2f} s · {megabytes:.0f} MB")
    rows = {
        "search, 5 terms": lambda: index.search(next(queries)[:5], 10),
        "search, whole document": lambda: index.search(next(queries), 10),
        "search, half not allowed": lambda: index.search(next(queries)[:5], 10, lambda key: key[1] % 2 == 0),
        "put one": lambda: index.put_one(("new", (new := next(spare))[0]), {"text": new[1]}),
        "drop one": lambda: index.drop(key := ("i", int(rng.integers(count))), documents[key]),
    }
    for label, act in rows.items():
        median, worst = milliseconds(act)
        print(f"  {label:26} {median:8.2f} ms median {worst:8.2f} ms worst")


if __name__ == "__main__":
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    measure("English", english, size)
    measure("Chinese", chinese, size)
