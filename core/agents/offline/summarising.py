"""What was said, in its own sentences: summaries and keys.

Law: extractive and deterministic. Every sentence stands verbatim, white space folded, behind its speaker and in the
order it was said; what was decided counts more. Before a summary stand up to three keywords, but not before what came
of something, which is told beside its goal. No network.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from core.agents.faithful import WORD, length
from core.agents.memory_roles import (
    KEY_CHARACTERS,
    KeyOpinion,
    Passage,
    PassageKind,
    Unit,
)
from core.agents.offline import salience
from core.agents.offline.keywords import keywords
from core.text import sentences
from core.text.scripts import is_chinese

KEYWORDS = 3
KEYWORDS_SHARE = 0.25  # of a summary's length, at most
LEAST = 0.25  # of the best sentence's score: what says less is left out though there is room
DECISION = 1.3  # what a sentence that decides counts as, relative to others
DECIDES = re.compile(
    r"\b(?:decided?|decision|agreed?|settled on|going with|go with|we(?:'ll| will)|chose|confirmed|must(?: not)?)\b"
    r"|决定|定了|采用|同意|确定|选定|说好|必须|不能|不得",
    re.IGNORECASE,
)
CUT = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    """A sentence with the passage it stands in."""

    text: str
    passage: Passage


def summary(passages: Sequence[Passage], limit: int, unit: Unit, *, named: bool = True) -> str:
    """Returns keywords, if it is to be `named`, then the sentences that say most, within `limit` of `unit`."""
    found = _sentences(passages)
    if not found:
        return _clipped(" ".join(" ".join(p.text.split()) for p in passages), limit, unit)
    chinese = is_chinese("".join(each.text for each in found))
    texts = [p.text for p in passages]
    head = _named(texts, int(limit * KEYWORDS_SHARE), unit, chinese) if named else ""
    room = limit - length(head, unit)
    shown = [_line(each, chinese) for each in found]
    picked = _chosen(found, shown, room, unit)
    lines = [shown[index] for index in picked]
    return _clipped("\n".join([head, *lines] if head else lines), limit, unit)


def key(passages: Sequence[Passage]) -> KeyOpinion:
    """Returns the most informative sentences, each with its step and speaker."""
    found = _sentences(passages) or [
        _Sentence(text=" ".join(p.text.split()), passage=p) for p in passages[:1]
    ]
    chinese = is_chinese("".join(each.text for each in found))
    shown = [f"[{_step(each.passage.step, chinese)}] {_line(each, chinese)}" for each in found]
    picked = _chosen(found, shown, KEY_CHARACTERS, Unit.CHARACTERS)
    text = _clipped("\n".join(shown[index] for index in picked), KEY_CHARACTERS, Unit.CHARACTERS)
    return KeyOpinion(text=text, passages=tuple(sorted({found[index].passage.number for index in picked})))


def _sentences(passages: Sequence[Passage]) -> list[_Sentence]:
    """Returns the informative sentences, each once."""
    found: dict[str, _Sentence] = {}
    for passage in passages:
        for sentence in sentences.split(passage.text):
            text = " ".join(sentence.split())
            if any(map(str.isalnum, text)):
                found.setdefault(text, _Sentence(text=text, passage=passage))
    return list(found.values())


def _chosen(found: Sequence[_Sentence], shown: Sequence[str], room: int, unit: Unit) -> list[int]:
    """Returns the places, ascending, of the most informative sentences, as they are shown, within `room`."""
    texts = [each.text for each in found]
    decided = [DECISION if DECIDES.search(text) else 1.0 for text in texts]
    worth = [score * factor for score, factor in zip(salience.scores(texts), decided, strict=True)]
    enough = LEAST * max(worth)
    kept = [index for index, score in enumerate(worth) if score >= enough]
    lines, weights = [shown[index] for index in kept], [worth[index] for index in kept]
    picked = salience.chosen(lines, weights, room, width=lambda line: length(line, unit) + 1)
    return [kept[index] for index in picked]


def _line(sentence: _Sentence, chinese: bool) -> str:
    speaker = sentence.passage.speaker or role_of(sentence.passage.kind, chinese)
    if not speaker:
        return sentence.text
    return f"{speaker}：{sentence.text}" if chinese else f"{speaker}: {sentence.text}"


def role_of(kind: PassageKind, chinese: bool) -> str:
    match kind:
        case PassageKind.INPUT:
            return "用户" if chinese else "User"
        case PassageKind.REPLY:
            return "助手" if chinese else "Assistant"
        case PassageKind.TOOL_RESULT:
            return "工具" if chinese else "Tool"
        case PassageKind.SUMMARY:
            return ""


def _step(step: int, chinese: bool) -> str:
    return f"第{step}轮" if chinese else f"turn {step}"


def _named(texts: Sequence[str], room: int, unit: Unit, chinese: bool) -> str:
    """Returns the keywords as a line of at most `room`; empty where none has room."""
    words = keywords(texts, most=KEYWORDS)
    for count in range(min(KEYWORDS, len(words)), 0, -1):
        line = f"{'、'.join(words[:count])}。" if chinese else f"{', '.join(words[:count])}."
        if length(line, unit) <= room:
            return line
    return ""


def _clipped(text: str, limit: int, unit: Unit) -> str:
    """Returns the text, or its beginning that fits."""
    if length(text, unit) <= limit:
        return text
    if unit is Unit.CHARACTERS:
        return text[: _before_a_figure(text, limit - len(CUT))].rstrip() + CUT
    ends = [match.end() for match in WORD.finditer(text)]
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high + 1) // 2
        fits = length(text[: ends[middle - 1]], unit) <= limit
        low, high = (middle, high) if fits else (low, middle - 1)
    return text[: _before_a_figure(text, ends[low - 1]) if low else 1] + CUT


def _before_a_figure(text: str, end: int) -> int:
    """Moves the end of a cut before the figure that it would cut in two: half of one would be another one."""
    start = end
    while start and _is_of_a_figure(text[start - 1]):
        start -= 1
    return start if start and _is_of_a_figure(text[end : end + 1]) else end


def _is_of_a_figure(sign: str) -> bool:
    """Whether it may stand in a figure: a digit of any form (`7`, `７`, `⑦`, `²`), or what parts digits."""
    return sign != "" and (sign in ".," or unicodedata.category(sign) in ("Nd", "No"))
