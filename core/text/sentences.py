"""Where sentences lie in a text, as places in it: by the rules of English and Chinese, else by Unicode's end marks.

Law: a sentence is a slice of the text, never rewritten: spans are ordered, do not overlap, hold
no surrounding white space and leave out nothing but white space. Any text may come in.

A line break ends a sentence unless the line was evidently wrapped: it ends in mid-word, or is at least `WRAP_WIDTH`
columns wide, without an end mark, and not followed by what starts a line of its own (list item, heading,
table row, speaker, quotation, fence).
"""

import re

from core.language.sentence_ends import OTHERS
from core.text.outline import LINE
from core.text.scripts import display_width
from core.text.words import words

WRAP_WIDTH = 50  # columns; prose is wrapped at 60 and more, titles and list items are mostly shorter

# What starts a line of its own whatever came before. A speaker is up to four short words and a colon.
LINE_OPENER = re.compile(
    r"[ \t\u3000]*(?:[-*+•·▪◦–—][ \t]|#{1,6}[ \t]|[>|]|```|~~~|[-=*_]{3,}[ \t]*$"
    r"|\(?\d{1,3}(?:\.(?!\d)|[)、）])[ \t]?|[（(]?[一二三四五六七八九十]{1,3}[、）)]|\(?[a-zA-Z][.)][ \t]"
    r"|\[[^\]\n]{1,40}\]|第[一二三四五六七八九十百\d]{1,4}[章节条部篇]"
    r"|[^\s:：.!?,。！？，]{1,20}(?:[ \t][^\s:：.!?,。！？，]{1,20}){0,3}[ \t]?[:：](?!//))",
    re.MULTILINE,
)
NAME_AT_END = re.compile(r"[a-z,] [A-Z][a-z]+$|(?:^|\s)[A-Z]\.$")
INITIAL_AT_END = re.compile(r"(?:\s(?!I\.)[A-Z]|\b(?:Dr|Mr|Mrs|Ms|Prof|St|cf|vs|Fig|No))\.$")
INITIAL_AT_START = re.compile(r"[ \t]*[A-Z]\.[ \t]+(?:[A-Z]\.[ \t]+)*[A-Z][a-z]")
BROKEN = re.compile(r"[^\W\d_][-\u2010\u00ad]$")
SPOKEN = re.compile(r"[ \t]*[^\W\d_]+[:：](?!//)")  # a message of a transcript begins
LIST_NUMBER = re.compile(r"\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,4})[.)]")

CLOSERS = "\"'”’»」』》）)]】*_"
CITED = (
    r"\[\^?\d{1,3}(?:[,，–-] ?\^?\d{1,3})*\]|【\d{1,3}(?:†[^】\n]{0,40})?】|[¹²³⁰⁴-⁹]+"  # "… high.[1] It …"
)
_BEHIND = rf"(?P<closers>[{re.escape(CLOSERS)}]*)(?P<cited>(?:{CITED})*)"
END = re.compile(rf"(?P<mark>[。！？｡]+|；|…+|[.!?！？]+|[{OTHERS}]+){_BEHIND}")
END_OF_STORED = re.compile(rf"(?P<mark>[。！？｡]+|；|…+|[.!?！？]+){_BEHIND}")
"""Segments are stored cut so, and their vectors in their order: they go on being cut so."""

# Never the end of a sentence: something must follow.
OPEN_ABBREVIATIONS = words(
    "dr mr mrs ms mx prof rev hon gen col lt sgt capt sen rep gov pres st mt ft vs cf viz e.g i.e eg ie al"
    " fig figs eq sec ch vol nos pp ed eds approx ca dept univ assn resp incl esp ref refs"
)
# May end one: then what follows looks like a beginning.
CLOSED_ABBREVIATIONS = words(
    "inc ltd co corp jr sr etc esq ph.d m.d b.a m.a b.sc m.sc a.m p.m u.s u.k e.u u.n d.c u.s.a bros llc plc"
    " jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun"
    " min max avg est temp tel ext no"
)
LONGEST_ABBREVIATION = 6
BEGINNINGS = words(
    "the a an this that these those he she it we they you i his her its our their your my there here in on at"
    " by for from with after before when while if although though because since as but and so yet or however"
    " meanwhile then later now today what who why how where which one some many most all both each no not"
)
OPENERS = "([\"“‘'（「『"
WORD_AFTER = re.compile(r"[\s\"“‘'(\[]*([A-Za-z]+)")
ACRONYM = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]")
SPEECH_TAG = re.compile(r"[\u4e00-\u9fff]{1,5}?[说道问答喊]")  # “…！”他说
CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


def split(text: str) -> list[str]:
    """Returns the sentences of `text`, verbatim and in order, without surrounding white space."""
    return [text[start:end] for start, end in spans(text)]


def spans(text: str, ends: re.Pattern[str] = END) -> list[tuple[int, int]]:
    """Returns the places of the sentences: (start, end) in code points, ordered, apart from each other."""
    found: list[tuple[int, int]] = []
    for start, end in _blocks(text):
        begin = start
        for stop in _stops(text, start, end, ends):
            _keep(text, begin, stop, found)
            begin = stop
        _keep(text, begin, end, found)
    return found


def _blocks(text: str) -> list[tuple[int, int]]:
    """Runs of lines that may hold a sentence across a line break."""
    blocks: list[tuple[int, int]] = []
    previous = ""
    for line in LINE.finditer(text):
        shown = line.group().strip()
        if not shown:
            continue
        joined = bool(blocks) and _continues(previous, text[blocks[-1][1] : line.start()], line.group())
        if joined:
            blocks[-1] = (blocks[-1][0], line.end())
        else:
            blocks.append((line.start(), line.end()))
        previous = shown
    return blocks


def _continues(previous: str, gap: str, line: str) -> bool:
    """Whether `line` goes on with the sentence that the `previous` line was wrapped in."""
    if gap not in ("\n", "\r\n") or previous.startswith(("#", "|")):
        return False
    if BROKEN.search(previous) and line.lstrip()[:1].islower():
        return SPOKEN.match(line) is None
    if display_width(previous) >= WRAP_WIDTH and _names_on(previous, line):
        return True
    if display_width(previous) < WRAP_WIDTH or previous.rstrip(CLOSERS)[-1:] in set(".!?。！？；…:："):
        return False
    return LINE_OPENER.match(line) is None


def _names_on(previous: str, line: str) -> bool:
    """Whether a name goes on in the next line: "… by Sarita" / "V. Adve", "… by Sarita V." / "Adve"."""
    if SPOKEN.match(line):
        return False
    if INITIAL_AT_END.search(previous):
        return line.lstrip()[:1].isupper()
    return bool(NAME_AT_END.search(previous) and INITIAL_AT_START.match(line))


def _stops(text: str, start: int, end: int, ends: re.Pattern[str]) -> list[int]:
    """Returns where sentences end inside one block; the block's own end is not among them."""
    list_number = LIST_NUMBER.match(text, start + _indent(text, start, end), end)
    first = list_number.end() if list_number else start
    return [mark.end() for mark in ends.finditer(text, first, end) if _ends(text, mark, start, end)]


def _ends(text: str, mark: re.Match[str], start: int, end: int) -> bool:
    signs, after = mark["mark"], mark.end()
    following = text[after : after + 1] if after < end else " "
    if signs[0] in OTHERS:
        return True
    if signs[0] in "。！？｡；" or signs[-1] in "！？":
        quoted_inside = following in set("，、,；;：:的") or SPEECH_TAG.match(text, after, end) is not None
        return not (mark["closers"] and quoted_inside)
    if signs[0] == "…" or signs == "..":
        return following.isspace() and not _goes_on(text, after, end)
    beside_chinese = (
        CJK.match(following) is not None and CJK.match(text[mark.start() - 1 : mark.start()]) is not None
    )
    if not following.isspace() and not beside_chinese:
        return False
    if signs == ".":
        return not _abbreviates(text, mark.start(), start, after, end)
    if signs.startswith("..") or mark["closers"]:
        return not _goes_on(text, after, end)
    return True


def _goes_on(text: str, after: int, end: int) -> bool:
    """Whether what follows starts in lower case, as after an ellipsis or a quotation in mid-sentence."""
    return text[after : min(end, after + 8)].lstrip()[:1].islower()


def _abbreviates(text: str, stop: int, start: int, after: int, end: int) -> bool:
    """Whether the full stop at `stop` belongs to an abbreviation, an initial or the like."""
    before = text[max(start, stop - 24) : stop].rsplit(None, 1)
    word = before[-1].lstrip(OPENERS) if before and not text[stop - 1].isspace() else ""
    if not word or len(word) > LONGEST_ABBREVIATION:
        return False
    plain = word.lower()
    if plain in OPEN_ABBREVIATIONS:
        return True
    next_word = WORD_AFTER.match(text, after, min(end, after + 40))
    if plain == "no" and next_word is None:
        return text[after : min(end, after + 4)].lstrip()[:1].isdigit()
    initial = len(word) == 1 and word.isalpha() and word.isupper() and word != "I"
    if initial or plain in CLOSED_ABBREVIATIONS - {"no"} or ACRONYM.fullmatch(word):
        return after < end and (next_word is None or not _begins(next_word.group(1)))
    return False


def _begins(word: str) -> bool:
    return word[0].isupper() and word.lower() in BEGINNINGS


def _indent(text: str, start: int, end: int) -> int:
    return len(text[start:end]) - len(text[start:end].lstrip())


def _keep(text: str, start: int, end: int, found: list[tuple[int, int]]) -> None:
    piece = text[start:end]
    begin = start + len(piece) - len(piece.lstrip())
    finish = begin + len(piece.strip())
    if begin < finish:
        found.append((begin, finish))
