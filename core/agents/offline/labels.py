"""Labels of groups of texts: the words that tell each from the others.

Law: pure; a label is made of whole words and names as they stand in the texts.
"""

from collections.abc import Mapping, Sequence

from core.agents.offline.keywords import MOST, keywords, spread
from core.text.chinese import tagged
from core.text.scripts import HAN, is_chinese

WORDS = 3
NOUNS = "n"  # what the kinds of Chinese nouns and names begin with


def labels(groups: Sequence[Sequence[str]]) -> list[str]:
    """Returns of each group up to WORDS words that say what it is about; empty where it has none."""
    others = spread(text for texts in groups for text in texts)
    return [_label(texts, whole_words(texts, others)[:WORDS]) for texts in groups]


def whole_words(texts: Sequence[str], others: Mapping[str, int] | None = None) -> list[str]:
    """Returns what the texts are about, weightiest first; of Chinese phrases only those made of nouns."""
    return [word for word in keywords(texts, others, most=MOST) if not HAN.search(word) or _is_of_nouns(word)]


def shared_words(texts: Sequence[str]) -> dict[str, int]:
    """Returns the words that more than one of the texts has, each with how many have it, the most frequent first."""
    nouns = (
        part.text
        for text in texts
        if HAN.search(text)
        for part in tagged(text)
        if part.kind.startswith(NOUNS) and len(part.text) > 1
    )
    folded = [text.casefold() for text in texts]
    found = {
        word: sum(word.casefold() in text for text in folded)
        for word in dict.fromkeys((*whole_words(texts), *nouns))
    }
    often = sorted((word for word, count in found.items() if count > 1), key=lambda word: -found[word])
    kept: list[str] = []
    for word in often:
        if not any(word in other or other in word for other in kept):
            kept.append(word)
    return {word: found[word] for word in kept}


def _is_of_nouns(word: str) -> bool:
    parts = tagged(word)
    return all(part.kind.startswith(NOUNS) and len(part.text) > 1 for part in parts)


def _label(texts: Sequence[str], words: Sequence[str]) -> str:
    return ("、" if is_chinese("".join(texts)) else ", ").join(words)
