"""What was said, as pieces that can stand alone: a statement, or an answer beside its question.

Law: pure; every sentence stands verbatim. A reply never stands without what it replies to, unless it names that itself;
a sentence that begins with a pronoun comes with the one before it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from core.agents.memory_roles import Passage, PassageKind
from core.agents.offline import salience
from core.agents.offline.turning import turns_on
from core.text import analysis, sentences
from core.text.questions import asks

REFERS = re.compile(
    r"\W*(?:(?:it|its|it's|he|his|she|her|they|their|this|that|that's|these|those|there|then|both|one|so|which|and|but)\b"
    r"|[它他她其该此这那]|所以|因为|但是?|而且|于是|同时|另外|然后)",
    re.IGNORECASE,
)
FIGURE = re.compile(r"[\d.,:/]")  # a part of one
COMMENT = 0.7  # what a reply counts that answers no question
ASIDE = 0.4  # the same, where it says hardly anything that its input does not
NEW = 3  # terms that a reply adds, from which on it says something of its own
OWN = 1.25  # what the words of an input count, relative to those of a reply
LONGEST_QUESTION = 160  # characters of a question that stand before its answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A sentence, and the passage it stands in."""

    text: str
    passage: Passage


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Lines that stand together, of one step. `factor`: what it counts, relative to others; `turns`: it tells of a
    decision, a change or a result."""

    lines: tuple[Line, ...]
    factor: float
    turns: bool = False

    @property
    def text(self) -> str:
        return " ".join(line.text for line in self.lines)

    @property
    def is_comment(self) -> bool:
        """Whether it is a reply to what asks nothing: what that states is a piece of its own."""
        first, last = self.lines[0], self.lines[-1]
        return first is not last and last.passage.kind is PassageKind.REPLY and not asks(first.text)

    @property
    def step(self) -> int:
        return self.lines[-1].passage.step


def pieces(passages: Sequence[Passage]) -> list[Piece]:
    """Returns what was said in pieces, in the order it was said, nothing twice."""
    found: dict[str, Piece] = {}
    for _, together in groupby(passages, key=lambda passage: passage.step):
        for piece in _of_turn(list(together)):
            found.setdefault(piece.text, piece)
    return list(found.values())


def _of_turn(passages: Sequence[Passage]) -> Iterator[Piece]:
    replies = [line for line in _lines(passages) if line.passage.kind is PassageKind.REPLY]
    inputs = [line for line in _lines(passages) if line.passage.kind is not PassageKind.REPLY]
    yield from _statements(inputs)
    if not replies:
        return
    told = [line for line in replies if not asks(line.text)]
    if not inputs:
        yield from _statements(told)
    elif told:
        yield _answer(inputs, told)


def _lines(passages: Sequence[Passage]) -> Iterator[Line]:
    for passage in passages:
        for sentence in sentences.split(passage.text):
            text = " ".join(sentence.split())
            if any(map(str.isalnum, text)):
                yield Line(text=text, passage=passage)


def _statements(lines: Sequence[Line]) -> Iterator[Piece]:
    for place, line in enumerate(lines):
        if asks(line.text):
            continue
        first = place
        while first and REFERS.match(lines[first].text) and place - first < 2:
            first -= 1
        own = OWN if line.passage.kind is PassageKind.INPUT else 1.0
        yield Piece(lines=tuple(lines[first : place + 1]), factor=own, turns=turns_on(line.text))


def _answer(inputs: Sequence[Line], told: Sequence[Line]) -> Piece:
    """Returns the sentence of a reply that says most beside the question, or what else was said last."""
    asked = next((line for line in reversed(inputs) if asks(line.text)), inputs[-1])
    best = max(zip(salience.scores([line.text for line in told]), told, strict=True), key=_by_score)[1]
    heard = frozenset(term for line in inputs for term in analysis.terms(line.text))
    added = len(frozenset(analysis.terms(best.text)) - heard)
    factor = 1.0 if asks(asked.text) else COMMENT if added >= NEW else ASIDE
    question = Line(text=_clipped(asked.text), passage=asked.passage)
    return Piece(lines=(question, best), factor=factor, turns=added >= NEW and turns_on(best.text))


def _by_score(scored: tuple[float, Line]) -> float:
    return scored[0]


def _clipped(text: str) -> str:
    """Returns a question that is not longer than its answer deserves: its end, where it asks."""
    if len(text) <= LONGEST_QUESTION:
        return text
    start = len(text) - LONGEST_QUESTION
    while start < len(text) and FIGURE.match(text[start - 1]) and FIGURE.match(text[start]):
        start += 1  # half of a figure would be another one
    end = text[start:]
    return "…" + (end.split(" ", 1)[-1] if " " in end else end)
