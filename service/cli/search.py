"""`memorybank search`: what a bank knows of something, and the passages that say it."""

from collections.abc import Mapping
from typing import Any

import click

from memorybank.v1 import retrieval_pb2 as retrieval
from memorybank.v1 import types_pb2 as types
from service.cli import drawing
from service.cli.errand import CommandContext, errand
from service.cli.passages import Evidence, passages_of, places_of

MODES = {
    "hybrid": retrieval.SEARCH_MODE_HYBRID,
    "words": retrieval.SEARCH_MODE_ATTRIBUTE,
    "meaning": retrieval.SEARCH_MODE_EMBEDDING,
}
TARGETS = {
    "nodes": retrieval.SEARCH_TARGET_NODES,
    "segments": retrieval.SEARCH_TARGET_SEGMENTS,
    "both": retrieval.SEARCH_TARGET_BOTH,
}

PASSAGES = 200  # among which the best of each memory is looked for


@click.command()
@click.argument("text", metavar="QUERY")
@errand
@click.option(
    "-k", "--top-k", type=click.IntRange(1, 1000), help="How many hits at most.  [default: the bank's]"
)
@click.option("--alpha", type=click.FloatRange(0, 1), help="Weight of words against meaning.")
@click.option(
    "--mode", type=click.Choice(list(MODES)), default="hybrid", show_default=True, help="By what to find."
)
@click.option(
    "--target",
    type=click.Choice(list(TARGETS)),
    default="both",
    show_default=True,
    help="Memories by their summaries, passages, or memories by the better of summary and passage.",
)
@click.option("--keyword", "keywords", multiple=True, help="A word to look for besides; may be repeated.")
@click.option("--hops", type=click.IntRange(0, 3), help="How far the neighbourhood reaches.  [default: 1]")
@click.option("--min-score", type=click.FloatRange(0, 1), help="The least score of a hit.")
@click.option("--full", is_flag=True, help="Show passages and summaries in full.")
def search(
    errand: CommandContext,
    text: str,
    top_k: int | None,
    alpha: float | None,
    mode: str,
    target: str,
    keywords: tuple[str, ...],
    hops: int | None,
    min_score: float | None,
    full: bool,
) -> None:
    """Find memories by words and meaning, best first, each with the passage that fits best and where it stands.

    \b
    Examples:
      memorybank search "when does the ferry leave?" --bank trip
      memorybank search 量子纠错 --target segments -k 3
      memorybank search "coherence time" --mode meaning --json
    """
    asked: dict[str, Any] = {
        "text": text,
        "keywords": keywords,
        "top_k": top_k,
        "alpha": alpha,
        "mode": MODES[mode],
        "target": TARGETS[target],
        "hops": hops,
        "min_score": min_score,
    }
    if errand.as_json:
        errand.answer(errand.client.search(bank_id=errand.bank_id, **asked))
        return
    found, passages = _searched(errand, asked)
    segments = [*passages.values(), *(hit.segment for hit in found.hits if hit.HasField("segment"))]
    where = places_of(errand.client, errand.bank_id, segments)
    words = " ".join((text, *keywords))
    errand.answer(found, drawing.hits(found, full, Evidence(query=words, passages=passages, places=where)))


def _searched(
    errand: CommandContext, asked: Mapping[str, Any]
) -> tuple[retrieval.SearchResponse, Mapping[str, types.Segment]]:
    """Returns what was found, and of one revision the best passage of each memory among it."""
    said = {
        **asked,
        "target": retrieval.SEARCH_TARGET_SEGMENTS,
        "top_k": PASSAGES,
        "hops": 0,
        "min_score": None,
    }
    searches = [retrieval.SearchRequest(**asked), retrieval.SearchRequest(**said, skip_reranker=True)]
    found, evidence = errand.client.batch_search(bank_id=errand.bank_id, searches=searches).results
    return found, passages_of(found.hits, evidence.hits)
