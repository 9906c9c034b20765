"""The topics of a chunk: which of its segments the Clusterer is asked about, and what it answers.

Law: a page that holds nothing but a notice of absence is no topic, nor is data without words: they stay on record.
"""

import asyncio
from collections.abc import Sequence, Set
from dataclasses import replace

from core.agents.opinions import check_clusters
from core.agents.roles import Cluster, Clusterer, Piece
from core.agents.usage import Ledger
from core.model.interaction import Interaction
from core.text import transcript
from core.text.data_runs import is_data
from core.text.failures import failures

LARGE = 2_000  # code points: a millisecond or two


async def topics_of(
    clusterer: Clusterer, ledger: Ledger, interaction: Interaction, numbers: Sequence[int], task: str
) -> Sequence[Cluster]:
    """Returns the topics of some segments, their pieces being the numbers of these. Raises AgentUnavailable,
    AgentReplyInvalid."""
    pieces = [_piece(interaction, number) for number in numbers]
    failed = await _failed(pieces)
    kept = [place for place, p in enumerate(pieces) if place not in failed and not is_data(p.text)]
    asked = [replace(pieces[place], number=number) for number, place in enumerate(kept)]
    if not asked:
        return ()
    with ledger.spending("clusterer"):
        clusters = await clusterer.cluster(asked, task)
        check_clusters(clusters, len(asked))
    return [
        replace(cluster, pieces=tuple(numbers[kept[piece]] for piece in cluster.pieces))
        for cluster in clusters
    ]


async def _failed(pieces: Sequence[Piece]) -> Set[int]:
    """Returns the places of notices of absence; of much text off the loop."""

    def read() -> Set[int]:
        return failures(transcript.lines((piece.role, piece.speaker, piece.text) for piece in pieces))

    is_long = sum(len(piece.text) for piece in pieces) > LARGE
    return await asyncio.to_thread(read) if is_long else read()


def _piece(interaction: Interaction, number: int) -> Piece:
    span = interaction.spans[number]
    return Piece(
        number=number,
        text=interaction.text[span.start : span.end],
        speaker=span.speaker,
        role=span.role,
        event_time=span.event_time or interaction.event_time,
    )
