"""The bracket behind a label that names what it is related to, in any language.

Law: pure.
"""

import re

from core.language import LANGUAGES
from core.language.phrases import Phrases

_STOPS = "".join(language.marks.stop for language in LANGUAGES)


def _spelled(phrases: Phrases) -> str:
    """Returns the pattern of a bracket, its names in a group."""
    before, after = phrases.topics.related.split("{}")
    brackets = re.escape(phrases.marks.aside.strip().replace("{}", ""))
    return f"{re.escape(before)}([^{brackets}]+){re.escape(after)}"


RELATION = re.compile(
    rf"(?:{'|'.join(_spelled(each.phrases) for each in LANGUAGES)})(?P<stop>[{re.escape(_STOPS)}]?)\Z"
)
