"""The offline Compressor: what older items of a working memory come to, by rules.

Law: pure and deterministic; every word of it stands in the items. Decisions come first, then of each tool's result its
first error line and its figures, then the sentence of each step that says most, while room lasts. What finds no room
goes oldest first, and is counted. English and Chinese alike.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.agents.offline import salience
from core.model.invocation import Item, ItemType
from core.text import sentences
from core.text.scripts import is_chinese
from core.text.tokens import estimate

READ = 20_000  # characters of an item that are looked at
SENTENCES = 60  # of a step that are weighed
FIGURES = 24  # of a result
PIECE = 200  # characters of a decision, an error line, a sentence
MISSES = 8  # that found no room, after which no more are looked at
COUNTED = 24  # tokens held back for the count of what was left out

FIGURE = re.compile(
    r"(?:[^\W\d_]{1,16}[ \t]?[:=：]?[ \t]?)?[$€£¥+-]?\d+(?:[.,:/-]\d+)*(?:[ \t]?(?:%|°|[^\W\d_]{1,8}))?"
)
ERROR = re.compile(
    r"error|exception|fail|denied|refused|timed? ?out|not found|invalid|traceback|unavailable"
    r"|错误|异常|失败|超时|拒绝|无效|找不到|不存在",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """What is told of a step, in the order of `rank`; `covers`: the item it stands for."""

    step: int
    rank: int
    covers: int
    text: str


def compress(items: Sequence[Item], room: int) -> str:
    """The items in at most `room` tokens."""
    chinese = is_chinese("".join(item.content[:1_000] for item in items))
    decisions = list(_decisions(items))
    results = list(_results(items))
    rest = _sentences(items, {piece.covers for piece in (*decisions, *results)})
    left = room - COUNTED
    told: list[_Piece] = []
    for pieces in (
        reversed(decisions),
        reversed(results),
        rest,
    ):  # the newest first: what finds no room is old
        missed = 0
        for piece in pieces:
            cost = estimate(piece.text) + 6
            if cost <= left:
                told.append(piece)
                left -= cost
            elif (missed := missed + 1) == MISSES:
                break
    lost = len({p.covers for p in (*decisions, *results)} - {p.covers for p in told})
    return _fitting(told, lost, chinese, room)


def _fitting(told: list[_Piece], lost: int, chinese: bool, room: int) -> str:
    while estimate(text := _text(told, lost, chinese)) > room and told:
        gone = told.pop()
        lost += gone.rank < 2
    return text if estimate(text) <= room else ""


def _text(told: Sequence[_Piece], lost: int, chinese: bool) -> str:
    by_step: dict[int, list[_Piece]] = {}
    for piece in sorted(told, key=lambda p: (p.step, p.rank, p.covers)):
        by_step.setdefault(piece.step, []).append(piece)
    lines = [f"[{step}] " + "; ".join(p.text for p in pieces) for step, pieces in by_step.items()]
    if lost:
        lines.insert(0, f"（另有{lost}项较早的内容从略）" if chinese else f"({lost} older items left out)")
    return "\n".join(lines)


def _decisions(items: Sequence[Item]) -> Iterator[_Piece]:
    for item in items:
        if item.type is ItemType.DECISION and (first := _first_sentence(item.content)):
            yield _Piece(step=item.step, rank=0, covers=item.number, text=first)


def _results(items: Sequence[Item]) -> Iterator[_Piece]:
    """Of each result with a figure or an error, and of each failed action."""
    for item in items:
        tells = item.type is ItemType.OBSERVATION or (item.type is ItemType.ACTION and item.failed)
        if tells and (said := outcome(item)):
            tool = f"{item.tool}: " if item.tool else ""
            yield _Piece(step=item.step, rank=1, covers=item.number, text=f"{tool}{said}")


def _sentences(items: Sequence[Item], covered: set[int]) -> Iterator[_Piece]:
    """The sentence that says most of each step, the newest step first."""
    steps: dict[int, list[Item]] = {}
    for item in items:
        if item.number not in covered:
            steps.setdefault(item.step, []).append(item)
    for step, own in reversed(steps.items()):
        texts = [t for item in own for t in sentences.split(item.content[: READ // len(own)])][:SENTENCES]
        told = list(dict.fromkeys(" ".join(text.split()) for text in texts))
        tools = [item.tool for item in own if item.tool]
        if told:
            worth = salience.scores(told)
            best = max(range(len(told)), key=lambda i: (worth[i], -i))
            yield _Piece(step=step, rank=2, covers=own[0].number, text=_clipped(told[best]))
        elif tools:
            yield _Piece(step=step, rank=2, covers=own[0].number, text=" → ".join(tools[:8]))


def outcome(item: Item) -> str:
    """What must stay of a tool's result: its first error line, and its figures."""
    error = error_line(item)
    return "; ".join(filter(None, (error, ", ".join(figures(item.content, error)))))


def error_line(item: Item) -> str:
    """The first line of an item that tells of an error, behind the error's type; empty where nothing failed."""
    lines = [" ".join(line.split()) for line in item.content[:READ].splitlines() if line.strip()]
    line = next((line for line in lines if ERROR.search(line)), "")
    if not item.failed:
        return _clipped(line)
    line = line or (lines[0] if lines else "")
    known = item.error_type and item.error_type not in line
    return _clipped(f"{item.error_type}: {line}" if known and line else line or item.error_type)


def figures(text: str, apart: str = "") -> list[str]:
    """The figures of a text, each with the word before and the unit behind it, once; those of `apart` left out."""
    found = dict.fromkeys(" ".join(match[0].split()) for match in FIGURE.finditer(text[:READ]))
    return [each for each in found if each not in apart][:FIGURES]


def _first_sentence(text: str) -> str:
    first = next(iter(sentences.split(text[:READ])), "")
    return _clipped(" ".join(first.split()))


def _clipped(text: str) -> str:
    if len(text) <= PIECE:
        return text
    end = PIECE
    while end and text[end].isdigit() and text[end - 1].isdigit():
        end -= 1  # half a figure would be another one
    return text[:end].rstrip() + "…"
