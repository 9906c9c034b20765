"""Whether two sentences are about one thing, by what each stands under.

Law: pure, and symmetric. Entries of one form (product sheets, minutes, invoices) under other headings are of two
things, and under other dates they are a series: between them nothing is concluded, however alike they are written. What
is worded otherwise may be about one thing under any two headings, as two texts about one matter have two titles.
"""

from difflib import SequenceMatcher

from core.agents.offline.judging.sentences import Sentence, words
from core.language import language_of
from core.text.analysis import terms
from core.text.quantities import skeleton

ALIKE = 0.6  # of two sentences' words, quantities by their kinds, from which they are written alike


def are_entries(a: Sentence, b: Sentence) -> bool:
    """Whether two sentences are entries of one form, each of another thing."""
    return differ(a, b) and alike(a.stated, b.stated) >= ALIKE


def differ(a: Sentence, b: Sentence) -> bool:
    """Whether each context names what the other side does not, or both stand under other dates."""
    if a.times and b.times and a.times != b.times:
        return True
    return _names_more(a, b) and _names_more(b, a)


def _names_more(a: Sentence, b: Sentence) -> bool:
    """Whether a sentence's context names what the other sentence and its context do not, in any form of the word."""
    return any(word not in b.context and not _has(b, word) for word in a.context)


def _has(sentence: Sentence, word: str) -> bool:
    """Whether a sentence has a word in any form; the letter of "Firm A" has one."""
    if not language_of(word).is_spaced:
        return word in sentence.text
    found = terms(word)
    return sentence.terms.issuperset(found) if found else word in words(sentence.text.lower())


def alike(a: str, b: str) -> float:
    """Returns how far two sentences are written alike, 0 to 1."""
    ours, theirs = ([word.lower() for word in words(skeleton(text))] for text in (a, b))
    return SequenceMatcher(None, ours, theirs, autojunk=False).ratio()
