"""`memorybank search`: what a bank knows of something."""

import click

from memorybank.v1 import retrieval_pb2 as retrieval
from service.cli import drawing
from service.cli.errand import Errand, errand

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


@click.command()
@click.argument("query")
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
    default="nodes",
    show_default=True,
    help="Summaries, the verbatim evidence, or summaries ranked with their evidence.",
)
@click.option("--keyword", "keywords", multiple=True, help="A word to look for besides; may be repeated.")
@click.option("--hops", type=click.IntRange(0, 3), help="How far the neighbourhood reaches.  [default: 1]")
@click.option("--min-score", type=click.FloatRange(0, 1), help="The least score of a hit.")
@click.option("--full", is_flag=True, help="Show summaries in full.")
def search(
    errand: Errand,
    query: str,
    top_k: int | None,
    alpha: float | None,
    mode: str,
    target: str,
    keywords: tuple[str, ...],
    hops: int | None,
    min_score: float | None,
    full: bool,
) -> None:
    """Find memories by words and meaning, best first.

    \b
    Examples:
      memorybank search "when does the ferry leave?" --bank trip
      memorybank search 量子纠错 --target segments -k 3
      memorybank search "coherence time" --mode meaning --json
    """
    found = errand.client.search(
        bank_id=errand.bank_id,
        text=query,
        keywords=keywords,
        top_k=top_k,
        alpha=alpha,
        mode=MODES[mode],
        target=TARGETS[target],
        hops=hops,
        min_score=min_score,
    )
    errand.answer(found, drawing.hits(found, full))
