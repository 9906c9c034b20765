"""What a prompt is told by: its tags, its headings, its note on what is recorded. Recorded text may look like none.

Law: pure. A sign is found however it is spelled: in wide letters, in capitals, with characters between that are not
seen. One character of it is shown as another, in its place, so the text keeps its length.
"""

import re
from collections.abc import Iterator
from functools import cache

from core.language import LANGUAGES
from core.text.folding import folded, is_disguised, places

SHOWN = "‹"
"""Stands for the `<` of a tag, the first `#` of a heading of two, the comma of the note."""
TAG = re.compile(r"(<)(?=\s*(?:/\s*)?(?:agent_memory|memory_guidelines)\b)")
NOTES = tuple(language.headings.recorded_sign for language in LANGUAGES)
NOTED = tuple(language.headings.recorded_word for language in LANGUAGES)
ENDS = r"\n\v\f\r\x1c-\x1e\x85\u2028\u2029"
"""What ends a line, as for `str.splitlines`."""
GAP = rf"[^\S{ENDS}]*+"
DEEPEST = 80
"""Characters that a heading may be indented by."""


def as_data(text: str) -> str:
    """Returns recorded text as a prompt shows it: with what looks like a sign of the frame changed in one character.

    Text without what a sign cannot do without is only looked through for that.
    """
    seen = text.lower()
    is_plain = text.isascii() or (len(seen) == len(text) and not is_disguised(text))
    if not is_plain:
        seen = folded(text)
    if "<" not in seen and "#" not in seen and not any(word in seen for word in NOTED):
        return text
    found = [place for sign in (TAG, *NOTES) for place in _starts(sign, seen)]
    found += [place for place in _starts(_heading(), seen) if _begins_line(seen, place)]
    if not found:
        return text
    shown = list(text)
    for place in found if is_plain else places(text, found):
        shown[place] = SHOWN
    return "".join(shown)


def _starts(sign: re.Pattern[str], seen: str) -> Iterator[int]:
    return (match.start(1) for match in sign.finditer(seen))


def _begins_line(text: str, place: int) -> bool:
    before = text[max(0, place - DEEPEST) : place]
    gap = before[len(before.rstrip()) :]
    return gap == before or len(f"{gap}#".splitlines()) > 1


@cache
def _heading() -> re.Pattern[str]:
    """Returns the pattern of a heading that is one of the prompt's own, wherever it stands."""
    headings = (each for one in LANGUAGES for each in (one.headings, one.task_headings))
    titles = sorted({title for each in headings for title in each.titles})
    spelled = "|".join(r"\s+".join(map(_either, title.lower().split())) for title in titles)
    return re.compile(rf"(#)(?<!##)#(?!#){GAP}(?:{spelled})(?={GAP}#*+{GAP}(?:[.:。：{ENDS}]|\Z))")


def _either(word: str) -> str:
    """Returns a pattern of the word as it is, and as it is folded."""
    both = ((re.escape(each), re.escape(folded(each))) for each in word)
    return "".join(one if one == other else f"(?:{one}|{other})" for one, other in both)
