"""Where a talk turns: what was decided, what changed, what came of something.

Law: pure; by the words that say so.
"""

import re

from core.language import cue

_DECIDED, _CHANGED, _CAME_OF_IT = (cue(name, re.IGNORECASE) for name in ("decided", "changed", "came_of_it"))


def turns_on(text: str) -> bool:
    """Whether a sentence tells of a decision, a change, or a result."""
    return any(sign.search(text) for sign in (_DECIDED, _CHANGED, _CAME_OF_IT))


def changes(text: str) -> bool:
    """Whether a sentence tells that something is not as it was said before."""
    return _CHANGED.search(text) is not None
