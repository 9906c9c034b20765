"""What a step came to, in few words: at most two sentences, in so many tokens as a line for each step may take.

Law: pure; words stand as they were said.
"""

from core.language import language_of
from core.text.sentences import split
from core.text.tokens import estimate

SENTENCES = 2
TOKENS, UNSPACED_TOKENS = 60, 120
"""Words that stand apart are read in fewer tokens."""
REST = "…"


def is_brief(text: str) -> bool:
    """Whether a text is short enough to stand whole."""
    return estimate(text) <= limit(text) and len(split(text)) <= SENTENCES


def brief(text: str) -> str:
    """Returns the first sentences that fit, on one line; of one that is too long its beginning."""
    most = limit(text)
    sentences = [" ".join(sentence.split()) for sentence in split(text)[:SENTENCES]]
    gap = language_of(text).marks.gap
    while len(sentences) > 1 and estimate(gap.join(sentences)) > most:
        sentences.pop()
    told = gap.join(sentences)
    return told if estimate(told) <= most else _beginning(told, most)


def limit(text: str) -> int:
    """Returns the tokens that a step's result may take in the language of a text."""
    return TOKENS if language_of(text).is_spaced else UNSPACED_TOKENS


def _beginning(text: str, most: int) -> str:
    """Returns as much of a sentence as fits, to the end of a word."""
    least, beyond = 0, len(text)
    while beyond - least > 1:
        middle = (least + beyond) // 2
        if estimate(text[:middle] + REST) <= most:
            least = middle
        else:
            beyond = middle
    head = text[:least]
    whole = head.rpartition(" ")[0] if text[least].isascii() and text[least].isalnum() else head
    return (whole or head).rstrip() + REST
