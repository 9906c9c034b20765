"""Whether a text only says that something was heard.

Law: pure; goes by the whole text. A text that says anything besides is no acknowledgement, and neither is "no".
"""

import re

from core.language import cue

_GAP = r"[\W_]*"
_ONLY = re.compile(rf"{_GAP}(?:(?:{cue('acknowledged').pattern}){_GAP})+")
_LONGEST = 40  # code points that are looked at: what is longer says something


def acknowledges(text: str) -> bool:
    """Whether a text is nothing but an acknowledgement: "OK, thanks!" and 好的。 are, "Noted: 900 euros." is not."""
    return len(text) <= _LONGEST and _ONLY.fullmatch(text.replace("’", "'").casefold()) is not None
