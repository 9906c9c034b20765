"""What an answer out of a text is worth: the sentence that shares most rare words with the question, by F1 and BLEU-1.

Law: pure. One reader for all texts, so that only what stands in them differs. F1 is the harmonic mean of the precision
and recall of words (Rajpurkar et al. 2016, "SQuAD"), BLEU-1 the precision of words with its brevity penalty (Papineni
et al. 2002). Of Chinese each character is a word.
"""

from collections import Counter
from math import exp, log
from typing import NamedTuple

from core.text import sentences
from core.text.analysis import terms
from core.text.scripts import HAN
from core.text.wording import words_of


class Worth(NamedTuple):
    """Shares, 0 to 1."""

    f1: float
    bleu1: float


def worth_of(question: str, text: str, wanted: str) -> Worth:
    """Returns what the likest sentence of a text is worth as the answer that is wanted."""
    return compared(likest(question, text), wanted)


def likest(question: str, text: str) -> str:
    """Returns the sentence that shares most rare words with a question, the first of several; empty without any."""
    told = [one for line in text.splitlines() for one in sentences.split(line)]
    words = [frozenset(terms(one)) for one in told]
    held = Counter(word for each in words for word in each)
    asked = {word: log(1 + len(told) / held[word]) for word in set(terms(question)) if word in held}
    scores = [sum(asked.get(word, 0.0) for word in each) for each in words]
    best = max(range(len(told)), key=lambda place: scores[place], default=None)
    return told[best] if best is not None and scores[best] > 0.0 else ""


def compared(said: str, wanted: str) -> Worth:
    ours, theirs = _words(said), _words(wanted)
    shared = sum((Counter(ours) & Counter(theirs)).values())
    if not shared:
        return Worth(0.0, 0.0)
    precision, recall = shared / len(ours), shared / len(theirs)
    brevity = min(1.0, exp(1.0 - len(theirs) / len(ours)))
    return Worth(2 * precision * recall / (precision + recall), brevity * precision)


def _words(text: str) -> list[str]:
    return HAN.sub(r" \g<0> ", words_of(text)).split()
