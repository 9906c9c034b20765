"""Whether a sentence is a standing order: how an assistant is to answer from now on, whatever is asked.

Law: pure; by the words that begin and end it. An order of the moment, one that is bound to a time or to one talk, and
what somebody does always are none.
"""

import re

from core.language import cue

_ORDER = cue("order", re.IGNORECASE | re.DOTALL)
_BOUND = cue("order_bound", re.IGNORECASE)
_ITEM = "-*•> "


def is_standing_order(sentence: str) -> bool:
    """Whether a sentence says how to answer from now on."""
    text = sentence.strip().lstrip(_ITEM)
    return _ORDER.match(text) is not None and _BOUND.search(text) is None
