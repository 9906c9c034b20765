"""Whether a line is the title of what follows: a page's, a document's, a list of results'.

Law: pure; looks at forms. What has a figure with its unit is a fact, however short.
"""

import re

from core.language import language_of
from core.text import outline
from core.text.scripts import display_width

WIDEST = 80  # columns
WIDEST_UNSPACED = 40

LABELLED = re.compile(
    r"\s*(?:[-*>#]+\s*)?(?:\*\*)?(?:page title|title|headline|subject|url|link|source|website"
    r"|标题|题目|题名|主题|网址|链接|来源|出处)(?:\*\*)?\s*[:：]",
    re.IGNORECASE,
)
SITE = re.compile(r"\S\s+[-–—|·]\s+[A-Z\u4e00-\u9fff][^.。!?！？]*$")
RESULTS = re.compile(
    r"(?:search )?results? (?:for|of)\b|top \d+ results|page \d+\b|搜索结果|检索结果|第\d+页", re.IGNORECASE
)
ENDS = tuple(".。!！?？;；,，:：…")
FIGURE = re.compile(
    r"\d[\d,.]*\s*(?!年|月|日|版|章|节|期|届|号)(?:[^\W\d_]|[%％°$€£¥])|[$€£¥]\s?\d|\d[\d,.]*\s*$"
)
YEAR = re.compile(r"(?:1[5-9]|20)\d\d(?:[-–](?:1[5-9]|20)?\d\d)?")
MARKED = re.compile(r"\s*(?:[-*+•>|\[({`]|\d{1,3}[.)、])")
NEAR = 80  # code points around the line that are looked at
SMALL = 3  # letters up to which a word of a title may be small


def is_title(content: str, start: int, line: str) -> bool:
    """Whether the line that begins at `start` heads what follows it."""
    if LABELLED.match(line):
        return True
    shown = line.strip()
    behind = content[start + len(line) : start + len(line) + NEAR]
    if not behind.strip() or shown.endswith(ENDS) or MARKED.match(line) or outline.speaker_of(line):
        return False
    before = content[max(0, start - NEAR) : start]
    if before.strip() and not before.rstrip(" \t").endswith("\n\n"):
        return False
    return _reads_so(shown)


def _reads_so(shown: str) -> bool:
    if RESULTS.match(shown):
        return True
    if FIGURE.search(YEAR.sub("", shown)):
        return False
    if not language_of(shown).is_spaced:
        return display_width(shown) <= WIDEST_UNSPACED and "，" not in shown
    if display_width(shown) > WIDEST:
        return False
    words = [word for word in re.findall(r"[^\W\d_][\w'’-]*", shown) if len(word) > SMALL]
    return bool(SITE.search(shown)) or bool(words) and all(word[0].isupper() for word in words)


def subject(title: str) -> str:
    """Returns the subject that a title gives its lists: nothing, of a link or a page of results."""
    return "" if LABELLED.match(title) or RESULTS.match(title.strip()) else title.strip()
