"""Labels of groups of texts: the words that tell each from the others.

Law: pure; a label is made of whole words and names as they stand in the texts.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log, log1p

from core.agents.offline.keywords import MOST, keywords, spread
from core.language import Language, language_of, unspaced
from core.text.analysis import terms
from core.text.scripts import HAN

WORDS = 3
NOUNS, NAME, LATIN = (
    "n",
    "nr",
    "eng",
)  # kinds of words: what those of nouns begin with, a person's name, other letters


def labels(groups: Sequence[Sequence[str]]) -> list[str]:
    """Returns of each group up to WORDS words that say what it is about; empty where it has none."""
    others = spread(text for texts in groups for text in texts)
    return [_label(texts, whole_words(texts, others)[:WORDS]) for texts in groups]


def whole_words(texts: Sequence[str], others: Mapping[str, int] | None = None) -> list[str]:
    """Returns what the texts are about, weightiest first: names, terms, figures; in Chinese nouns as they are cut."""
    language = language_of("".join(texts))
    if not language.is_spaced:
        return _nouns(texts, others or {}, language)[:MOST]
    return [word for word in keywords(texts, others, most=MOST) if not HAN.search(word)]


def _nouns(texts: Sequence[str], others: Mapping[str, int], language: Language) -> list[str]:
    """Returns nouns of Chinese texts, the more frequent and rarer ones first."""
    counted = Counter(word for text in texts for word in _nouns_of(text, language))

    def weight(word: str) -> float:
        around = min((others.get(term, 0) for term in terms(word)), default=0)
        return (1 + log(counted[word])) * min(len(word), 4) / (1 + log1p(max(0, around - counted[word])))

    return sorted(counted, key=lambda word: (-weight(word), word))


def _nouns_of(text: str, language: Language) -> list[str]:
    """Returns the nouns of a text as it is cut; short names among them are guesses, and left out."""
    return [
        word.text
        for word in language.tagged(text)
        if len(word.text) > 1
        and (word.kind == LATIN or word.kind.startswith(NOUNS))
        and (word.kind != NAME or len(word.text) > 2)
    ]


def shared_words(texts: Sequence[str]) -> dict[str, int]:
    """Returns the words that more than one of the texts has, each with how many have it, the most frequent first."""
    nouns = (word for text in texts if (cut := unspaced(text)) for word in _nouns_of(text, cut))
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


def _label(texts: Sequence[str], words: Sequence[str]) -> str:
    return language_of("".join(texts)).marks.listed.join(words)
