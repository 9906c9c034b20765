"""Which sentences of a message are its author's own words: not what is quoted, fenced or forwarded in it.

Law: pure; goes by the form, in any language. A sentence is a slice of the text. Left out are code fences, lines behind
`>`, what follows the head of a forwarded mail, and sentences that lie in quotation marks opened before them.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from core.text import sentences

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(?:.*?^[ \t]*\1[ \t]*$|.*\Z)", re.MULTILINE | re.DOTALL)
_CITED = re.compile(r"^[ \t]*(?:>|＞).*$", re.MULTILINE)
_HEAD = (
    r"[ \t]*\**(?:from|sent|to|cc|date|subject|von|gesendet|an|betreff|de|à|objet|envoyé|para|asunto|da|a|oggetto"
    r"|assunto|от|кому|тема|дата|发件人|收件人|发送时间|主题|日期|差出人|宛先|件名"
    r"|보낸 사람|받는 사람|제목)\**[ \t]*[:：].*"
)
_FORWARDED = re.compile(
    rf"^(?:[ \t]*-{{3,}}[ \t]*(?:original|forwarded|ursprüngliche|weitergeleitete|原始邮件|转发).*"
    rf"|begin forwarded message:.*|{_HEAD}\n(?:{_HEAD}\n)*{_HEAD})$",
    re.IGNORECASE | re.MULTILINE,
)
_WROTE = re.compile(
    r"^.{5,120}(?:wrote|schrieb|a écrit|escribió|ha scritto|escreveu|написал\w*|写道)[ ]?[:：][ \t]*\n"
    r"(?=[ \t\n]*[>＞])",
    re.IGNORECASE | re.MULTILINE,
)
_PAIRS = {"“": "”", "„": "“”", "«": "»", "「": "」", "『": "』"}
_STRAIGHT = '"'
_ITEM = re.compile(r"(?:[-*•·–]|\(?\d{1,2}[.)、])[ \t\u3000]*")
_BLANK = re.compile(r"\n[ \t]*\n")
_COLON = (":", "：")
MOSTLY = 0.6  # share of a sentence that lies in quotation marks, to be a quotation


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSentence:
    """A sentence, without the sign of a list item. `led_by`: the number, among the own ones, of the sentence that
    introduces it, as "Translate this:" does; None for most."""

    text: str
    led_by: int | None = None


def own_sentences(text: str, most: int) -> list[OwnSentence]:
    """Returns the first `most` sentences that are the author's own, in order."""
    foreign = sorted(_foreign(text))
    starts = [start for start, _ in foreign]
    quoted = list(_quotations(text))
    found: list[OwnSentence] = []
    lead, lead_end, item_lead = None, 0, None
    for start, end in sentences.spans(text):
        place = bisect_right(starts, start) - 1
        if (place >= 0 and start < foreign[place][1]) or _is_quoted(start, end, quoted):
            continue
        if lead is not None and start >= lead_end:
            lead = None
        item = _item(text, start, end)
        said = " ".join(text[item:end].split())
        if item == start:
            item_lead = None
        elif item_lead is None and found:
            item_lead = len(found) - 1
        found.append(OwnSentence(text=said, led_by=lead if item == start else item_lead))
        if said.endswith(_COLON):
            lead, lead_end = len(found) - 1, _end_of_next_paragraph(text, end)
        if len(found) == most:
            break
    return found


def _foreign(text: str) -> Iterator[tuple[int, int]]:
    for pattern in (_FENCE, _CITED, _WROTE):
        yield from ((one.start(), one.end()) for one in pattern.finditer(text))
    if forwarded := _FORWARDED.search(text):
        yield forwarded.start(), len(text)


def _quotations(text: str) -> Iterator[tuple[int, int]]:
    """Yields where quotation marks enclose something. Straight ones do so within a paragraph."""
    place = 0
    while place < len(text):
        sign = text[place]
        end = -1
        if sign in _PAIRS:
            ends = [text.find(closing, place + 1) for closing in _PAIRS[sign]]
            end = min((one for one in ends if one > 0), default=-1)
        elif sign == _STRAIGHT and (place == 0 or not text[place - 1].isdigit()):
            blank = _BLANK.search(text, place)
            end = text.find(_STRAIGHT, place + 1, blank.start() if blank else len(text))
        if end > place:
            yield place, end + 1
            place = end
        place += 1


def _is_quoted(start: int, end: int, quoted: list[tuple[int, int]]) -> bool:
    """Whether a sentence begins in a quotation and lies in it for the most part."""
    for opened, closed in quoted:
        if opened <= start < closed:
            return min(end, closed) - start >= MOSTLY * (end - start)
    return False


def _item(text: str, start: int, end: int) -> int:
    """Returns where the words of a list item begin; `start` where it is none."""
    line = text.rfind("\n", 0, start) + 1
    sign = _ITEM.match(text, start, end)
    is_first = not text[line:start].strip()
    return sign.end() if sign and is_first and "\n" in text and sign.end() < end else start


def _end_of_next_paragraph(text: str, start: int) -> int:
    begin = start + len(text[start:]) - len(text[start:].lstrip())
    blank = _BLANK.search(text, begin)
    return blank.start() if blank else len(text)
