"""Which sentences of a text carry its information.

Law: pure; scores are comparable within one call only. Score: tf-idf of the terms over the root of
their number, times cues (figures, dates, names, prices and terms speak for a sentence; questions,
addresses and announcements against it). Choice: maximal marginal relevance (Carbonell and Goldstein 1998).
"""

import heapq
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence

from core.language import cue
from core.text import analysis
from core.text.scripts import display_width

DIVERSITY = 0.5  # how much of a score is lost by saying again what was chosen already
FEW_TERMS = 4  # below that, a sentence hardly says anything

DIGIT = re.compile(r"\d")
NAME = re.compile(r"(?<=[\w,;] )[A-Z][\w-]+|\b[A-Z]{2,}\b|《[^》]+》|“[^”]+”")
QUESTION = re.compile(r"[?？][\"'”’)）]*\s*$")
ANNOUNCEMENT = re.compile(r"[:：][*_]*\s*$")
DATE = cue("date")
OFFERED, CONTACT = cue("offered", re.IGNORECASE), cue("contact", re.IGNORECASE)


def scores(sentences: Sequence[str], topic: str = "") -> list[float]:
    """Returns how informative each sentence is, from 0 up; up to a third more for words of `topic`."""
    on_topic = frozenset(analysis.terms(topic))
    read = [Counter(analysis.terms(sentence)) for sentence in sentences]
    seen_in = Counter(term for terms in read for term in terms)
    total = len(sentences)
    found = []
    for sentence, terms in zip(sentences, read, strict=True):
        weight = sum((1 + math.log(n)) * math.log(1 + total / seen_in[term]) for term, n in terms.items())
        share = len(on_topic & terms.keys()) / max(FEW_TERMS, len(terms))
        found.append(weight / math.sqrt(max(FEW_TERMS, terms.total())) * _cues(sentence) * (1 + share / 3))
    return found


def _cues(sentence: str) -> float:
    cue = 1.0
    cue += 0.25 * bool(DIGIT.search(sentence))
    cue += 0.15 * bool(DATE.search(sentence))
    cue += 0.10 * min(2, len(NAME.findall(sentence)))
    if QUESTION.search(sentence):
        cue *= 0.3
    if OFFERED.search(sentence):
        cue += 0.3
    elif CONTACT.search(sentence):
        cue *= 0.3
    if ANNOUNCEMENT.search(sentence):
        cue *= 0.5
    return cue


def chosen(
    sentences: Sequence[str],
    worth: Sequence[float],
    room: int,
    taken: Sequence[str] = (),
    width: Callable[[str], int] = display_width,
) -> list[int]:
    """Returns the indexes, ascending, of the best sentences with different content that fit `room` columns.

    `worth`: of each, 0 or more. `taken` are sentences that stand already: what repeats them counts less. At least one
    is chosen.
    """
    read = [frozenset(analysis.terms(sentence)) for sentence in sentences]
    stands = [frozenset(analysis.terms(sentence)) for sentence in taken]
    repeated = [max((overlap(terms, other) for other in stands), default=0.0) for terms in read]
    compared = [0] * len(sentences)  # with how many of the picked: later ones only lower what it is worth
    waiting = [(-worth[i] * (1 - DIVERSITY * repeated[i]), i) for i in range(len(sentences))]
    heapq.heapify(waiting)
    picked: list[int] = []
    while waiting:
        _, best = heapq.heappop(waiting)
        if picked and width(sentences[best]) > room:
            continue
        if read[best] and repeated[best] < 1.0 and compared[best] < len(picked):
            since = (overlap(read[best], read[each]) for each in picked[compared[best] :])
            repeated[best] = max(repeated[best], *since)
            compared[best] = len(picked)
            heapq.heappush(waiting, (-worth[best] * (1 - DIVERSITY * repeated[best]), best))
            continue
        room -= width(sentences[best])
        picked.append(best)
    return sorted(picked)


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Returns how much of the smaller set of terms lies in the other, 0 to 1."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 0.0
