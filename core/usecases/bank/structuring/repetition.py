"""Repetitions of refuted statements, found by their words: they are marked without an opinion of the Judge.

Law: reads the bank, changes nothing. A repetition is a sentence with nearly all the words of a refuted one, the value
included, that is no question, expresses no doubt, and does not have the value that the verdict left standing. What
brings news (a date after the verdict's, a source that had no part) is not marked: the Judge may open the point again.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from core.bank.bank import Bank
from core.bank.steps import SegmentRefute
from core.ids import ConflictId, SegmentRef
from core.model.conflict import Conflict
from core.text import sentences
from core.text.analysis import terms
from core.text.questions import asks
from core.usecases.bank.structuring.settled import brings_news, repeats_value

SHARED = 0.8  # of a refuted sentence's terms
LIKEST = 8  # segments with the same words that are looked at for one sentence
MOST_REPETITIONS = 50  # segments in which a sentence just refuted is looked for
DOUBTS = re.compile(
    r"\b(?:not|no|never|wrong(?:ly)?|false(?:ly)?|incorrect(?:ly)?|mistaken(?:ly)?|untrue|errors?)\b|n['’]t\b"
    r"|[不没未非误错假谣否]",
    re.IGNORECASE,
)


def repetitions_in(bank: Bank, source: str, segments: Sequence[SegmentRef]) -> list[SegmentRefute]:
    """Returns the words of new segments of one source that repeat what a verdict has refuted."""
    if not bank.tree.refuted:
        return []
    return [words for ref in segments for words in _repetitions_in_segment(bank, source, segments, ref)]


def repetitions_elsewhere(
    bank: Bank, conflict: Conflict, wrong: Iterable[str], verdict: str
) -> list[SegmentRefute]:
    """Finds where else in the record the sentences stand that a verdict has just refuted."""
    against = _against(conflict, verdict)
    found: dict[SegmentRefute, None] = {}
    for refuted in wrong:
        for ref, _ in bank.verbatim.words.search(terms(refuted), MOST_REPETITIONS):
            for start, end in sentences.spans(bank.tree.text(ref)):
                if _repeats(bank.tree.text(ref)[start:end], refuted, against):
                    words = SegmentRefute(ref=ref, conflict_id=conflict.conflict_id, start=start, end=end)
                    found.setdefault(words)
    return list(found)


def _repetitions_in_segment(
    bank: Bank, source: str, segments: Sequence[SegmentRef], ref: SegmentRef
) -> Iterator[SegmentRefute]:
    text = bank.tree.text(ref)
    for start, end in sentences.spans(text):
        sentence = text[start:end]
        points = dict(_refuted_like(bank, sentence))
        for conflict_id, refuted in points.items():
            conflict = bank.conflict(conflict_id)
            again = any(_repeats(sentence, each, _against(conflict, conflict.verdict)) for each in refuted)
            if again and not brings_news(bank, source, segments, conflict):
                yield SegmentRefute(ref=ref, conflict_id=conflict_id, start=start, end=end)


def _refuted_like(bank: Bank, sentence: str) -> Iterator[tuple[ConflictId, list[str]]]:
    """Yields the refuted sentences whose segments hold most of a sentence's words, by conflict."""
    like = bank.verbatim.words.search(terms(sentence), LIKEST, bank.tree.refuted.__contains__)
    by_conflict: dict[ConflictId, list[str]] = {}
    for ref, _ in like:
        text = bank.tree.text(ref)
        for words in bank.tree.refuted[ref]:
            by_conflict.setdefault(words.conflict_id, []).append(text[words.start : words.end])
    yield from by_conflict.items()


def _against(conflict: Conflict, verdict: str) -> list[str]:
    return [each for each in (verdict, *(side.quote for side in conflict.sides)) if each]


def _repeats(quote: str, refuted: str, against: Sequence[str]) -> bool:
    """Whether a sentence repeats a refuted one, by its words."""
    words, wrong = set(terms(quote)), set(terms(refuted))
    if not wrong or len(wrong & words) < SHARED * len(wrong) or asks(quote):
        return False
    if DOUBTS.search(quote) and not DOUBTS.search(refuted):
        return False
    right = [set(terms(each)) - wrong for each in against]
    if any(each and each <= words for each in right):
        return False  # it gives both values
    return repeats_value(quote, refuted, against)
