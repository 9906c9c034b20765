"""Prints how sentences are read, one a line: `python -m tools.reading.read [FILE]`, or from standard input."""

import asyncio
import sys
from pathlib import Path

from service.adapters.local_embedder import LocalEmbedder, LocalReader, ReadingNetwork


async def show(sentences: list[str]) -> None:
    reader = LocalReader(LocalEmbedder.open, ReadingNetwork.load())
    for sentence, reading in zip(sentences, await reader.read(sentences), strict=True):
        if reading is not None:
            print(
                f"worth {reading.worth:.2f}  told {reading.asserted:.2f}  lasts {reading.lasting:.2f}"
                f"  limit {reading.limit:.2f}  correction {reading.correction:.2f}"
                f"  {reading.about.value:5}  {reading.category:10}  {sentence}"
            )


def main() -> None:
    text = Path(sys.argv[1]).read_text(encoding="utf-8") if sys.argv[1:] else sys.stdin.read()
    asyncio.run(show([line for line in text.splitlines() if line.strip()]))


if __name__ == "__main__":
    main()
