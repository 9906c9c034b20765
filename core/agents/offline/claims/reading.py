"""Sentences to statements: marks off, the speaker apart, then by the language's reader.

Law: pure; the same sentence reads the same, and nothing read is remembered.
"""

import re
from dataclasses import replace

from core.agents.offline.claims import chinese, english
from core.agents.offline.claims.statement import Statement
from core.text.chinese import tagged
from core.text.scripts import is_chinese

LONGEST = 600  # characters that are read; laying terms side by side costs their number squared

LIST_MARK = re.compile(
    r"\s*(?:(?:[-*+•·▪]|#{1,6}|\(?\d{1,3}[.)、）]|[（(]?[一二三四五六七八九十]{1,3}[、）)])\s*)+"
)
MARKUP = re.compile(r"\*\*|__|`")
SPEAKER = re.compile(
    r"([A-Za-z\u4e00-\u9fff][^\s:：,，。.!?]{0,20}(?: [^\s:：,，.!?]{1,20}){0,2})\s*[:：]\s*(?=\S)(?!//)"
)
HEADING = re.compile(r"\s*#{1,6}\s")
LABEL = re.compile(r"\s*(?:\*\*|__|`)?[^*`]{1,60}(?:[:：]\s*(?:\*\*|__|`)|(?:\*\*|__|`)\s*[:：])")
NOT_PROSE = re.compile(r"[=→←|{}\[\]<>]| [+·] |[:：]\s*$")
ROLES = frozenset({"用户", "助手", "系统"})
QUOTES = {'"': '"', "“": "”", "「": "」", "『": "』", "‘": "’", "'": "'"}


def read(sentence: str) -> Statement:
    """Take a sentence apart. List marks and quotation marks around the whole are not part of it.

    Of a very long sentence only the beginning is read.
    """
    start = sentence[:LONGEST]
    mark = LIST_MARK.match(start)
    inner = unquoted(MARKUP.sub("", start[mark.end() :] if mark else start))
    spoken = SPEAKER.match(inner)
    said = inner[spoken.end() :] if spoken else inner
    found = chinese.statement(said) if is_chinese(said) else english.statement(said)
    if spoken:
        name = spoken.group(1).strip()
        found = replace(
            found, speaker=name.lower(), labelled=_is_label(start, mark.end() if mark else 0, name)
        )
    return replace(found, proposition=False) if NOT_PROSE.search(inner) or HEADING.match(start) else found


def _is_label(sentence: str, start: int, name: str) -> bool:
    """Whether a name before a colon is marked up as a label, or is a Chinese one that no person has."""
    if LABEL.match(sentence, start):
        return True
    return is_chinese(name) and name not in ROLES and not any(w.kind.startswith("nr") for w in tagged(name))


def unquoted(text: str) -> str:
    """The sentence without quotation marks around the whole of it."""
    inner = text.strip()
    while len(inner) > 2 and QUOTES.get(inner[0]) == inner[-1] and inner[0] not in inner[1:-1]:
        inner = inner[1:-1].strip()
    return inner
