"""The offline Compressor: what older items of a working memory come to, by rules.

Law: pure and deterministic; every word of it stands in the items. Decisions come first, then of each tool's result its
first error line and what it states, in an equal share, by what its step asked for and what the next ones use, then the
sentence of each other step that says most, while room lasts. What finds no room goes oldest first, and is counted.
English and Chinese alike.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.agents.offline import salience
from core.agents.outcomes import READ, clipped, essence, gist, is_telling
from core.agents.results import usual, wanted_terms
from core.language import Language, language_of
from core.model.invocation import Item, ItemType
from core.text import sentences
from core.text.tokens import estimate

SENTENCES = 60  # of a step that are weighed
MISSES = 8  # that found no room, after which no more are looked at
COUNTED = 24  # tokens held back for the count of what was left out
BESIDE = 6  # tokens of a piece's step and of the mark behind it
LEAST_RESULT = 24  # tokens of what is told of a result, before older ones go
COMPARED = 40  # newest results among which the usual is looked for,
EDGE = 1_000  # in so many characters of their beginnings and ends
WANTING = (ItemType.THOUGHT, ItemType.ACTION, ItemType.DECISION, ItemType.SUBTASK)
CALLED = 0.5  # what a word of a call counts; one of a thought counts 1
AFTER, USED = 2, 0.5  # steps behind one, and what their words count of its result
LEAST = BESIDE + 1  # that a piece takes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """What is kept of a step, in the order of `rank`; `covers`: the item it stands for."""

    step: int
    rank: int
    covers: int
    text: str


def compress(items: Sequence[Item], room: int) -> str:
    """Returns the items in at most `room` tokens."""
    language = language_of("".join(item.content[:1_000] for item in items))
    decisions = [item for item in items if item.type is ItemType.DECISION and is_telling(item)]
    results = [item for item in items if _is_result(item)]
    stay = {item.number for item in (*decisions, *results)}
    kept: list[_Piece] = []
    left = room - COUNTED
    share = max(LEAST_RESULT, left // max(1, len(results)) - BESIDE)
    # The newest first: what finds no room is old, and is not read.
    for pieces in (_decisions(decisions), _results(results, items, share), _sentences(items, stay)):
        missed = 0
        while left >= LEAST and missed < MISSES and (piece := next(pieces, None)):
            cost = estimate(piece.text) + BESIDE
            if cost <= left:
                kept.append(piece)
                left -= cost
            else:
                missed += 1
    return _fitting(kept, len(stay - {piece.covers for piece in kept}), language, room)


def _is_result(item: Item) -> bool:
    """Whether an item tells what came of a call."""
    if item.type is ItemType.OBSERVATION:
        return any(map(str.isalnum, item.content)) or item.failed
    return item.type is ItemType.ACTION and item.failed and is_telling(item)


def _fitting(kept: list[_Piece], lost: int, language: Language, room: int) -> str:
    while estimate(text := _text(kept, lost, language)) > room and kept:
        gone = kept.pop()
        lost += gone.rank < 2
    return text if estimate(text) <= room else ""


def _text(kept: Sequence[_Piece], lost: int, language: Language) -> str:
    by_step: dict[int, list[_Piece]] = {}
    for piece in sorted(kept, key=lambda p: (p.step, p.rank, p.covers)):
        by_step.setdefault(piece.step, []).append(piece)
    lines = [f"[{step}] " + "; ".join(p.text for p in pieces) for step, pieces in by_step.items()]
    if lost:
        lines.insert(0, language.phrases.runs.left_out.format(lost))
    return "\n".join(lines)


def _decisions(items: Sequence[Item]) -> Iterator[_Piece]:
    for item in reversed(items):
        yield _Piece(step=item.step, rank=0, covers=item.number, text=essence(item))


def _results(results: Sequence[Item], items: Sequence[Item], share: int) -> Iterator[_Piece]:
    """Yields what results state, each in its share of the tokens, the newest first."""
    asked = _asked(items)
    common = usual(_edges(item.content) for item in results[-COMPARED:])
    for item in reversed(results):
        tool = f"{item.tool}: " if item.tool else ""
        told = gist(item, max(LEAST_RESULT, share - estimate(tool)), asked[item.step], common)
        if told:
            yield _Piece(step=item.step, rank=1, covers=item.number, text=f"{tool}{told}")


def _edges(content: str) -> str:
    """Returns where a tool says what it always says, in whole lines."""
    if len(content) <= 2 * EDGE:
        return content
    return f"{content[:EDGE].rpartition(chr(10))[0]}\n{content[-EDGE:].partition(chr(10))[2]}"


def _asked(items: Sequence[Item]) -> dict[int, dict[str, float]]:
    """Returns by step the terms of what was wanted of tools, each with what it counts: by its thoughts and calls, and
    by those of the steps after it, which use what came of it."""
    said: dict[int, dict[str, float]] = {}
    for item in items:
        of_step = said.setdefault(item.step, {})
        if item.type in WANTING:
            for word in wanted_terms(item.arguments_json[:READ]):
                of_step.setdefault(word, CALLED)
            of_step.update(dict.fromkeys(wanted_terms(item.content[:READ]), 1.0))
    steps = sorted(said)
    found: dict[int, dict[str, float]] = {}
    for place, step in enumerate(steps):
        later = (word for next_ in steps[place + 1 : place + 1 + AFTER] for word in said[next_])
        found[step] = dict.fromkeys(later, USED) | said[step]
    return found


def _sentences(items: Sequence[Item], covered: set[int]) -> Iterator[_Piece]:
    """Yields the most informative sentence of each step, the newest step first, none twice."""
    told: set[str] = set()
    answered = {item.step for item in items if item.number in covered}
    steps: dict[int, list[Item]] = {}
    for item in items:
        if item.number not in covered:
            steps.setdefault(item.step, []).append(item)
    for step, own in reversed(steps.items()):
        texts = [t for item in own for t in sentences.split(item.content[: READ // len(own)])][:SENTENCES]
        distinct = list(dict.fromkeys(" ".join(text.split()) for text in texts))
        distinct = [text for text in distinct if text not in told]
        tools = [item.tool for item in own if item.tool]
        if distinct:
            worth = salience.scores(distinct)
            best = max(range(len(distinct)), key=lambda i: (worth[i], -i))
            told.add(distinct[best])
            yield _Piece(step=step, rank=2, covers=own[0].number, text=clipped(distinct[best]))
        elif tools and not texts and step not in answered:
            yield _Piece(step=step, rank=2, covers=own[0].number, text=" → ".join(tools[:8]))
