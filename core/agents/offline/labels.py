"""Labels of groups of texts: the words that tell each from the others.

Law: pure; a label is made of whole words and names as they stand in the texts.
"""

from collections.abc import Sequence

from core.agents.offline.keywords import keywords, spread
from core.text.scripts import is_chinese

WORDS = 3


def labels(groups: Sequence[Sequence[str]]) -> list[str]:
    """Returns of each group up to WORDS words that say what it is about; empty where it has none."""
    others = spread(text for texts in groups for text in texts)
    return [_label(texts, keywords(texts, others, most=WORDS)) for texts in groups]


def _label(texts: Sequence[str], words: Sequence[str]) -> str:
    return ("、" if is_chinese("".join(texts)) else ", ").join(words)
