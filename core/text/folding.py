"""Text as a reader takes it: wide and styled letters are plain ones, case and invisible characters tell nothing.

Law: pure, and character by character, so that a place in the folded text is one in the text.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)
"""What Unicode ignores by default, beside the characters that only direct others (category Cf)."""
DISGUISED = re.compile(
    "[\xaa\xad\xba\u0132\u0133\u013f\u0140\u0149\u017f\u01c4-\u01cc\u01f1-\u01f3"
    "\u02b0-\u02b8\u02e1-\u02e3\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u1d2c-\u1dbf\u1e9a\u200b-\u200f\u202a-\u202e\u2060-\u209c\u20a8\u2100-\u218b\u2460-\u24ff\u2c7c\u2c7d"
    "\u3164\u3200-\u33ff\ua7f2-\ua7f9\uab5b-\uab69\ufb00-\ufb06\ufe00-\ufe0f\ufe30-\ufe6b\ufeff\uff03\uff1c\uff21-\uff5a"
    "\uffa0\ufff0-\ufffb\U000107a0-\U0001f19a\U000e0000-\U000e0fff]"
)
"""Finds what folds to nothing, or into letters, `<` or `#` of ASCII, by more than its case; and some beside that does
not: few ranges are quicker to look through than many."""


def folded(text: str) -> str:
    """Returns the text by its compatible characters (NFKC) in lower case, without what is not seen."""
    return text.translate(_FOLDS)


def is_disguised(text: str) -> bool:
    """Checks whether the text may say more in ASCII, folded, than it does in lower case."""
    return not text.isascii() and DISGUISED.search(text) is not None


def places(text: str, starts: Iterable[int]) -> list[int]:
    """Returns for places in the folded text those of the characters in the text that stand there."""
    ends = list(accumulate(len(folded(character)) for character in text))
    return [bisect_right(ends, start) for start in starts]


class _Folds(dict[int, str]):
    """What each character folds to, worked out where it is first met; those of the first plane alone stay."""

    def __missing__(self, code: int) -> str:
        plain = "".join(filter(_is_seen, unicodedata.normalize("NFKC", chr(code)).lower()))
        if code < 0x10000:
            self[code] = plain
        return plain


def _is_seen(character: str) -> bool:
    if INVISIBLE.match(character):
        return False
    return unicodedata.category(character) != "Cf"


_FOLDS = _Folds()
