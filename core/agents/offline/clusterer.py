"""The offline Clusterer: topics by embeddings and layout, named in the text's own words.

Law: deterministic given the embedder; every piece is in exactly one cluster. Embedding is the
embedder's business; all other work runs in a thread.
"""

from collections.abc import Sequence
from datetime import timedelta
from itertools import takewhile

from core.agents.offline import keywords as keyword
from core.agents.offline import naming, questions, topics
from core.agents.offline.thinking import think
from core.agents.roles import Cluster, Piece, SplitPrompt
from core.ports.embedder import Embedder
from core.text import outline
from core.text.outline import BOLD_LEVEL, Heading
from core.text.scripts import display_width

WINDOW = 8_000  # tokens of one chunk: some twenty pages, a few hundred pieces, seconds of embedding
TELLING_WIDTH = 120  # columns from which a piece speaks for itself
TELLING_MESSAGE = 240  # the same for messages, which answer one another
PAUSE = timedelta(hours=6)  # between messages: a new session, like a new section

ROLES = frozenset({"user", "assistant", "system", "tool", "human", "ai", "用户", "助手"})


class OfflineClusterer:
    """Topic segmentation along the text, then stretches that come back to one topic joined."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def window(self) -> int:
        return WINDOW

    async def cluster(self, pieces: Sequence[Piece], task: str) -> Sequence[Cluster]:  # noqa: ARG002 - the role's
        """`task` decides nothing here: what a text is about does not depend on why it was read."""
        if not pieces:
            return ()
        openings = _openings(pieces)
        if len(pieces) == 1:
            groups = [[0]]
        else:
            vectors = await self._embedder.embed_passages([_spoken(piece) for piece in pieces])
            space, line = self._embedder.space, self._embedder.thresholds.topic
            layout = _layout(pieces, openings)
            groups = await think(
                topics.group, vectors, layout, space.cosine_floor, space.cosine_ceiling, line
            )
        return await think(_named, pieces, groups, openings)

    async def split(self, prompt: str) -> SplitPrompt:
        return await think(questions.split, prompt)


def _spoken(piece: Piece) -> str:
    return f"{piece.speaker}: {piece.text}" if piece.speaker else piece.text


def _layout(pieces: Sequence[Piece], openings: Sequence[Heading | None]) -> topics.Layout:
    sections: list[int] = []
    section = 0
    for index, opening in enumerate(openings):
        if index and (opening is not None or _paused(pieces[index - 1], pieces[index])):
            section += 1
        sections.append(section)
    return topics.Layout(sections=sections, weights=[_weight(piece) for piece in pieces])


def _weight(piece: Piece) -> float:
    """How much a piece says by itself, 0 to 1."""
    return min(1.0, display_width(piece.text) / (TELLING_MESSAGE if piece.speaker else TELLING_WIDTH))


def _openings(pieces: Sequence[Piece]) -> list[Heading | None]:
    """The heading each piece begins with: none in code and messages; bold lines where there is no other."""
    found: list[Heading | None] = []
    in_code = _begins_in_code(pieces)
    for piece in pieces:
        found.append(None if in_code or piece.speaker else outline.leading_heading(piece.text))
        in_code ^= len(outline.FENCE_LINE.findall(piece.text)) % 2 == 1
    if any(heading is not None and heading.level < BOLD_LEVEL for heading in found):
        return [heading if heading is not None and heading.level < BOLD_LEVEL else None for heading in found]
    return found


def _begins_in_code(pieces: Sequence[Piece]) -> bool:
    """Whether a chunk was cut out of code: one fence has no partner, the first one only closes, and
    nothing before it is a heading (a comment may look like one of the first level)."""
    fences = [fence for piece in pieces for fence in outline.FENCE_LINE.findall(piece.text)]
    if len(fences) % 2 == 0 or fences[0].strip("`~ \t"):
        return False
    before = takewhile(lambda piece: not outline.FENCE_LINE.search(piece.text), pieces)
    headings = (outline.leading_heading(piece.text) for piece in before)
    return not any(heading is not None and heading.level > 1 for heading in headings)


def _paused(before: Piece, after: Piece) -> bool:
    if before.event_time is None or after.event_time is None:
        return False
    return abs(after.event_time - before.event_time) > PAUSE


def _named(
    pieces: Sequence[Piece], groups: Sequence[Sequence[int]], openings: Sequence[Heading | None]
) -> tuple[Cluster, ...]:
    spread = keyword.spread(piece.text for piece in pieces)
    under: list[Heading | None] = []
    for opening in openings:
        under.append(opening or (under[-1] if under else None))
    return tuple(
        _cluster([pieces[i] for i in group], [heading for i in group if (heading := under[i])], spread)
        for group in groups
    )


def _cluster(members: Sequence[Piece], headings: Sequence[Heading], spread: dict[str, int]) -> Cluster:
    texts = [piece.text for piece in members]
    speakers = list(
        dict.fromkeys(p.speaker for p in members if p.speaker and p.speaker.casefold() not in ROLES)
    )
    found = keyword.keywords(texts, spread, [heading.title for heading in headings])
    context = naming.context_of([_spoken(piece) for piece in members], found, headings)
    named = [name for name in speakers[:2] if name not in found]
    return Cluster(
        pieces=tuple(piece.number for piece in members),
        context=context,
        keywords=(*found[: keyword.MOST - len(named)], *named),
    )
