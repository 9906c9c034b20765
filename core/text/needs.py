"""Whether an input needs anything from memory: a greeting, thanks, assent or goodbye does not.

Law: pure. A closed class: what holds a single word besides those of `core/language/*/needless.txt` has a need, as has
any other language. So "Thanks, and the ferry?" has one, and so has "How much?".
"""

import re
from functools import cache

from core.language import in_all

MOST_WORDS = 8
LONGEST = 60  # code points that are looked at: what is longer says something
_WIDE = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def has_need(text: str) -> bool:
    """Whether anything recorded may bear on an input: on "Thanks a lot!", 好的，谢谢！ and no word nothing
    does."""
    if len(text) > LONGEST or len(_WORD.findall(text)) > MOST_WORDS:
        return True
    return _needless().fullmatch(text.replace("’", "'").casefold()) is None


@cache
def _needless() -> re.Pattern[str]:
    listed = sorted(map(str.casefold, in_all("needless")), key=len, reverse=True)
    spelled = "|".join(
        re.escape(entry) if _WIDE.match(entry) else rf"\b{re.escape(entry)}\b" for entry in listed
    )
    return re.compile(rf"[\W_]*(?:(?:{spelled})[\W_]*)*")
