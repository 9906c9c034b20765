"""Whether a text ends by asking.

Law: pure; goes by the mark, not by the words. A caption in brackets and what is no word behind the mark
(quotes, emoji) do not hide it.
"""

import re

_ENDS_ASKING = re.compile(r"[?？]\W*(?:[\[(（【][^\])）】]*[\])）】]\W*)?$")
_TAIL = 400  # code points that are looked at: a caption is not longer


def asks(text: str) -> bool:
    """Whether the last thing said is a question: "And you?" is, "Really? Me too." is not."""
    return _ENDS_ASKING.search(text[-_TAIL:]) is not None
