"""Sentences to statements: marks off, the speaker apart, then by the language's reader.

Law: pure; the same sentence reads the same, and nothing read is remembered.
"""

import re
from dataclasses import replace

from core.agents.offline.claims import chinese, english
from core.agents.offline.claims.mood import mood
from core.agents.offline.claims.statement import Statement
from core.agents.offline.entities import names_entity
from core.text import citation
from core.text.chinese import tagged
from core.text.scripts import is_chinese

LONGEST = 600  # characters that are read; laying terms side by side costs their number squared

LIST_MARK = re.compile(
    r"\s*(?:(?:[-*+•·▪]|#{1,6}|\(?\d{1,3}[.)、）](?!\d)|\(?[a-zA-Z]\)|[（(]?[一二三四五六七八九十]{1,3}[、）)])\s*)+"
)
MARKUP = re.compile(r"\*\*|__|`")
SPEAKER = re.compile(
    r"([A-Za-z\u4e00-\u9fff][^\s:：,，。.!?]{0,20}(?: [^\s:：,，.!?]{1,20}){0,2})"
    r"\s*(?:(?<!\d)[:：]|[:：](?![0-5]\d(?!\d)))\s*(?=\S)(?!//)"  # a time of day has no speaker before its colon
)
HEADING = re.compile(r"\s*#{1,6}\s")
LABEL = re.compile(r"\s*(?:\*\*|__|`)?[^*`]{1,60}(?:[:：]\s*(?:\*\*|__|`)|(?:\*\*|__|`)\s*[:：])")
NOT_PROSE = re.compile(r"[=→←|{}\[\]<>]| [+·] |[:：]\s*$")
RULING = re.compile(  # what a sentence goes by is not who says it
    r"以[^：:，,。]{1,24}为准\s*[：:，,]\s*|(?:结论|经核实|核实结果|验证结果|验证结论)\s*[：:，,]\s*"
    r"|(?:verdict|conclusion|correction)\s*:\s*"
    r"|(?:据|根据)?[^，。：:]{0,8}(?:志|史|报|报告|碑文|题记|文献|资料|档案)(?:中|上|里)?(?:记载|载|写道|写明|显示)[：:，,]?(?=.*\d)",
    re.IGNORECASE,
)
PROVISO = re.compile(  # a rule that leaves room for others
    r"\b(?:provided that|unless|except (?:as|that|if|when))\b|除非|另有规定|前提是", re.IGNORECASE
)
DEFINES = re.compile(  # The "Program", below, refers to …; “软件”是指……
    r"(?:to |a |an |the )?[\"“「](?P<term>[^\"“”「」]{1,60})[\"”」][^.;。；]{0,60}?"
    r"(?:\b(?:means?|refers? to|is defined as|includes)\b|是指|指的是|系指|指)",
    re.IGNORECASE,
)
JOINED = re.compile(  # where one sentence ends and another begins: ", and the rent …", ", our contact …"
    r"(?:[,;]\s+(?:and|but|so)\s+|;\s+|,\s+(?=(?:our|my|I|I['’]\w+|we|he|she|they|it was)\s))"
    r"(?:it turns out (?:that )?)?"
    r"(?=(?:I|I['’]\w+|we|he|she|they|it|the|my|our|his|her|their|an?|please|[A-Z][a-z]+\.?)\s)"
)
MOST_PARTS = 4
ROLES = frozenset({"用户", "助手", "系统"})
QUOTES = {'"': '"', "“": "”", "「": "」", "『": "』", "‘": "’", "'": "'"}


def read(sentence: str) -> Statement:
    """Takes a sentence apart. List marks and quotation marks around the whole are not part of it.

    Of a very long sentence only the beginning is read.
    """
    start = sentence[:LONGEST]
    mark = LIST_MARK.match(start)
    inner = unquoted(citation.stripped(MARKUP.sub("", start[mark.end() :] if mark else start)))
    ruling = RULING.match(inner)
    inner = inner[ruling.end() :] if ruling else inner
    spoken = speaker(inner)
    said = inner[spoken.end() :] if spoken else inner
    found = chinese.statement(said) if is_chinese(said) else english.statement(said)
    defined = DEFINES.match(said)
    found = replace(
        found,
        mood=mood(said),
        conditional=found.conditional or PROVISO.search(said) is not None,
        defines=defined["term"].lower() if defined else "",
    )
    if not found.chinese and not found.question:
        found = replace(found, parts=_parts(said))
    if spoken:
        name = spoken.group(1).strip()
        found = replace(
            found, speaker=name.lower(), labelled=_is_label(start, mark.end() if mark else 0, name)
        )
        parts = tuple(replace(part, speaker=found.speaker, labelled=found.labelled) for part in found.parts)
        found = replace(found, parts=parts)
    return replace(found, proposition=False) if NOT_PROSE.search(inner) or HEADING.match(start) else found


def _parts(said: str) -> tuple[Statement, ...]:
    """Reads the sentences that an English one joins, if it joins several, each by itself."""
    cut = JOINED.split(said)
    if len(cut) == 1 or len(cut) > MOST_PARTS:
        return ()
    return tuple(replace(english.statement(part), mood=mood(part)) for part in cut)


def speaker(text: str, start: int = 0) -> re.Match[str] | None:
    """Returns the speaker (group 1) and the colon, where a line that begins at `start` names one."""
    found = SPEAKER.match(text, start)
    return None if found is None or _tells(found.group(1)) else found


def _tells(name: str) -> bool:
    """Whether what stands before a colon is itself what is said: 李娜会说三种语言：…, but not 李娜说：…."""
    if name.endswith("了"):
        return True
    cut = tagged(name) if is_chinese(name) else []
    return bool(cut) and cut[0].kind.startswith("nr") and any(word.kind == "v" for word in cut[1:-1])


def _is_label(sentence: str, start: int, name: str) -> bool:
    """Whether a name before a colon is marked up as a label, names a firm or the like, or is a Chinese one that no
    person has."""
    if LABEL.match(sentence, start) or names_entity(name):
        return True
    return is_chinese(name) and name not in ROLES and not any(w.kind.startswith("nr") for w in tagged(name))


def unquoted(text: str) -> str:
    """Returns the sentence without quotation marks around the whole of it."""
    inner = text.strip()
    while len(inner) > 2 and QUOTES.get(inner[0]) == inner[-1] and inner[0] not in inner[1:-1]:
        inner = inner[1:-1].strip()
    return inner
