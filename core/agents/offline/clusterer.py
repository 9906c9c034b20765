"""The offline Clusterer: topics by embeddings and layout, named in the text's own words.

Law: deterministic given the embedder; every piece is in exactly one cluster. Embedding is the
embedder's business; all other work runs in a thread.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import takewhile

from core.agents.offline import keywords as keyword
from core.agents.offline import naming, questions, topics
from core.agents.offline.thinking import think
from core.agents.roles import Cluster, Piece, SplitPrompt
from core.ports.embedder import Embedder
from core.text import outline, transcript
from core.text.blocks import is_code, prose, unbroken
from core.text.fields import rows
from core.text.outline import BOLD_LEVEL, Heading
from core.text.scripts import display_width

WINDOW = 8_000  # tokens of one chunk: some twenty pages, a few hundred pieces, seconds of embedding
TELLING_WIDTH = 120  # columns from which a piece speaks for itself
TELLING_MESSAGE = 240  # the same for messages, which answer one another
PAUSE = timedelta(hours=6)  # between messages: a new session, like a new section

ROLES = frozenset({"user", "assistant", "system", "tool", "human", "ai", "用户", "助手"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Pieces that make sense only together, and as one piece what they tell: no code, where there is more."""

    members: tuple[Piece, ...]
    whole: Piece


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
        steps = await think(_steps, pieces)
        openings = _openings([step.whole for step in steps])
        groups = [[0]] if len(steps) == 1 else await self._grouped([step.whole for step in steps], openings)
        return await think(_named, steps, groups, openings)

    async def _grouped(self, pieces: Sequence[Piece], openings: Sequence[Heading | None]) -> list[list[int]]:
        vectors = await self._embedder.embed_passages([_spoken(piece) for piece in pieces])
        space, line = self._embedder.space, self._embedder.thresholds.topic
        layout = _layout(pieces, openings)
        return await think(topics.group, vectors, layout, space.cosine_floor, space.cosine_ceiling, line)

    async def split(self, prompt: str) -> SplitPrompt:
        return await think(questions.split, prompt)


def _steps(pieces: Sequence[Piece]) -> list[Step]:
    """Returns the pieces, those joined that make sense only together: a thought, a call and its result; code with
    what stands before it."""
    written = transcript.lines((piece.role, piece.speaker, piece.text) for piece in pieces)
    steps: list[Step] = []
    start = 0
    for number, tied in enumerate(transcript.bound(written)):
        if not tied:
            members = tuple(pieces[start : number + 1])
            steps.append(Step(members=members, whole=_whole(members, "\n".join(written[start : number + 1]))))
            start = number + 1
    return _without_code(steps)


def _without_code(steps: Sequence[Step]) -> list[Step]:
    """Steps that are code join the one before, if its message has one; of the others stays what is no code. JSON and
    XML tell their fields."""
    in_code = _begins_in_code([step.whole for step in steps])
    found: list[Step] = []
    for step in steps:
        text = step.whole.text
        before = found[-1] if found else None
        if data := rows(text):
            found.append(replace(step, whole=replace(step.whole, text="\n".join(data))))
        elif (in_code or is_code(text)) and before is not None and _goes_on(before.whole, step.whole):
            found[-1] = replace(before, members=(*before.members, *step.members))
        else:
            found.append(replace(step, whole=replace(step.whole, text=unbroken(prose(text)))))
        in_code ^= len(outline.FENCE_LINE.findall(text)) % 2 == 1
    return found


def _goes_on(before: Piece, piece: Piece) -> bool:
    """Whether a piece may belong to the message of the one before: the speaker is the same."""
    return (before.role, before.speaker) == (piece.role, piece.speaker)


def _whole(members: Sequence[Piece], written: str) -> Piece:
    """Returns a step as one piece that tells what was found; one that is no step of a transcript is the piece
    itself."""
    found = transcript.told(written)
    if found == written and len(members) == 1:
        return members[0]
    return Piece(number=members[0].number, text=found or written, event_time=members[-1].event_time)


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
    """Returns how much information a piece has by itself, 0 to 1."""
    return min(1.0, display_width(piece.text) / (TELLING_MESSAGE if piece.speaker else TELLING_WIDTH))


def _openings(pieces: Sequence[Piece]) -> list[Heading | None]:
    """Returns the heading each piece begins with: none in code and messages; bold lines where there is no other."""
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
    steps: Sequence[Step], groups: Sequence[Sequence[int]], openings: Sequence[Heading | None]
) -> tuple[Cluster, ...]:
    spread = keyword.spread(step.whole.text for step in steps)
    under: list[Heading | None] = []
    for number, opening in enumerate(openings):
        follows = number > 0 and _goes_on(steps[number - 1].members[-1], steps[number].members[0])
        under.append(opening or (under[-1] if follows else None))
    return tuple(
        _cluster([steps[i] for i in group], [heading for i in group if (heading := under[i])], spread)
        for group in groups
    )


def _cluster(steps: Sequence[Step], headings: Sequence[Heading], spread: dict[str, int]) -> Cluster:
    pieces = [step.whole for step in steps]
    speakers = list(
        dict.fromkeys(p.speaker for p in pieces if p.speaker and p.speaker.casefold() not in ROLES)
    )
    found = keyword.keywords(
        [piece.text for piece in pieces], spread, [heading.title for heading in headings]
    )
    context = naming.context_of([_spoken(piece) for piece in pieces], found, headings)
    named = [name for name in speakers[:2] if name not in found]
    return Cluster(
        pieces=tuple(piece.number for step in steps for piece in step.members),
        context=context,
        keywords=(*found[: keyword.MOST - len(named)], *named),
    )
